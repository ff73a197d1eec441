/** Settings of a server that a reload changes while a venue runs: none of them loses an acknowledged order. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { VenueError } from '../../src/client/request.ts';
import { scratch, type VenueProcess } from '../crash/process.ts';
import { endServers, PostgresServer, skip } from './server.ts';
import { restingOrder, started, untilReady } from './venue.ts';

const NAMES = { synchronous_standby_names: 'ANY 1 (a)' };

/** The text of a refusal, once there is one that says so. */
async function refusal(ask: () => Promise<unknown>, reason: RegExp): Promise<void> {
  for (;;) {
    try {
      await ask();
    } catch (error) {
      if (!(error instanceof VenueError) || error.status !== 503) throw error;
      if (reason.test(JSON.stringify(error.body))) return;
    }
    await delay(20);
  }
}

async function health(venue: VenueProcess): Promise<Record<string, unknown>> {
  try {
    return ((await venue.control.request('GET', '/health')) as { log: Record<string, unknown> }).log;
  } catch (error) {
    return ((error as VenueError).body as { log: Record<string, unknown> }).log;
  }
}

describe('a reload of the settings of a server', { skip }, () => {
  after(endServers);

  test('makes the venue read-only by the name of each setting that could lose an order, and nothing acknowledged is lost', async () => {
    const primary = await PostgresServer.start();
    const standby = await primary.standby('a');
    const reload = (settings: Readonly<Record<string, string>>) => {
      primary.set({ ...NAMES, ...settings });
      primary.reload();
    };
    reload({});
    const venue = await started(primary.database('reloaded'), join(scratch, 'reloaded'));
    await venue.control.setPrices('BTC-USDT', { index: 100_000 });
    let count = 0;
    const place = () => {
      count += 1;
      return venue.alice.placeSpotOrder(restingOrder(count));
    };
    const cases = [
      ['fsync', 'off', /could lose acknowledged orders: fsync is off: set it to on/, 'fsync'],
      ['full_page_writes', 'off', /full_page_writes is off: set it to on/, 'fullPageWrites'],
      ['synchronous_standby_names', '', /synchronous_standby_names is empty/, 'synchronousStandbyNames'],
    ] as const;
    for (const [name, value, reason, shown] of cases) {
      reload({ [name]: value });
      // It is idle: the lease has found it.
      await refusal(() => venue.control.request('GET', '/health'), reason);
      assert.equal((await health(venue))[shown], value);
      await refusal(place, reason);
      assert.match(venue.errors, reason);
      reload({ [name]: name === 'synchronous_standby_names' ? NAMES[name] : 'on' });
      await untilReady(venue);
      await place();
    }
    // A commit waits for the standby server, and goes through because nobody is named any more.
    standby.signal('SIGSTOP');
    let outcome = '';
    const placed = place().then(
      () => {
        outcome = 'acknowledged';
      },
      ({ message }: Error) => {
        outcome = message;
      },
    );
    while (primary.sql('reloaded', "SELECT 1 FROM pg_stat_activity WHERE wait_event = 'SyncRep' LIMIT 1") === '')
      await delay(5);
    reload({ synchronous_standby_names: '' });
    await placed;
    assert.match(outcome, /look the order up before you send it again/);
    // Another commit mode than that of the sessions changes nothing.
    reload({ synchronous_commit: 'off' });
    standby.signal('SIGCONT');
    await untilReady(venue);
    assert.equal((await health(venue)).synchronousCommit, 'on');
    await place();
    const { seq } = await venue.control.state();
    await primary.kill();
    standby.promote();
    assert.equal(Number(standby.sql('reloaded', 'SELECT max(seq) FROM bourse.frame')), seq);
    venue.child.kill('SIGKILL');
    await venue.ended;
    await standby.remove();
    await primary.remove();
  });
});
