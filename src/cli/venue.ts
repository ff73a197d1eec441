/**
 * What is in a running venue, and the tester's hand on it, through the control surface: `bourse account`, `book`, `orders`, `price`
 * and `advance`.
 */
import { type Command, Option } from 'commander';
import type { ControlClient, DueItem, Order } from '../client/control.ts';
import { parseDuration } from '../config/times.ts';
import { ASK_AGAIN, controlClient, countUpTo, demoAccounts } from './control-options.ts';
import { type EndedOrders, endedText, readEnded } from './ended-orders.ts';
import { addCall } from './groups.ts';
import { UsageError } from './output.ts';
import { type ShowFlags, show } from './show.ts';
import {
  accountsText,
  accountText,
  bookText,
  clockText,
  type FoundOrders,
  foundOrdersText,
  previewText,
} from './venue-text.ts';

const LOST_PRICE = 'the price may or may not be set: setting it again is safe';
const LOST_ADVANCE = 'the clock may or may not have moved: GET /clock of the control surface says where it is';
const MOST_LEVELS = 1000;
/** How much of the ledger an account shows. */
const LATEST_ENTRIES = 10;
/** How many orders are shown, and how many are counted to say how many are not. */
const ORDERS = { usual: 50, most: 1000 };

export function addVenueCommands(program: Command): void {
  addCall(program, 'account [name]', 'show what an account has and what last moved its money, or list the accounts', [
    ['account', 'the accounts'],
    ['account demo-1', 'what one has, and what last moved its money'],
    ['account demo-1 --json | jq .balances.USDT.available'],
  ]).action((name: string | undefined, flags: ShowFlags) =>
    name === undefined
      ? show(flags, reading, () => controlClient(flags).accounts(), accountsText)
      : show(
          flags,
          reading,
          () => readAccount(controlClient(flags), name),
          (account) => accountText(name, account),
        ),
  );

  addCall(program, 'book <symbol>', 'show the best levels of a book', [
    ['book BTC-PERP', 'ten levels of each side'],
    ['book BTC-PERP --levels 50'],
  ])
    .addOption(
      new Option('--levels <n>', `levels of each side, at most ${MOST_LEVELS}`)
        .default(10)
        .argParser(countUpTo(MOST_LEVELS)),
    )
    .action((symbol: string, flags: ShowFlags & { levels: number }) =>
      show(flags, reading, () => controlClient(flags).book(symbol, flags.levels), bookText),
    );

  addCall(
    program,
    'orders',
    'list open orders, with what each algo is doing and the place in the queue, or ended ones',
    [
      ['orders', 'of the demo accounts; without a demo, of all accounts'],
      ['orders --account demo-1 --symbol BTC-PERP'],
      ['orders --all', "also those of the demo's synthetic traders"],
      ['orders --ended --account demo-1', 'the ended ones, the newest first, with how each ended'],
      ['orders --json | jq \'.orders[] | select(.kind == "twap")\''],
    ],
  )
    .option('--account <name>', 'only those of this account')
    .addOption(new Option('--all', 'those of all accounts').conflicts('account'))
    .option('--ended', 'the orders that have ended, and how')
    .option('--symbol <symbol>', 'only those of this market')
    .addOption(
      new Option('--limit <n>', `the most orders, up to ${ORDERS.most}`)
        .default(ORDERS.usual)
        .argParser(countUpTo(ORDERS.most)),
    )
    .action((flags: OrdersFlags) =>
      flags.ended === true
        ? show(flags, reading, () => endedOrders(flags), endedText)
        : show(flags, reading, () => openOrders(flags), foundOrdersText),
    );

  addCall(program, 'price <symbol> <value>', 'set a price of a market, or see what it would set off', [
    ['price BTC-PERP 60000', 'the index; the mark follows it'],
    ['price BTC-PERP 59000 --as mark --preview', 'what that would fire and liquidate; sets nothing'],
    ['price BTC-PERP release --as mark', 'a mark that was set follows the index again'],
  ])
    .addOption(new Option('--as <which>', 'which price').choices(['index', 'mark', 'last']).default('index'))
    .option('--preview', 'only say what it would set off')
    .action((symbol: string, value: string, flags: PriceFlags) => setPrice(symbol, value, flags));

  addCall(program, 'advance [duration]', 'move a manual clock', [
    ['advance 1h30m', 'everything that is due on the way happens'],
    ['advance --to-next', 'to what is due next, and says what that was'],
  ])
    .option('--to-next', 'to what is due next')
    .action((duration: string | undefined, flags: ShowFlags & { toNext?: boolean }) => advance(duration, flags));
}

