// Holds TARGET contracts, and sells them if the mark falls 5 % below the entry. It survives the scenarios of bourse.
import { Book, call, correctClock, findOrder, machineClock, readPosition, sendOrder, symbol, whenever } from './venue.mjs';

const { TARGET = '1000', ENTER_ABOVE = '0' } = process.env;
const STOP = 0.05;
const LEVERAGE = 3;
const MOST_FUNDING = 0.001;
/** How far an order may go beyond the best price. */
const SLIPPAGE = 0.001;

let done = false;
let waitUntil = 0;
let firstAsk = Number.POSITIVE_INFINITY;
let made = 0;

const wake = whenever(act);
const book = new Book({ onChange: wake, checksNumbers: true, reconnects: true });

async function act() {
  const { best } = book;
  if (best === null || book.time < waitUntil) return;
  const position = await readPosition();
  if (position === undefined) return correctOwnClock();
  const funding = await readFunding();
  if (position.size > 0) {
    // The mark: a single print on a thin book is no reason to sell.
    if (position.mark < position.entry * (1 - STOP) || funding > MOST_FUNDING) done = true;
    if (done) await place({ side: 'SELL', price: best.bid * (1 - 10 * SLIPPAGE), size: position.size, reduceOnly: true });
  }
  const wanted = Math.min(Number(TARGET), await affordable(best.ask));
  if (!done && position.size < wanted && best.middle >= Number(ENTER_ABOVE)) {
    // It waits for sellers to come back, and does not go after the price.
    firstAsk = Math.min(firstAsk, best.ask);
    const most = firstAsk * (1 + SLIPPAGE);
    if (best.ask <= most) await place({ side: 'BUY', price: most, size: wanted - position.size });
  }
}

/** What its leverage allows. */
async function affordable(price) {
  const { status, body } = await call('GET', '/futures/api/v2.3/user/wallet', { query: { wallet: 'CROSS@' } });
  if (status !== 200) return 0;
  return Math.floor((body[0].totalValue * LEVERAGE) / (price * contractSize));
}

let contractSize = 0.00001;
async function readFunding() {
  const { status, body } = await call('GET', '/futures/api/v2.3/market_summary', { query: { symbol } });
  if (status !== 200) return 0;
  contractSize = body[0].contractSize;
  return body[0].fundingRate;
}

/** Fills what the book has within the price, and leaves nothing behind. The next turn looks again. */
async function place({ price, ...order }) {
  made += 1;
  const clOrderID = `careful-${Date.now()}-${made}`;
  try {
    const limit = { type: 'LIMIT', time_in_force: 'IOC', price: Math.round(price * 10) / 10, clOrderID };
    const { status, headers } = await sendOrder({ ...order, ...limit });
    if (status === 429) waitUntil = book.time + Number(headers.get('retry-after') ?? 1) * 1000;
    if (status === 200) return;
    console.log(`refused with ${status}`);
  } catch {
    // It may be there all the same: nothing is sent again before that is known.
    const { status } = await findOrder(clOrderID);
    console.log(status === 200 ? `${clOrderID} is there, though its answer was lost` : `${clOrderID} is not there`);
  }
}

/** The date of an answer is the time of the venue's machine. */
async function correctOwnClock() {
  const { status, headers } = await call('GET', '/futures/api/v2.3/user/positions', { query: { symbol } });
  if (status !== 401) return;
  console.log('the venue refuses the nonce: the clock of this machine is wrong');
  correctClock(Date.parse(headers.get('date')) - machineClock());
}
