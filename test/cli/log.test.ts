/** `bourse log show`: the records of a log in both formats, of a damaged one, and beside a running venue. */
import assert from 'node:assert/strict';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { logRecords } from '../../src/engine/replay/log-records.ts';
import { ControlClient } from '../../src/index.ts';
import { type Ended, Place, stop } from './support.ts';

const GOLDEN = fileURLToPath(new URL('../golden/', import.meta.url));

interface Line {
  readonly record: string;
  readonly firstSeq?: number;
  readonly lastSeq?: number;
  readonly seq?: number;
  readonly place: string;
  readonly frameHash: string;
  readonly rules?: string;
  readonly stateHash?: string;
  readonly commands?: readonly { readonly seq: number; readonly type: string }[];
}

function linesOf({ stdout }: Ended): Line[] {
  return stdout
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));
}

async function recordsOf(...args: Parameters<typeof logRecords>): Promise<Line[]> {
  const records: Line[] = [];
  for await (const record of logRecords(...args)) records.push(JSON.parse(JSON.stringify(record)));
  return records;
}

test('every record of a log is a line, and a JSON log and a binary one have the same commands', async () => {
  await using place = new Place();
  const shown: Line[][] = [];
  for (const golden of ['rules-3', 'rules-3-binary']) {
    const { code, stderr, ...out } = await place.run(['log', 'show', join(GOLDEN, golden, 'sealed')]);
    assert.equal(code, 0, stderr);
    shown.push(linesOf({ code, stderr, ...out }));
  }
  const [json, binary] = shown;
  assert.deepEqual(
    binary.map(({ record, commands, seq }) => ({ record, commands, seq })),
    json.map(({ record, commands, seq }) => ({ record, commands, seq })),
  );
  const count = (kind: string) => binary.filter(({ record }) => record === kind).length;
  assert.deepEqual([count('start'), count('poisoned'), count('seal')], [2, 1, 1]);
  const expected = JSON.parse(readFileSync(join(GOLDEN, 'rules-3', 'expected.json'), 'utf8')).sealed;
  assert.deepEqual([binary[0].rules, binary.at(-1)?.stateHash], ['3', expected.hash]);
  const seqs = binary.flatMap(({ commands = [] }) => commands.map(({ seq }) => seq));
  assert.deepEqual(
    seqs,
    Array.from({ length: expected.seq }, (_, i) => i + 1),
  );
});

test('a range has the commands of its seqs, whether a snapshot is before it or not', async () => {
  const folder = join(GOLDEN, 'rules-3-binary', 'sealed');
  const all = await recordsOf(folder);
  const { firstSeq: a = 0, lastSeq: b = 0 } = all.findLast(({ commands = [] }) => commands.length > 2) as Line;
  const end = all.findLast(({ record }) => record === 'batch')?.lastSeq as number;
  for (const [from, to] of [
    [1, 1],
    [a + 1, b - 1],
    [a, b + 1],
    [100, 230],
    [end, end],
    [undefined, 5],
    [300, undefined],
  ]) {
    const [first, last] = [from ?? 1, to ?? end];
    const shown = await recordsOf(folder, { from, to });
    const seqs = shown.flatMap(({ commands = [] }) => commands.map(({ seq }) => seq));
    assert.deepEqual(
      seqs,
      Array.from({ length: last - first + 1 }, (_, i) => first + i),
      `${from} to ${to}`,
    );
    for (const line of shown) assert.ok(all.some(({ frameHash }) => frameHash === line.frameHash));
  }
  const { seq } = all.find(({ record }) => record === 'poisoned') as Line;
  assert.deepEqual(
    (await recordsOf(folder, { from: seq, to: seq })).map(({ record }) => record),
    ['batch', 'poisoned'],
  );
  await assert.rejects(recordsOf(folder, { from: end + 1 }), /the log holds the seqs 1 to 336/);
  await assert.rejects(recordsOf(folder, { to: end + 1 }), /the log holds the seqs 1 to 336/);
});

test('damage is named with its place, after the records before it', async () => {
  await using place = new Place();
  cpSync(join(GOLDEN, 'rules-3-binary', 'sealed'), place.data, { recursive: true });
  const all = await recordsOf(place.data);
  const broken = all.findIndex(({ place: at }) => at.startsWith('00000002.log')) + 2;
  const file = place.path('data/00000002.log');
  const bytes = readFileSync(file);
  bytes[Number(/\d+$/.exec(all[broken].place)?.[0]) + 200] ^= 1;
  writeFileSync(file, bytes);
  const shown = await place.run(['log', 'show', place.data]);
  assert.equal(shown.code, 1);
  assert.deepEqual(linesOf(shown), all.slice(0, broken));
  assert.ok(shown.stderr.startsWith(`bourse: the command log is damaged: ${all[broken].place}: `), shown.stderr);
});

test('beside a running venue it shows what was acknowledged, and what is wrong with a call is said', async () => {
  await using place = new Place();
  const venue = await place.start(['--clock', 'manual']);
  const token = readFileSync(join(place.data, 'control-token'), 'utf8').trim();
  const control = new ControlClient({ url: venue.ready.control, token });
  await control.createAccount('alice');
  await control.setPrices('BTC-USDT', { index: 100 });
  const { seq } = await control.state();
  const { code, stderr, ...out } = await place.run(['log', 'show', place.data, '--from', String(seq)]);
  assert.equal(code, 0, stderr);
  const [{ commands }] = linesOf({ code, stderr, ...out });
  assert.deepEqual(
    commands?.map(({ seq, type }) => [seq, type]),
    [[seq, 'setPrices']],
  );
  const nowhere = place.path('nowhere');
  for (const [args, said] of [
    [[place.data, '--from', '2', '--to', '1'], 'bourse: --from 2 is after --to 1\n'],
    [[place.data, '--from', String(seq + 1)], `bourse: seq ${seq + 1}: the log holds the seqs 1 to ${seq}\n`],
    [[nowhere], `bourse: there is no data folder at ${nowhere}\n`],
    [[place.folder], 'bourse: the command log is damaged: 00000001.log at offset 0: the log is missing or empty\n'],
  ] as const) {
    const refused = await place.run(['log', 'show', ...args]);
    assert.deepEqual([refused.code, refused.stdout, refused.stderr], [1, '', said]);
  }
  assert.equal((await stop(venue)).code, 0);
});
