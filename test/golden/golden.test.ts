/**
 * The logs of each rules version (README.md): the version with the same rules replays them to the same hash; one with
 * newer rules refuses the killed one by name, and continues the sealed one.
 */
import assert from 'node:assert/strict';
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { BourseClient } from '../../src/client/client.ts';
import { ControlClient } from '../../src/client/control.ts';
import { readConfiguration } from '../../src/config/config.ts';
import { readManifest, reconcile } from '../../src/engine/identity/manifest.ts';
import { replay, verify } from '../../src/engine/replay/inspect.ts';
import { type Apply, LogReplayer, stateHash } from '../../src/engine/replay/log-replayer.ts';
import { LogDamaged, RulesMismatch } from '../../src/log/contract/command-log.ts';
import { RealDisk } from '../../src/log/file/disk.ts';
import { readEntries } from '../../src/log/file/read-log.ts';
import { decodeFrame } from '../../src/log/shared/frame.ts';
import { snapshotName } from '../../src/log/shared/segments.ts';
import { reportOf } from '../../src/report/report.ts';
import { start } from '../../src/start.ts';
import { RULES_VERSION, Venue } from '../../src/venue/venue.ts';
import { recoverOn, storageOn } from '../support/storage.ts';
import { type Expected, HASH_DIGITS, HASH_EVERY, type Kind, STARTED_ON_GOLDEN, stateOf } from './golden.ts';
import { SCENARIOS, writeGolden } from './write.ts';

const here = fileURLToPath(new URL('.', import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), 'bourse-golden-'));
after(() => rmSync(scratch, { recursive: true }));

/** What to do when a test of these rules' own logs fails. */
const RULES_MOVED =
  `this version makes another state of the same commands than rules ${RULES_VERSION} did. Undo the change, or, where it is ` +
  'meant, raise RULES_VERSION and run `npm run golden`. Where only the saved form has changed, save the new field only ' +
  'where it differs from its default (test/golden/README.md)';

/** A folder of golden logs: `rules-3`, or `rules-3-binary` with logs of the same rules in another format. */
interface Golden {
  readonly folder: string;
  readonly rules: number;
}

const GOLDEN: readonly Golden[] = globSync('rules-*', { cwd: here })
  .map((folder) => ({ folder, rules: Number(folder.split('-')[1]) }))
  .sort((a, b) => a.rules - b.rules || a.folder.localeCompare(b.folder));
const OWN = GOLDEN.filter(({ rules }) => rules === RULES_VERSION);
const OLDER = GOLDEN.filter(({ rules }) => rules < RULES_VERSION);

/** Rules 1 has no log that ends in the middle of a snapshot. */
function expectedOf({ folder }: Golden): { sealed: Expected; killed: Expected; 'mid-snapshot'?: Expected } {
  return JSON.parse(readFileSync(join(here, folder, 'expected.json'), 'utf8'));
}

/** A copy: who starts a log writes into it. */
function copyOf({ folder: golden }: Golden, name: Kind): string {
  const folder = mkdtempSync(join(scratch, `${golden}-`));
  cpSync(join(here, golden, name), folder, { recursive: true });
  return folder;
}

function flipBit(file: string, at: number): void {
  const bytes = readFileSync(file);
  bytes[at] ^= 1;
  writeFileSync(file, bytes);
}

/** Starts a venue on the folder, hands its clients over, and stops it. */
async function onVenue<T>(
  data: string,
  act: (venue: Venue, control: ControlClient, client: (by: string) => BourseClient) => T | Promise<T>,
): Promise<T> {
  const venue = await start({
    data,
    ...STARTED_ON_GOLDEN,
  });
  try {
    const client = (by: string) => new BourseClient({ url: venue.http, key: `${by}-key`, secret: `${by}-secret` });
    const control = new ControlClient({ url: venue.control, token: venue.controlToken });
    return await act(venue.engine.venue, control, client);
  } finally {
    await venue.stop();
  }
}

/** Opens a copy of a log as a version with these rules does; resolves with the state that it comes to. */
async function openedBy(rules: number, folder: string): Promise<{ seq: number; hash: string }> {
  const { log, venue } = await recoverOn(new RealDisk(folder), { rulesVersion: String(rules) });
  await log.close();
  return { seq: venue.seq, hash: stateHash(venue) };
}

test('there are golden logs of every rules version up to this one: `npm run golden` writes those of new rules', () => {
  assert.deepEqual(
    [...new Set(GOLDEN.map(({ rules }) => rules))],
    Array.from({ length: RULES_VERSION }, (_, i) => i + 1),
  );
});

