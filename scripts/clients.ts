/**
 * `npm run clients [-- NAME…] [--freqtrade] [--verbose]`: runs real, unmodified clients of BTSE against venues that it starts, and
 * prints a table. Exit code 1 if one of them fails. A client whose toolchain or package cannot be had here is skipped with
 * a sentence. Names: those in test/clients/real/clients.ts; without names all that take less than a few minutes.
 */
import { parseArgs } from 'node:util';
import { CLIENTS, type RealClient } from '../test/clients/real/clients.ts';
import { type Outcome, runClient } from '../test/clients/real/run.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { freqtrade: { type: 'boolean', default: false }, verbose: { type: 'boolean', default: false } },
});
const names = values.freqtrade ? [...positionals, 'freqtrade'] : positionals;
const unknown = names.find((name) => !CLIENTS.some((client) => client.name === name));
if (unknown !== undefined) {
  console.error(`there is no client ${unknown}: ${CLIENTS.map(({ name }) => name).join(', ')}`);
  process.exit(2);
}

const chosen = CLIENTS.filter(({ name, isLong }) => (names.length === 0 ? isLong !== true : names.includes(name)));
const rows: string[][] = [];
let failed = false;
for (const client of chosen) {
  console.log(`\n${client.about}`);
  const outcome = await runClient(client);
  show(outcome);
  rows.push(row(client, outcome));
  failed ||= outcome.verdict === 'fails';
}
console.log(
  `\n${table([['client', 'verdict', 'ok', 'refused', 'own', 'failed', 'requests', '404', 'fields', 'absent'], ...rows])}`,
);
if (failed) process.exitCode = 1;

function show({ calls, remark, errors, notServed, verdict }: Outcome): void {
  for (const { name, verdict, detail } of calls) {
    if (verdict !== 'ok' || values.verbose) console.log(`  ${verdict.padEnd(8)}${name}${detail && `: ${detail}`}`);
  }
  for (const path of notServed) console.log(`  404     ${path}`);
  if (values.verbose && errors !== '') console.log(errors);
  if (remark !== '') console.log(`  ${verdict === 'skipped' ? 'skipped' : 'failed '} ${remark}`);
}

function row({ name }: RealClient, { verdict, calls, requests, notServed, fields, absent }: Outcome): string[] {
  const count = (which: string) => String(calls.filter(({ verdict }) => verdict === which).length);
  return [
    name,
    verdict,
    ...['ok', 'refused', 'own', 'failed'].map(count),
    ...[requests, notServed.length, fields, absent].map(String),
  ];
}

function table(lines: string[][]): string {
  const widths = lines[0].map((_, i) => Math.max(...lines.map((line) => line[i].length)));
  return lines
    .map((line) =>
      line
        .map((cell, i) => cell.padEnd(widths[i] + 2))
        .join('')
        .trimEnd(),
    )
    .join('\n');
}
