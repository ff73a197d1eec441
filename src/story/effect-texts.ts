/** What a command set off, effect by effect, as sentences for the tree of why.ts. */
import { changedAccountText, changedMarketText, changesDetail } from './changes.ts';
import { endText } from './ends.ts';
import type { Figures, Happening, Markets, TermChange } from './facts.ts';
import { because, marginText, pausedText, reachedText } from './reasons.ts';
import { pastVerbOf } from './terms.ts';
import { counted, grouped, listed, percent, priceIn, pricesText, sentence, shortId, sizeIn, sumOf } from './text.ts';
import { orderName } from './words.js';

/** One side of a trade. */
export interface TradeSide {
  readonly order: string;
  readonly account: string;
  readonly fee: string;
  readonly feeCurrency: string;
}

/** The id of the order of a side. */
export function orderOf(side: unknown): string {
  return (side as TradeSide).order;
}

interface Text {
  readonly sentence: string;
  readonly detail?: string;
}

/** `alike`: one or more happenings of one type that are shown together. */
export function textOf(alike: readonly Happening[], markets: Markets, of: unknown): Text {
  const [head] = alike;
  if (head.type === 'cause') return causeText(head);
  if (head.type === 'traded') return tradesText(alike, markets, of);
  if (head.type === 'money') return moneyText(alike);
  const text = ofOrder(head, markets) ?? ofVenue(alike, markets);
  return text ?? { sentence: head.type };
}

function causeText(cause: Happening): Text {
  if (cause.by !== 'liquidation') return { sentence: `TWAP ${shortId(cause.order)} was due` };
  const { account, position, market } = cause;
  const whose = position === undefined ? `${account}` : `position ${position} of ${account} in ${market}`;
  const did = cause.idle === true ? ': the book has nothing to close it with' : '';
  return { sentence: `Liquidation of ${whose}${did}`, detail: `its ${marginText(cause)}` };
}

/** "sold 12,000 at 59,786.0 to 59,788.5 to trader-1 and trader-2". */
function tradesText(trades: readonly Happening[], markets: Markets, of: unknown): Text {
  const [first] = trades;
  const market = markets[String(first.market)];
  const taker = first.taker as TradeSide;
  const makers = [...new Set(trades.map(({ maker }) => (maker as TradeSide).account))];
  const size = sumOf(trades.map((trade) => String(trade.size)));
  const verb = pastVerbOf(first.takerSide);
  const subject = taker.order === of ? '' : `${taker.account} `;
  const others = makers.length > 3 ? [...makers.slice(0, 2), `${makers.length - 2} others`] : makers;
  const partners = `${first.takerSide === 'BUY' ? 'from' : 'to'} ${listed(others)}`;
  const prices = trades.map(({ price }) => String(price));
  const fee = sumOf(trades.map((trade) => (trade.taker as TradeSide).fee));
  const toFund = first.liquidation === true && fee !== '0';
  return {
    sentence: `${subject}${verb} ${sizeIn(market, size)} at ${pricesText(prices, market)} ${partners}`,
    ...(toFund && { detail: `fee of ${grouped(fee)} ${taker.feeCurrency} to the insurance fund` }),
  };
}

function moneyText(moves: readonly Happening[]): Text {
  const [{ reason, account, amount, currency, market }] = moves;
  const bare = grouped(String(amount).replace('-', ''));
  const pays = String(amount).startsWith('-');
  if (reason === 'funding') {
    const payers = moves.filter((move) => String(move.amount).startsWith('-'));
    const part = (some: readonly Happening[], verb: string) =>
      some.length === 0
        ? []
        : [
            `${counted(some.length, 'account')} ${verb} ${grouped(sumOf(some.map((move) => String(move.amount).replace('-', ''))))} ${currency}`,
          ];
    const receivers = moves.filter((move) => !payers.includes(move));
    return { sentence: `Funding of ${market}: ${listed([...part(payers, 'paid'), ...part(receivers, 'received')])}` };
  }
  if (reason === 'insurance') {
    return {
      sentence: pays
        ? `${account} gives ${bare} ${currency} to the insurance fund`
        : `The insurance fund pays ${bare} ${currency} for ${account}`,
    };
  }
  if (reason === 'realised') return { sentence: `${account} ${pays ? 'lost' : 'gained'} ${bare} ${currency}` };
  return { sentence: `${account} ${pays ? 'withdrew' : 'deposited'} ${bare} ${currency}` };
}

