/**
 * The history of an account's wallets, as spot v3.3, futures v2.3 and wallet v1 show it. It comes from the archive.
 *
 * There is one wallet, under two names: SPOT@ has deposits, withdrawals and transfers, CROSS@ what happened on futures
 * outside of ISOLATED. A futures trade is one record: the result that it realised, and its fee. Spot trades are in the
 * history of trades.
 *
 * Rows are newest first. Without startTime the window is the last seven days. A longer window is cut to its last thirty.
 */
import type { WalletKind, WalletReason, WalletRecord } from '../../archive/read/account-ledger.ts';
import { DAY_MS } from '../../config/times.ts';
import type { Decimal } from '../../venue/contract/decimal.ts';
import type { MarketView } from '../../venue/views.ts';
import { difference, exactNumber } from '../orders/order-records.ts';
import { CROSS_WALLET, isolatedWalletName, SPOT_WALLET } from '../positions/position-records.ts';
import { malformed, shortened } from '../shared/errors.ts';
import { decimal, optional } from '../shared/fields.ts';
import { NamedTerms } from '../shared/named-terms.ts';
import type { Call } from '../shared/surface.ts';
import { instant, noteKnownFrom, type WindowRequest, windowOf } from '../shared/time-window.ts';

const DEFAULT_WINDOW_MS = 7 * DAY_MS;
const LONGEST_WINDOW_MS = 30 * DAY_MS;
const DEFAULT_COUNT = 50;
const MOST = 500;

/** What a reason is called in each version of the history. */
interface Type {
  readonly wallet: string;
  readonly spot: string;
  /** The number of the interface. */
  readonly futures: number;
  /** True: the names say whether money came or went, so the amount beside them is positive. */
  readonly unsigned: boolean;
  readonly description: string;
}

const TYPES: Readonly<Record<WalletReason, Type>> = {
  deposit: { wallet: 'DEPOSIT', spot: 'Deposit', futures: 105, unsigned: true, description: 'Deposit' },
  withdrawal: { wallet: 'WITHDRAW', spot: 'Withdraw', futures: 105, unsigned: true, description: 'Withdrawal' },
  transferIn: { wallet: 'TRANSFER_IN', spot: 'Transfer_In', futures: 105, unsigned: true, description: 'Transfer' },
  transferOut: { wallet: 'TRANSFER_OUT', spot: 'Transfer_Out', futures: 105, unsigned: true, description: 'Transfer' },
  realised: {
    wallet: 'REALIZED_PNL',
    spot: 'Realized PnL',
    futures: 108,
    unsigned: false,
    description: 'Trade: realised result and fee',
  },
  liquidation: {
    wallet: 'LIQUIDATION',
    spot: 'Liquidation',
    futures: 106,
    unsigned: false,
    description: 'Liquidation: realised result and fee',
  },
  autoDeleveraging: {
    wallet: 'AUTO_DELEVERAGING',
    spot: 'Auto Deleveraging',
    futures: 1004,
    unsigned: false,
    description: 'Auto-deleveraging: realised result',
  },
  funding: { wallet: 'FUNDING', spot: 'Funding', futures: 110, unsigned: false, description: 'Funding' },
  insurance: {
    wallet: 'INSURANCE_FUND',
    spot: 'Insurance Fund',
    futures: 106,
    unsigned: false,
    description: 'Paid to (negative) or by the insurance fund',
  },
};

/** Types of BTSE that nothing here causes. Clients ask for them, and their lists are empty. */
const OTHER_TYPES = [
  'CONVERT',
  'ASSET_CONVERSION',
  'SEND',
  'RECEIVE',
  'REFERRAL',
  'PAID',
  'GET_PAID',
  'SUB_ACCOUNT_TRANSFER_IN',
  'SUB_ACCOUNT_TRANSFER_OUT',
  'INVEST',
  'REDEEM',
];

/** The types that a request may ask for. */
export const HISTORY_TYPES: readonly string[] = [...Object.values(TYPES).map(({ wallet }) => wallet), ...OTHER_TYPES];

export const HISTORY_FIELDS = {
  startTime: instant('Epoch milliseconds; default: seven days before the end; earliest: thirty'),
  endTime: instant('Epoch milliseconds; default: now'),
};
export const HISTORY_COUNT = optional(
  decimal(`How many at most; default ${DEFAULT_COUNT}`, { min: 1, max: MOST, whole: true }),
);