const reading = { remedy: ASK_AGAIN, flagOfField: {} };

async function readAccount(client: ControlClient, name: string) {
  const [account, { orders }, { entries }] = await Promise.all([
    client.account(name),
    client.openOrders(name),
    client.ledger(name, { limit: LATEST_ENTRIES, newest: true }),
  ]);
  return { ...account, orders, ledger: entries };
}

interface OrdersFlags extends ShowFlags {
  readonly account?: string;
  readonly all?: boolean;
  readonly ended?: boolean;
  readonly symbol?: string;
  readonly limit: number;
}

/** Null: all. */
function accountsOf(flags: OrdersFlags): readonly string[] | null {
  if (flags.account !== undefined) return [flags.account];
  return flags.all === true ? null : demoAccounts(flags);
}

async function endedOrders(flags: OrdersFlags): Promise<EndedOrders> {
  const client = controlClient(flags);
  const accounts = accountsOf(flags);
  // The venue refuses a market that does not exist, and knows a market by its id, too.
  const market = flags.symbol === undefined ? undefined : await client.book(flags.symbol, 1);
  const found = await readEnded(client, accounts ?? allAccounts(client), flags.limit, market?.symbol);
  return { ...found, ...(accounts !== null && { accounts }) };
}

async function openOrders(flags: OrdersFlags): Promise<FoundOrders> {
  const { symbol, limit } = flags;
  const client = controlClient(flags);
  const accounts = accountsOf(flags);
  const found: Order[] = [];
  let more = false;
  for await (const name of accounts ?? allAccounts(client)) {
    const page = await client.openOrders(name, { limit: ORDERS.most }, symbol);
    found.push(...page.orders);
    more ||= page.next !== undefined;
    if (found.length >= ORDERS.most) break;
  }
  return {
    orders: found.slice(0, limit),
    ...(accounts !== null && { accounts }),
    notShown: Math.max(0, found.length - limit),
    more: more || found.length >= ORDERS.most,
  };
}

async function* allAccounts(client: ControlClient): AsyncGenerator<string> {
  let after: string | undefined;
  do {
    const page = await client.accounts({ limit: 1000, ...(after !== undefined && { after }) });
    for (const { account } of page.accounts) yield account;
    after = page.next;
  } while (after !== undefined);
}

interface PriceFlags extends ShowFlags {
  as: 'index' | 'mark' | 'last';
  preview?: boolean;
}

async function setPrice(symbol: string, value: string, flags: PriceFlags): Promise<void> {
  const isRelease = value === 'release';
  if (isRelease && flags.as !== 'mark') throw new UsageError('only a mark can be released: give --as mark');
  const prices = { [flags.as]: isRelease ? null : value };
  const options = { remedy: LOST_PRICE, flagOfField: { [flags.as]: 'the value' } };
  if (flags.preview === true) {
    await show(flags, reading, () => controlClient(flags).previewPrices(symbol, prices), previewText);
    return;
  }
  const set = () => controlClient(flags).request('POST', '/prices', { symbol, ...prices }) as Promise<{ seq: number }>;
  await show(flags, options, set, ({ seq }) => `${flags.as} of ${symbol}: ${value} (seq ${seq})`);
}

async function advance(duration: string | undefined, flags: ShowFlags & { toNext?: boolean }): Promise<void> {
  const toNext = flags.toNext === true;
  if ((duration === undefined) !== toNext) {
    throw new UsageError('give a duration such as 1h30m, or --to-next');
  }
  if (duration !== undefined && parseDuration(duration) === null) {
    throw new UsageError(`${duration} is no duration: give one such as 90s, 1h30m or 2d`);
  }
  const body = toNext ? { toNextDue: true } : { advance: duration };
  const move = () => controlClient(flags).request('POST', '/clock', body) as Promise<Moved>;
  await show(flags, { remedy: LOST_ADVANCE, flagOfField: { advance: 'the duration' } }, move, clockText);
}

interface Moved {
  readonly time: number;
  readonly seq: number;
  readonly due?: readonly DueItem[];
}
