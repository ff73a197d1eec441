/** The metrics that name liquidations and the data folder, and the list of all metrics in docs/deploying.md. */
import assert from 'node:assert/strict';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type MeteredArchive, Metrics } from '../../src/api/control/metrics.ts';
import { FolderArchive } from '../../src/archive/archive.ts';
import { FolderMeter, type FolderSizes } from '../../src/archive/thread/folder-sizes.ts';
import { readConfiguration } from '../../src/config/config.ts';
import { ControlClient } from '../../src/index.ts';
import { type RunningVenue, start } from '../../src/start.ts';
import type { EventHandlers, VenueEvent } from '../../src/venue/contract/events.ts';
import { STARTED_BY_TEST } from '../support/started.ts';
import { BTC_PERP, genesis, VenueDriver } from '../venue/support.ts';

const root = mkdtempSync(join(tmpdir(), 'bourse-metrics-'));
const data = join(root, 'data');
let running: RunningVenue;
let control: ControlClient;
before(async () => {
  running = await start({
    ...STARTED_BY_TEST,
    configuration: readConfiguration({ accounts: [{ name: 'alice', balances: { USDT: 1000 } }] }),
    data,
    masterKeys: ['1'.repeat(64)],
    segmentBytes: 65_536,
    clock: 'manual',
  });
  control = new ControlClient({ url: running.control, token: running.controlToken });
});
after(async () => {
  await running.stop();
  rmSync(root, { recursive: true });
});

const textOf = async () => (await control.request('GET', '/metrics')) as string;

/** The value of a metric without labels. Undefined: it is left out. */
function figure(text: string, name: string): number | undefined {
  const value = new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1];
  return value === undefined ? undefined : Number(value);
}

/** The metrics, as soon as the archive's thread has measured the folder. */
async function measured(): Promise<string> {
  let text = await textOf();
  while (figure(text, 'bourse_log_bytes') === undefined) text = await textOf();
  return text;
}

function bytesOf(folder: string, isOne: (name: string) => boolean): number {
  return readdirSync(folder)
    .filter(isOne)
    .reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
}

test('the data folder: bytes of log, archive and snapshots, free space, how far archive and snapshot are', async () => {
  const first = await measured();
  assert.equal(figure(first, 'bourse_snapshot_bytes'), 0);
  assert.equal(figure(first, 'bourse_snapshot_age_seconds'), undefined, 'there is no snapshot yet');
  assert.equal(figure(first, 'bourse_snapshot_lag_commands'), running.engine.venue.seq);

  const { seq, file } = (await control.request('POST', '/snapshot')) as { seq: number; file: string };
  await control.deposit('alice', 'USDT', '1');
  await control.ledger('alice'); // The archive has the deposit.
  const written = (Date.now() - 90_000) / 1000;
  utimesSync(join(data, file), written, written);
  // The figures are those of a reading, which is repeated for a while.
  let text = await measured();
  while ((figure(text, 'bourse_snapshot_age_seconds') ?? 0) < 90) text = await textOf();
  assert.equal(figure(text, 'bourse_snapshot_lag_commands'), running.engine.venue.seq - seq);
  assert.equal(figure(text, 'bourse_archive_lag_commands'), 0);
  assert.equal(
    figure(text, 'bourse_log_bytes'),
    bytesOf(data, (name) => name.endsWith('.log')),
  );
  assert.equal(figure(text, 'bourse_snapshot_bytes'), statSync(join(data, file)).size);
  assert.ok((figure(text, 'bourse_archive_bytes') ?? 0) >= statSync(join(data, 'archive.db')).size);
  assert.ok((figure(text, 'bourse_disk_free_bytes') ?? 0) > 0);
  assert.equal(figure(text, 'bourse_ready'), 1);
});