export interface HistoryRequest extends WindowRequest {
  readonly count?: Decimal;
  readonly wallets: readonly WalletKind[];
  /** Only the isolated wallet of this market. */
  readonly market?: MarketView | null;
  readonly currency?: string | null;
  /** What the request calls the currency, for errors; default: currency. */
  readonly currencyField?: string;
  /** Types of wallet v1. Null: all. */
  readonly types?: readonly string[] | null;
}

/** A record, and whose it is. */
export interface AccountRecord {
  readonly terms: NamedTerms;
  /** The name of the account. */
  readonly account: string;
  readonly record: WalletRecord;
}

/** Throws malformed for times that contradict each other, and busy if the archive does not catch up with the venue. */
export async function walletRecords(call: Call, request: HistoryRequest): Promise<AccountRecord[]> {
  const { wallets, market = null, currency = null, types = null, count } = request;
  if (currency !== null) knownCurrency(call, request.currencyField ?? 'currency', currency);
  const longestMs = request.startTime === undefined ? DEFAULT_WINDOW_MS : LONGEST_WINDOW_MS;
  const reasons = Object.keys(TYPES) as WalletReason[];
  const [terms, account] = [new NamedTerms(call), call.venue.account(call.account)?.name ?? ''];
  const records = await call.archive.wallet({
    account,
    ...windowOf(request, call.engine.nowMs(), longestMs),
    wallets,
    market: market?.symbol ?? null,
    currency,
    reasons: types === null ? null : reasons.filter((reason) => types.includes(TYPES[reason].wallet)),
    limit: count === undefined ? DEFAULT_COUNT : Number(count.coefficient),
  });
  noteKnownFrom(call);
  return records.map((record) => ({ terms, account, record }));
}

function walletName({ terms, record: { wallet, market } }: AccountRecord): string {
  if (wallet === 'SPOT') return SPOT_WALLET;
  if (wallet === 'CROSS' || market === null) return CROSS_WALLET;
  return isolatedWalletName(terms.market(market));
}

function knownCurrency({ venue }: Call, field: string, code: string): void {
  if (venue.currencies.some((currency) => currency.code === code)) return;
  const known = venue.currencies.map((currency) => currency.code).join(', ');
  throw malformed(field, `is ${JSON.stringify(shortened(code))}`, `give one of ${known}`);
}

/** The market of the name of an isolated wallet. Throws malformed for other names. */
export function isolatedMarket(call: Call, field: string, name: string): MarketView {
  const market = call.venue.markets.find((each) => each.product === 'futures' && isolatedWalletName(each) === name);
  if (market !== undefined) return market;
  throw malformed(field, `is ${JSON.stringify(name)}`, `use ${CROSS_WALLET}, or a name such as ISOLATED@BTC-PERP-USDT`);
}

/** The amount beside the name of a type. */
function amountOf({ amount, reason }: WalletRecord): string {
  return TYPES[reason].unsigned && amount.startsWith('-') ? amount.slice(1) : amount;
}

function descriptionOf({ reason, market }: WalletRecord): string {
  return market === null ? TYPES[reason].description : `${TYPES[reason].description} (${market})`;
}

/** A row of spot v3.3 and futures v2.3. They differ in `amount`, `type` and `status`. */
function legacyRow(found: AccountRecord): object {
  const { account, record } = found;
  return {
    currency: record.currency,
    description: descriptionOf(record),
    fees: exactNumber(record.fee),
    orderId: String(record.n),
    timestamp: record.timeMs,
    username: account,
    wallet: walletName(found),
    txid: '',
    currencyNetwork: '',
  };
}

export function spotHistoryRow(found: AccountRecord): object {
  const { record } = found;
  const amount = exactNumber(amountOf(record));
  return { ...legacyRow(found), amount, status: 'COMPLETED', type: TYPES[record.reason].spot };
}

const STATUS_COMPLETED = 10;

/** A number of a type does not say the direction, so amounts have their sign. */
export function futuresHistoryRow(found: AccountRecord): object {
  const { record } = found;
  const amount = exactNumber(record.amount);
  return { ...legacyRow(found), amount, status: STATUS_COMPLETED, type: TYPES[record.reason].futures };
}

/** A row of wallet v1. Amounts are text. */
export function walletV1Row(found: AccountRecord): object {
  const { terms, record } = found;
  const amount = amountOf(record);
  return {
    transactionTime: record.timeMs,
    type: TYPES[record.reason].wallet,
    walletName: walletName(found),
    asset: record.currency,
    netAmount: difference(amount, record.fee, terms.decimals(record.currency)),
    amount,
    transactionRef: String(record.n),
    status: 'COMPLETED',
    description: descriptionOf(record),
    fees: record.fee,
    cryptoNetwork: '',
    toAddress: '',
    confirmTimes: '',
    txId: '',
  };
}