/** What happened to one order. Undefined: it is about no order. */
function ofOrder(head: Happening, markets: Markets): Text | undefined {
  const market = markets[String(head.market)];
  const figures = (head.figures ?? {}) as Figures;
  const name = sentence(`${nameOf(head)} of ${head.account}`);
  const left = head.remaining === undefined ? '' : sizeIn(market, head.remaining);
  switch (head.type) {
    case 'accepted': {
      if (head.liquidation === undefined) return { sentence: `${name} accepted` };
      const part = head.liquidation === 'partial' ? 'a quarter' : 'all';
      return { sentence: `${name}: ${head.side} ${sizeIn(market, head.size)}, ${part} of the position` };
    }
    case 'triggered':
      return { sentence: `${name} fired: ${reachedText(figures, market)}` };
    case 'started':
      return {
        sentence: figures.seen === undefined ? `${name} started` : `${name} started: ${reachedText(figures, market)}`,
      };
    case 'armed':
      return { sentence: `${name} is armed, with its stop at ${priceIn(market, head.trigger)}` };
    case 'repriced':
      return head.trigger === undefined
        ? { sentence: `${name} moved to ${priceIn(market, figures.price)}` }
        : { sentence: `${name} moved its stop to ${priceIn(market, head.trigger)}` };
    case 'rested':
      return { sentence: `${name} rests in the book, with ${left} left` };
    case 'reduced':
      return { sentence: `${name} reduced to ${left}` };
    case 'grown':
      return { sentence: `${name} now covers ${left}` };
    case 'waiting':
      return { sentence: `${name} waits again for its trigger, with ${left} left` };
    case 'amended':
      return { sentence: `${name} amended, with ${left} left` };
    case 'paused':
    case 'skipped':
      return { sentence: `${name} skipped part ${figures.part}: ${pausedText(figures, market)}` };
    case 'ended': {
      if (head.state === 'partlyFilled') return { sentence: `${name} is ${endText(head.state, null)}` };
      const ended = String(head.state);
      const rest = head.remaining === '0' ? '' : `, ${left} left`;
      const reason = head.reason === undefined ? '' : `: ${because(head.reason, figures, market)}`;
      return { sentence: `${name} ${ended}${rest}${reason}` };
    }
    case 'deleveraged': {
      const { account } = head.bankrupt as { readonly account: string };
      return {
        sentence: `Auto-deleveraging: ${sizeIn(market, head.size)} of ${head.account} closed against ${account}`,
        detail: 'neither the book nor the insurance fund could close the bankrupt position',
      };
    }
  }
  return undefined;
}

/** The accepted event has the role of an order among its terms. */
function nameOf(head: Happening): string {
  const { oco, attachedTo, trigger } = head as { oco?: OrderTerms; attachedTo?: OrderTerms; trigger?: OrderTerms };
  return orderName({ ...head, role: head.role ?? (oco ?? attachedTo)?.role, rule: head.rule ?? trigger?.rule });
}

interface OrderTerms {
  readonly role?: string;
  readonly rule?: string;
}

function ofVenue(alike: readonly Happening[], markets: Markets): Text | undefined {
  const [head] = alike;
  const { type, market, account, reference, price, before, rate } = head;
  const facts = markets[String(market)];
  switch (type) {
    case 'priceChanged': {
      const now = priceIn(facts, alike[alike.length - 1].price);
      const steps = alike.length === 1 ? '' : ` in ${alike.length} steps`;
      const from = before === undefined ? `is ${now}` : `${priceIn(facts, before)} → ${now}`;
      return { sentence: sentence(`${reference} of ${market} ${from}${steps}`) };
    }
    case 'priceHeld':
      return {
        sentence: sentence(`${reference} of ${market} stays: ${priceIn(facts, price)} is a jump`),
        detail: 'it takes effect when a second value confirms it',
      };
    case 'priceStale':
      return { sentence: `The index of ${market} is stale: its feed has stopped` };
    case 'priceFresh':
      return { sentence: `The index of ${market} is fresh again` };
    case 'fundingSet': {
      const who = rate === '0' ? '' : String(rate).startsWith('-') ? ': shorts pay longs' : ': longs pay shorts';
      return { sentence: `Funding rate of ${market} is ${percent(String(rate))}${who}` };
    }
    case 'transferred':
      return {
        sentence: `${account} transferred ${grouped(String(head.amount))} ${head.currency} from ${head.from} to ${head.to}`,
      };
    case 'termsChanged': {
      const changes = head.changes as readonly TermChange[] | undefined;
      const detail = changesDetail(changes);
      return { sentence: changedMarketText(market, changes), ...(detail !== undefined && { detail }) };
    }
    case 'accountChanged':
      return { sentence: changedAccountText(account, head.changes as readonly TermChange[] | undefined) };
    case 'stateReplaced':
      return { sentence: 'The state of the venue was replaced' };
  }
  return DONE[type] === undefined ? undefined : { sentence: `${market ?? account} ${DONE[type]}` };
}

const DONE: Readonly<Record<string, string>> = {
  marketListed: 'was listed',
  marketHalted: 'was halted',
  marketResumed: 'was resumed',
  marketDelisted: 'was delisted',
  accountCreated: 'was created',
  keyAdded: 'got an API key',
  keyRevoked: 'lost an API key',
};
