import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { it } from 'node:test';
import { conformanceDocument } from './document.ts';
import { sections } from './tables.ts';

it('docs/internal/conformance.md lists what the tables hold: `npm run docs:conformance` makes it', () => {
  const written = readFileSync(new URL('../../docs/internal/conformance.md', import.meta.url), 'utf8');
  assert.equal(written, conformanceDocument(sections));
});

it('no row is listed twice in its section', () => {
  for (const { id, title, rows } of sections) {
    const names = rows.map(({ row }) => row);
    assert.equal(new Set(names).size, names.length, `${id} ${title}`);
  }
});
