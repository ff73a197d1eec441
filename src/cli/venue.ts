/**
 * What is in a running venue, and the tester's hand on it, through the control surface: `bourse account`, `book`, `orders`, `price`
 * and `advance`.
 */
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { ControlClient, DueItem, OpenOrder } from '../client/control.ts';
import { parseDuration } from '../config/times.ts';
import { ASK_AGAIN, addControlOptions, controlClient } from './control-options.ts';
import { UsageError } from './output.ts';
import { addJsonOption, type ShowFlags, show } from './show.ts';
import { accountText, bookText, clockText, ordersText, previewText } from './venue-text.ts';

const LOST_PRICE = 'the price may or may not be set: setting it again is safe';
const LOST_ADVANCE = 'the clock may or may not have moved: GET /clock of the control surface says where it is';
/** The most orders in a list. */
const MOST_ORDERS = 100;
const MOST_LEVELS = 1000;

export function addVenueCommands(program: Command): void {
  command(program, 'account <name>', 'show balances, positions and open orders of an account', [
    'bourse account alice                 balances, positions, open orders',
    'bourse account alice --json | jq .balances.USDT.available',
  ]).action((name: string, flags: ShowFlags) =>
    show(
      flags,
      reading,
      () => readAccount(controlClient(flags), name),
      (account) => accountText(name, account),
    ),
  );

  command(program, 'book <symbol>', 'show the best levels of a book', [
    'bourse book BTC-PERP                 ten levels of each side',
    'bourse book BTC-PERP --levels 50',
  ])
    .addOption(new Option('--levels <n>', 'levels of each side, at most 1000').default(10).argParser(levels))
    .action((symbol: string, flags: ShowFlags & { levels: number }) =>
      show(flags, reading, () => controlClient(flags).book(symbol, flags.levels), bookText),
    );

  command(program, 'orders', 'list open orders, with what each algo is doing and the place in the queue', [
    'bourse orders                        of all accounts, at most 100',
    'bourse orders --account alice --symbol BTC-PERP',
    'bourse orders --json | jq \'.orders[] | select(.kind == "twap")\'',
  ])
    .option('--account <name>', 'only those of this account')
    .option('--symbol <symbol>', 'only those of this market')
    .action((flags: ShowFlags & { account?: string; symbol?: string }) =>
      show(flags, reading, () => readOrders(controlClient(flags), flags), ordersText),
    );

  command(program, 'price <symbol> <value>', 'set a price of a market, or see what it would set off', [
    'bourse price BTC-PERP 60000          the index; the mark follows it',
    'bourse price BTC-PERP 59000 --as mark --preview     what that would fire and liquidate; sets nothing',
    'bourse price BTC-PERP release --as mark             a mark that was set follows the index again',
  ])
    .addOption(new Option('--as <which>', 'which price').choices(['index', 'mark', 'last']).default('index'))
    .option('--preview', 'only say what it would set off')
    .action((symbol: string, value: string, flags: PriceFlags) => setPrice(symbol, value, flags));

  command(program, 'advance [duration]', 'move a manual clock', [
    'bourse advance 1h30m                 everything that is due on the way happens',
    'bourse advance --to-next             to what is due next, and says what that was',
  ])
    .option('--to-next', 'to what is due next')
    .action((duration: string | undefined, flags: ShowFlags & { toNext?: boolean }) => advance(duration, flags));
}

const reading = { remedy: ASK_AGAIN, flagOfField: {} };

function command(program: Command, usage: string, description: string, examples: readonly string[]): Command {
  return addJsonOption(addControlOptions(program.command(usage).description(description))).addHelpText(
    'after',
    `\nExamples:\n${examples.map((line) => `  ${line}`).join('\n')}`,
  );
}

function levels(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1 && value <= MOST_LEVELS) return value;
  throw new InvalidArgumentError(`give a number from 1 to ${MOST_LEVELS}.`);
}

async function readAccount(client: ControlClient, name: string) {
  const [account, { orders }] = await Promise.all([client.account(name), client.openOrders(name)]);
  return { ...account, orders };
}

interface Which {
  readonly account?: string;
  readonly symbol?: string;
}

/** `more`: there are others. */
async function readOrders(client: ControlClient, { account, symbol }: Which) {
  const found: OpenOrder[] = [];
  for await (const name of account === undefined ? allAccounts(client) : [account]) {
    const limit = MOST_ORDERS + 1 - found.length;
    const { orders } = await client.openOrders(name, { limit }, symbol);
    found.push(...orders);
    if (found.length > MOST_ORDERS) break;
  }
  return { orders: found.slice(0, MOST_ORDERS), more: found.length > MOST_ORDERS };
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
