/** docs/internal/conformance.md, made from the tables that are tested. */
import type { Section } from './table.ts';

const HEAD = `# Conformance

Row by row of the interface specification, sections 2 to 8, and topic by topic of the streams: what the tests in test/conformance
show through HTTP and WebSocket, and what is still open. This file is made by \`npm run docs:conformance\`; a test fails when it is stale.
`;

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}

export function conformanceDocument(sections: readonly Section[]): string {
  const rows = sections.flatMap((section) => section.rows);
  const open = rows.filter((row) => row.open !== undefined);
  const parts = [HEAD, `${rows.length} rows, all with a test; ${open.length} of them have a part that is open.\n`];
  for (const { id, title, rows } of sections) {
    parts.push(`## ${`${id} ${title}`.trim()}\n`, '| row | state | what is shown |', '| --- | --- | --- |');
    for (const { row, shows, open } of rows) {
      const state = open === undefined ? 'covered' : 'partly open';
      parts.push(
        `| ${cell(row)} | ${state} | ${cell(shows)}${open === undefined ? '' : `. **Open:** ${cell(open)}`} |`,
      );
    }
    parts.push('');
  }
  return `${parts.join('\n').trimEnd()}\n`;
}