for (const golden of OWN) {
  const { folder: of, rules } = golden;
  for (const name of ['sealed', 'killed', 'mid-snapshot'] as const) {
    test(`${of}: every state on the way through the ${name} log is as it was`, () => {
      const { hashes = {} } = expectedOf(golden)[name] as Expected;
      const found: Record<string, string> = {};
      const note: Apply = (venue, seq, timeMs, command) => {
        const reply = venue.apply(seq, timeMs, command);
        if (seq % HASH_EVERY === 0) found[seq] = stateHash(venue).slice(0, HASH_DIGITS);
        return reply;
      };
      const fold = new LogReplayer(new Venue(), { apply: note });
      const log = [...readEntries(new RealDisk(copyOf(golden, name)))];
      // Hashes only: what the log itself says of the effects is another test's.
      for (const { effects: _, ...entry } of log) fold.take(entry);
      fold.finish();
      const moved = Object.keys(hashes).find((seq) => found[seq] !== hashes[seq]);
      assert.equal(moved, undefined, `by seq ${moved} ${RULES_MOVED}`);
      assert.deepEqual(Object.keys(found), Object.keys(hashes));
    });

    test(`${of}: the ${name} log is replayed to its hash, from its beginning and from its snapshot`, async () => {
      const { hashes: _, ...end } = expectedOf(golden)[name] as Expected;
      const { seq, time, hash } = end;
      const folder = copyOf(golden, name);
      assert.deepEqual(await replay(folder), { seq, time, hash }, RULES_MOVED);
      assert.deepEqual({ ...(await verify(folder)), rows: 0 }, { ok: true, rows: 0, seq, hash }, RULES_MOVED);
      assert.deepEqual(await onVenue(folder, stateOf), end, RULES_MOVED);
    });
  }

  test(`${of}: rules ${rules + 1} refuse the killed logs by name, and continue the sealed one`, async () => {
    for (const name of ['killed', 'mid-snapshot'] as const) {
      await assert.rejects(openedBy(rules + 1, copyOf(golden, name)), refusesByName(rules, rules + 1));
    }
    const { seq, hash } = expectedOf(golden).sealed;
    assert.deepEqual(await openedBy(rules + 1, copyOf(golden, 'sealed')), { seq, hash });
  });
}

for (const [name, scenario] of Object.entries(SCENARIOS)) {
  test(`rules ${RULES_VERSION}: \`npm run golden\` writes the same bytes each time (${name})`, async () => {
    const [one, two] = [mkdtempSync(join(scratch, 'one-')), mkdtempSync(join(scratch, 'two-'))];
    for (const target of [one, two]) await writeGolden(target, scenario);
    const files = globSync('**/*', { cwd: one, withFileTypes: true }).filter((entry) => entry.isFile());
    assert.ok(files.length > 10);
    for (const { parentPath, name } of files) {
      const path = relative(one, join(parentPath, name));
      assert.ok(readFileSync(join(one, path)).equals(readFileSync(join(two, path))), path);
    }
  });
}

test('the logs of rules 3 are in JSON and in binary, and come to the same states', () => {
  const [json, binary] = [
    { folder: 'rules-3', rules: 3 },
    { folder: 'rules-3-binary', rules: 3 },
  ];
  assert.deepEqual(expectedOf(json), expectedOf(binary));
  for (const name of ['sealed', 'killed', 'mid-snapshot'] as const) {
    const folder = copyOf(json, name);
    assert.deepEqual([formatsIn(folder), formatsIn(copyOf(binary, name))], [[1], [2]]);
  }
});

/** The payload formats of the batches of a log. */
function formatsIn(folder: string): number[] {
  const formats = new Set<number>();
  for (const name of globSync('*.log', { cwd: folder })) {
    const bytes = readFileSync(join(folder, name));
    for (let offset = 0; offset < bytes.length; ) {
      const decoded = decodeFrame(bytes, offset);
      if (decoded === undefined || !('frame' in decoded)) break;
      if (decoded.frame.kind === 'batch') formats.add(decoded.frame.payload.format);
      offset += decoded.frame.length;
    }
  }
  return [...formats].sort();
}

