/** The topics of the control stream by their names: `tickers`, `book:BTC-PERP`, `candles:BTC-PERP:5`, `orders:alice`. */
import { nearestName } from '../../../config/nearest.ts';
import { RESOLUTIONS } from '../../../market-data/resolution.ts';
import { ApiError, malformed, shortened } from '../../shared/errors.ts';
import { unknownMarket } from '../../shared/markets.ts';
import { BookTopic, CandlesTopic, FillsTopic, OrdersTopic, TradesTopic } from './row-topics.ts';
import { marketsTopic, positionsTopic, SystemTopic, tickersTopic, walletsTopic } from './state-topics.ts';
import type { Sources, Topic } from './topic.ts';

type Make = (sources: Sources, subject: string) => Topic;

const OF_VENUE: Readonly<Record<string, (sources: Sources) => Topic>> = {
  system: (sources) => new SystemTopic(sources),
  markets: marketsTopic,
  tickers: tickersTopic,
};

const OF_MARKETS: Readonly<Record<string, Make>> = {
  book: (sources, symbol) => new BookTopic(sources, symbol),
  trades: (sources, symbol) => new TradesTopic(sources, symbol),
};

const OF_ACCOUNTS: Readonly<Record<string, Make>> = {
  orders: (sources, account) => new OrdersTopic(sources, account),
  fills: (sources, account) => new FillsTopic(sources, account),
  positions: positionsTopic,
  wallets: walletsTopic,
};

const KINDS = [...Object.keys(OF_VENUE), ...Object.keys(OF_MARKETS), 'candles', ...Object.keys(OF_ACCOUNTS)];

/** @throws {ApiError} there is no such topic, market or account */
export function topicOf(sources: Sources, name: string): Topic {
  const [kind, ...rest] = name.split(':');
  const subject = rest.join(':');
  if (!KINDS.includes(kind)) throw unknownTopic(name, kind);
  if (Object.hasOwn(OF_VENUE, kind)) {
    if (rest.length > 0) throw malformed('topics', `has ${shortened(name)}`, `it is ${kind}`);
    return OF_VENUE[kind](sources);
  }
  if (kind === 'candles') return candlesTopic(sources, name, rest);
  if (Object.hasOwn(OF_MARKETS, kind)) {
    requireMarket(sources, subject);
    return OF_MARKETS[kind](sources, subject);
  }
  if (sources.engine.venue.accountByName(subject) === undefined) {
    throw new ApiError('unknownAccount', { account: shortened(subject), hint: `; a topic is ${kind}:ACCOUNT` });
  }
  return OF_ACCOUNTS[kind](sources, subject);
}

function candlesTopic(sources: Sources, name: string, parts: readonly string[]): Topic {
  const [symbol = '', minutes = '1'] = parts;
  requireMarket(sources, symbol);
  if (parts.length > 2) throw malformed('topics', `has ${shortened(name)}`, 'a topic is candles:SYMBOL:MINUTES');
  const resolution = RESOLUTIONS.find((each) => String(each) === minutes);
  if (resolution !== undefined) return new CandlesTopic(sources, symbol, resolution);
  throw malformed('topics', `has ${shortened(name)}`, `minutes are ${RESOLUTIONS.join(', ')}`);
}

function requireMarket({ engine }: Sources, symbol: string): void {
  if (engine.venue.marketBySymbol(symbol) === undefined) throw unknownMarket(engine.venue, shortened(symbol), null);
}

function unknownTopic(name: string, kind: string): ApiError {
  const close = nearestName(kind, KINDS);
  const hint = close === null ? `there are ${KINDS.join(', ')}` : `did you mean ${close}?`;
  return malformed('topics', `has ${shortened(name)}, which is no topic`, hint);
}
