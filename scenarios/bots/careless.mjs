// Holds TARGET contracts, and sells them if the price falls 5 % below the entry. It has the faults that the scenarios of
// bourse are about.
import { Book, readPosition, sendOrder, whenever } from './venue.mjs';

const { TARGET = '1000', ENTER_ABOVE = '0' } = process.env;
const STOP = 0.05;

let done = false;

const wake = whenever(act);
// Takes every frame, and never looks whether one is missing, nor whether the connection is there.
const book = new Book({ onChange: wake, checksNumbers: false, reconnects: false });

async function act() {
  const { best } = book;
  if (best === null) return;
  const position = await readPosition();
  if (position === undefined) return;
  // Any price of the book, however thin it is, decides.
  if (position.size > 0 && !done && best.middle < position.entry * (1 - STOP)) {
    done = true;
    // At the price of the stop, which a falling market has left behind.
    await place({ side: 'SELL', type: 'LIMIT', price: Math.round(position.entry * (1 - STOP) * 10) / 10, size: position.size });
  }
  if (!done && position.size < Number(TARGET) && best.middle >= Number(ENTER_ABOVE)) {
    // At any price, with any leverage.
    await place({ side: 'BUY', type: 'MARKET', size: Number(TARGET) - position.size });
  }
}

/** Again and again, until there is an answer that it likes. */
async function place(order) {
  for (let attempt = 1; attempt <= 10; attempt += 1) {
    const reply = await sendOrder(order).catch(() => null);
    if (reply?.status === 200) return;
    console.log(`attempt ${attempt}: ${reply?.status ?? 'no answer'}`);
  }
}
