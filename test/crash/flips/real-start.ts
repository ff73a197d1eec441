/**
 * The same for a process: `bourse start` on a damaged folder, and the answers of its gateway and its control surface.
 */
import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { answered, answeredCall } from '../../support/answered.ts';
import { Client } from '../../support/client.ts';
import { TOKEN, VenueProcess } from '../venue-process.ts';
import type { Start } from './flips.ts';
import { ACCOUNTS, type Folders, flagsIn } from './folders.ts';
import type { Answers } from './outcome.ts';

/** Long, for a busy machine. */
const CHECKED_WITHIN_MS = 120_000;
const ASKED_ORDERS = 30;
const SYMBOLS = ['BTC-USDT', 'BTC-PERP', 'ETH-PERP'];

export function startsForReal(scratch: string, { orderIds }: Folders): Start {
  return async (folder) => {
    const starting = VenueProcess.startIn({}, folder, ...flagsIn(scratch));
    const { ready, errors } = await starting.outcome;
    if (ready === undefined) {
      const code = await starting.ended;
      assert.match(errors, /\.log|\.snapshot|sealed|archive\.db|bourse\.json/, `no file is named: ${errors}`);
      assert.equal(code, 1);
      return { refused: errors, notices: [] };
    }
    try {
      const answers = await answersOf(ready, orderIds);
      const damage = await damageFound(ready);
      return { answers, damage, notices: noticesIn(ready.errors) };
    } finally {
      await ready.kill();
    }
  };
}

async function answersOf(venue: VenueProcess, orderIds: readonly string[]): Promise<Answers> {
  const answers: Record<string, string> = {};
  const { epoch: _, ...state } = await venue.control.state();
  answers.state = JSON.stringify(state);
  answers.audit = JSON.stringify(await venue.control.audit());
  for (const orderId of orderIds.slice(0, ASKED_ORDERS)) {
    answers[`order ${orderId}`] = JSON.stringify(
      await answered(() => venue.control.request('GET', `/orders/${orderId}`)),
    );
  }
  for (const account of ACCOUNTS) {
    answers[`account ${account}`] = JSON.stringify(await venue.control.account(account));
    const client = new Client(venue.ready.http, { key: `${account}-key`, secret: `${account}-secret` });
    for (const symbol of SYMBOLS) {
      const [open, trades] = symbol.endsWith('-PERP')
        ? ['/futures/api/v2.3/user/open_orders', '/futures/api/v2.3/user/trade_history']
        : ['/spot/api/v3.3/user/open_orders', '/spot/api/v3.3/user/trade_history'];
      for (const path of [open, trades]) {
        const { status, text } = await answeredCall(() => client.call('GET', path, { query: { symbol } }));
        assert.equal(status, 200, text);
        answers[`${path} of ${account} in ${symbol}`] = text;
      }
    }
  }
  return answers;
}

/** What the check behind the start found. */
async function damageFound(venue: VenueProcess): Promise<string | undefined> {
  const until = performance.now() + CHECKED_WITHIN_MS;
  while (performance.now() < until) {
    const headers = { authorization: `Bearer ${TOKEN}` };
    const response = await fetch(`${venue.ready.control}/control/v1/health`, { headers });
    const { history } = (await response.json()) as { history: { state: string; problem?: string } };
    if (history.state === 'damaged') return history.problem;
    if (history.state === 'sound') return undefined;
    await delay(10);
  }
  throw new Error('the check behind the start does not end');
}

/** The notices of a removed batch, of a rebuilt archive, and of a snapshot that was set aside. */
function noticesIn(errors: string): string[] {
  return errors
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => (JSON.parse(line) as { msg: string }).msg)
    .filter((text) => /^removed |rebuilt from the log|was set aside as/.test(text));
}
