/**
 * What clients read and no answer has, each with the reason why it is not served. `npm run clients` fails when a client reads
 * another one: serve it if BTSE does, or say here why not.
 */
import type { AbsentField } from './reads.ts';

interface Listed {
  readonly clients: readonly string[];
  /** All routes and topics without it. */
  readonly at?: RegExp;
  /** All functions without it. */
  readonly by?: RegExp;
  readonly fields: readonly string[];
  readonly why: string;
}

const CCXT = ['ccxt', 'ccxt-limited'];

export const ABSENT_FIELDS: readonly Listed[] = [
  {
    clients: CCXT,
    by: /^handle_errors$/,
    fields: ['code', 'errorCode', 'status', 'success', 'error'],
    why: 'It looks for the error of either surface in every answer, also in one that is right.',
  },
  {
    clients: CCXT,
    at: /\/trade\/order$/,
    by: /^fetch_open_order$/,
    fields: ['data'],
    why: 'It takes the order in an envelope too. BTSE sends the object itself.',
  },
  {
    clients: CCXT,
    by: /^parse_order$/,
    fields: ['reduceOnly'],
    why: 'No spot order has it, nor a record of v2.3 that is placed, amended or cancelled.',
  },
  {
    clients: CCXT,
    at: /\/spot\/api\/v4\/|POST \/futures\/api\/v3\/trade\/orders$/,
    by: /^parse_order$/,
    fields: ['triggerOriginalPrice/triggerPrice'],
    why: 'The records of placed orders of these versions have no trigger price; only looked up and open orders have one.',
  },
  {
    clients: CCXT,
    at: /GET \/spot\/api\/v4\/trade\/orders?$/,
    by: /^parse_order$/,
    fields: ['postOnly'],
    why: 'Spot v4 says it of placed orders, and not of those that are looked up.',
  },
  {
    clients: CCXT,
    at: /market\/v1\/trades$/,
    by: /^parse_trade$/,
    fields: ['positionId/symbol', 'feeAmount', 'orderType/type', 'orderId'],
    why: 'One function reads public and own trades. These are of own trades.',
  },
  {
    clients: CCXT,
    at: /wallet\/v1\/user\/assets$/,
    by: /^parse_balance$/,
    fields: ['assets'],
    why: 'One function reads the balances of spot and of futures. This is of futures.',
  },
  {
    clients: ['btse-mcp'],
    at: /user\/positions$/,
    by: /^call_tool$/,
    fields: ['leverage'],
    why: "BTSE's positions have isolatedLeverage and currentLeverage.",
  },
  {
    clients: ['vnpy'],
    by: /^on_packet$/,
    fields: ['errors', 'event'],
    why: 'It asks each frame what it is.',
  },
  {
    clients: ['btse-sdk'],
    by: /^process_message$/,
    fields: ['topic'],
    why: 'It asks each frame what it is.',
  },
  {
    clients: ['btse-sdk'],
    at: /open_orders$/,
    by: /^_request$/,
    fields: ['error', 'message'],
    why: "It reads futures' form of an error on spot too, and shows the whole text without it.",
  },
  {
    clients: ['gocryptotrader'],
    at: /\/futures\/.*\/market_summary$/,
    by: /^MarketPair$/,
    fields: ['isMarketOpenToOtc', 'isMarketOpenToSpot'],
    why: 'One type is for spot and futures. These are of spot.',
  },
  {
    clients: ['gocryptotrader'],
    at: /\/trades$/,
    by: /^Trade$/,
    fields: ['type'],
    why: "BTSE's public trades have none. Nothing in the wrapper uses it.",
  },
  {
    clients: ['gocryptotrader'],
    at: /withdraw$/,
    by: /^WithdrawalResponse$/,
    fields: ['withdraw_id'],
    why: 'Withdrawals are refused.',
  },
  {
    clients: ['samples'],
    at: /^event (login|subscribe)$/,
    by: /^on_?message$/,
    fields: [
      'topic',
      'data',
      'clOrderId',
      'symbol',
      'timestamp',
      'buyQuantity',
      'buyUnitPrice',
      'sellQuantity',
      'sellUnitPrice',
    ],
    why: 'Some scripts take every frame for one with data.',
  },
  {
    clients: ['samples'],
    at: /\/otc\/api\/v1\/quote$/,
    fields: ['quoteId', 'status'],
    why: 'Over-the-counter trades are refused.',
  },
];

/** Which of the absent fields that a client reads have a reason; and the rows that no field needs. */
export function judgeAbsent(client: string, absent: readonly AbsentField[]) {
  const rows = ABSENT_FIELDS.filter(({ clients }) => clients.includes(client));
  const isOf = (row: Listed, { at, by, field }: AbsentField) =>
    (row.at?.test(at) ?? true) && (row.by?.test(by) ?? true) && row.fields.includes(field);
  const listed = absent.filter((field) => rows.some((row) => isOf(row, field)));
  const unlisted = absent.filter((field) => !listed.includes(field));
  const unused = rows.filter((row) => !absent.some((field) => isOf(row, field)));
  return { listed, unlisted, unused };
}