test('every metric has a help text, a row in docs/deploying.md, and every row has a metric', async () => {
  const ofReplay = new Metrics([]);
  ofReplay.watchReplay({ lagMs: 0, fits: 1, takenRatio: 0 });
  // Only a venue that plays a recorded market has these.
  const replayed = (await ofReplay.text()).match(/^(# (HELP|TYPE) )?bourse_replay_.*$/gm) ?? [];
  const text = [await measured(), ...replayed].join('\n');
  const names = [...text.matchAll(/^# TYPE (bourse_\w+) /gm)].map(([, name]) => name);
  assert.ok(names.length > 25, names.join());
  for (const name of names) assert.match(text, new RegExp(`^# HELP ${name} \\S.{4,}$`, 'm'));
  const document = readFileSync(new URL('../../docs/deploying.md', import.meta.url), 'utf8');
  const rows = [...document.matchAll(/^\| `(bourse_\w+)/gm)].map(([, name]) => name);
  assert.deepEqual(rows.toSorted(), names.toSorted());
});

function metricsOf(driver: VenueDriver): Metrics {
  const metrics = new Metrics([]);
  metrics.watch({ venue: driver.venue, waiting: 0, queueMs: 0, epoch: 1, clockRefusals: 0, clock: null });
  const handlers = metrics.listener as { readonly [kind: string]: ((event: VenueEvent) => void) | undefined };
  for (const event of driver.events) handlers[event.type satisfies keyof EventHandlers]?.(event);
  return metrics;
}

/** carol is long 1 BTC from 60,000.0 with 700 USDT, against dave. */
function leveraged(fund = '0'): VenueDriver {
  const account = (name: string, USDT: string) => ({ name, balances: { USDT }, fees: {}, keys: [] });
  const accounts = [account('maker', '10000000'), account('dave', '10000000'), account('carol', '700')];
  const driver = new VenueDriver(genesis({ accounts, insuranceFund: { USDT: fund } }));
  driver.prices(BTC_PERP, { index: 600_000_000 });
  driver.limit(1, BTC_PERP, 1, 600_000, 100_000);
  driver.limit(2, BTC_PERP, 0, 600_000, 100_000);
  return driver;
}

test('liquidations are counted by market and kind', async () => {
  const driver = leveraged();
  assert.doesNotMatch(await metricsOf(driver).text(), /^bourse_liquidations_total\{/m);
  driver.limit(0, BTC_PERP, 0, 595_900, 1_000_000);
  driver.prices(BTC_PERP, { mark: 596_200_000 });
  const text = await metricsOf(driver).text();
  assert.match(text, /^bourse_liquidations_total\{market="BTC-PERP",kind="partial"\} 2$/m);
  assert.doesNotMatch(text, /^bourse_deleveraged_total\{/m);
});

for (const [what, bid, mark] of [
  ['a liquidation in parts pays fees to it', 595_900, 596_200_000],
  ['it pays for a bankrupt account', 592_000, 590_000_000],
] as const) {
  test(`what the insurance fund received and paid explains its balance: ${what}`, async () => {
    const driver = leveraged('1000');
    driver.limit(0, BTC_PERP, 0, bid, 1_000_000);
    driver.prices(BTC_PERP, { mark });
    const text = await metricsOf(driver).text();
    const figure = (name: string) =>
      Number(new RegExp(`^bourse_insurance_${name}_total\\{currency="USDT"\\} (\\S+)$`, 'm').exec(text)?.[1] ?? 0);
    const fund = driver.venue.insurance().find(({ currency }) => currency.code === 'USDT') ?? assert.fail();
    const balance = Number(fund.units) / 10 ** fund.currency.decimals;
    const [received, paid] = [figure('received'), figure('paid')];
    assert.ok((bid === 595_900 ? received : paid) > 0, `${received} ${paid}`);
    assert.ok(Math.abs(1000 + received - paid - balance) < 1e-6, `${received} ${paid} ${balance}`);
  });
}

test('positions that auto-deleveraging closes are counted by market', async () => {
  const driver = leveraged();
  driver.prices(BTC_PERP, { mark: 590_000_000 });
  assert.match(await metricsOf(driver).text(), /^bourse_deleveraged_total\{market="BTC-PERP"\} 1$/m);
});

test('figures of the folder are left out while they are not known', async () => {
  let sizes: FolderSizes | undefined;
  const archive: MeteredArchive = { seq: 0, sizes: async () => sizes };
  const metrics = metricsOf(new VenueDriver());
  metrics.watchArchive(archive);
  assert.equal(figure(await metrics.text(), 'bourse_log_bytes'), undefined);
  sizes = { logBytes: 1, archiveBytes: 2, snapshotBytes: 0, freeBytes: 4, snapshot: null };
  assert.equal(figure(await metrics.text(), 'bourse_log_bytes'), 1);
  assert.equal(figure(await metrics.text(), 'bourse_snapshot_age_seconds'), undefined);
  sizes = undefined;
  const text = await metrics.text();
  assert.equal(figure(text, 'bourse_log_bytes'), undefined);
  assert.equal(figure(text, 'bourse_archive_lag_commands'), 1);
});

test('an archive that has been closed knows no sizes', async () => {
  const folder = join(root, 'closed');
  mkdirSync(folder);
  const archive = new FolderArchive({ folder, seq: 0, onNotice: () => {} });
  const asked = [archive.sizes(), archive.sizes()];
  await archive.close();
  await Promise.all(asked); // Answered or not, they have ended.
  assert.equal(await archive.sizes(), undefined);
});

test('a reading is repeated for nine times as long as it took', () => {
  const folder = join(root, 'readings');
  mkdirSync(folder);
  writeFileSync(join(folder, '00000001.log'), 'abc');
  writeFileSync(join(folder, '000000000007.snapshot'), 'ab');
  writeFileSync(join(folder, '000000000009.snapshot.damaged'), 'a');
  writeFileSync(join(folder, 'archive.db-wal'), 'abcd');
  writeFileSync(join(folder, 'lock'), 'owner');
  let nowMs = 0;
  let passesMs = 0;
  const meter = new FolderMeter(folder, () => {
    nowMs += passesMs;
    return nowMs;
  });
  const read = () => meter.read() as FolderSizes;
  passesMs = 10;
  const first = read();
  assert.deepEqual(
    [first.logBytes, first.archiveBytes, first.snapshotBytes, first.snapshot?.seq],
    [3, 4, 3, 7],
    'a damaged snapshot takes room, and is not the newest',
  );
  passesMs = 0;
  writeFileSync(join(folder, '00000002.log'), 'abcdef');
  nowMs = 109;
  assert.equal(read(), first);
  nowMs = 110;
  assert.equal(read().logBytes, 9);
  rmSync(join(folder, '00000001.log')); // Moved away.
  assert.equal(read().logBytes, 6);
  rmSync(folder, { recursive: true });
  assert.equal(meter.read(), undefined);
});