for (const golden of OLDER) {
  const { folder: of, rules: version } = golden;
  test(`${of}: the killed log is refused by name where its state is needed`, async () => {
    const folder = copyOf(golden, 'killed');
    const refused = refusesByName(version, RULES_VERSION);
    await assert.rejects(onVenue(folder, stateOf), refused);
    await assert.rejects(replay(folder), refused);
  });

  test(`${of}: the sealed log can be continued, and only the version of its rules replays it`, async () => {
    const folder = copyOf(golden, 'sealed');
    const said = (why: string) => ({
      name: 'RulesMismatch',
      message: `the command log was written under rules ${version}, this version applies rules ${RULES_VERSION}; ${why}`,
    });
    const continued =
      'it was stopped cleanly, and a snapshot holds its end, so this version can continue it. ' +
      `Only the version of rules ${version} can replay it`;
    await assert.rejects(replay(folder), said(continued));
    await assert.rejects(reportOf(folder), said(`only the version of rules ${version} can replay its commands`));
    // A start that was killed before its first command changes nothing.
    await openedBy(Number(version), folder);
    await assert.rejects(replay(folder), said(continued));
    rmSync(join(folder, snapshotName(expectedOf(golden).sealed.seq)));
    const once = `start it once with the version of rules ${version} and stop that one`;
    await assert.rejects(replay(folder), said(`it was stopped cleanly, but there is no snapshot of its end: ${once}`));
  });

  test(`${of}: verify checks the chain and the boundary, and says that it has not applied the commands`, async () => {
    const { sealed, killed } = expectedOf(golden);
    const { hash, seq, notRerun } = await verify(copyOf(golden, 'sealed'));
    assert.deepEqual({ seq, hash }, { seq: sealed.seq, hash: sealed.hash });
    const whole = `not re-run: rules ${version}, seq 1 to ${seq}; every frame is intact and in its place`;
    assert.deepEqual(notRerun, [`${whole}, ${snapshotName(seq)} holds its end`]);
    const cut = await verify(copyOf(golden, 'killed'));
    assert.deepEqual({ seq: cut.seq, hash: cut.hash }, { seq: killed.seq, hash: undefined });
    assert.deepEqual(cut.notRerun, [`${whole}, no snapshot holds its end`]);
    const damaged = copyOf(golden, 'sealed');
    flipBit(join(damaged, '00000001.log'), 1000);
    await assert.rejects(verify(damaged), LogDamaged);
  });

  test(`${of}: the sealed log is continued with all its money and orders`, async () => {
    const { seq, time, orders, money } = expectedOf(golden).sealed;
    const folder = copyOf(golden, 'sealed');
    await onVenue(folder, async (venue, control, client) => {
      const { hash: _, ...found } = stateOf(venue);
      assert.deepEqual(found, { seq, time, orders, money });
      const terms = { orderType: 'LIMIT', orderSide: 'BUY', orderPrice: 80, orderSize: 0.1 } as const;
      const [order] = await client('alice').placeSpotOrder({ symbol: 'BTC-USDT', ...terms });
      assert.equal(order.status, 2);
      await control.advance(3_600_000);
      assert.equal((await control.audit()).ok, true);
    });
    assert.ok(formatsIn(folder).includes(2), 'a log in JSON goes on in binary');
    const { notRerun } = await verify(folder);
    assert.deepEqual(notRerun?.length, 1, 'what came since is applied from the snapshot of the end of the old rules');
    rmSync(join(folder, snapshotName(seq)));
    const without = await verify(folder);
    const parts = (without.notRerun ?? []).map((sentence) => sentence.replace(/;.*, /, ', '));
    assert.deepEqual(parts, [
      `not re-run: rules ${version}, seq 1 to ${seq}, no snapshot holds its end`,
      `not re-run: rules ${RULES_VERSION}, seq ${seq + 1} to ${without.seq}, ${snapshotName(without.seq)} holds its end`,
    ]);
    rmSync(join(folder, snapshotName(without.seq)));
    await assert.rejects(verify(folder), (error: unknown) => {
      assert.ok(error instanceof RulesMismatch, String(error));
      assert.match(
        error.message,
        new RegExp(`snapshot at seq ${seq} .* is missing: put that snapshot back from a backup`),
      );
      return true;
    });
  });
}

test('rules 1: the configuration that its folder was started with is no other one, though defaults have changed', async () => {
  const folder = copyOf({ folder: 'rules-1', rules: 1 }, 'sealed');
  const was = await readManifest(storageOn(folder).documents);
  assert.ok(was !== undefined);
  const { accounts, insuranceFund } = was.configuration as { accounts: { keys: object[] }[]; insuranceFund: object };
  const withSecrets = accounts.map((account) => ({
    ...account,
    keys: account.keys.map((key) => ({ ...key, secret: 'not-compared-here' })),
  }));
  const configuration = readConfiguration({ accounts: withSecrets, insuranceFund });
  assert.equal(reconcile(folder, was, { configuration }).seed, was.seed);
  const other = readConfiguration({
    accounts: withSecrets,
    insuranceFund,
    markets: [{ symbol: 'BTC-PERP', maxPrice: '100000' }],
  });
  assert.throws(() => reconcile(folder, was, { configuration: other }), /markets\[BTC-PERP\]\.maxPrice/);
});

function refusesByName(of: number, by: number): (error: unknown) => boolean {
  return (error) => {
    assert.ok(error instanceof RulesMismatch, String(error));
    assert.match(error.message, new RegExp(`written under rules ${of}, this version applies rules ${by}`));
    assert.match(error.message, new RegExp(`with the version of rules ${of}`));
    return true;
  };
}
