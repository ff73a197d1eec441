/** `bourse order`, `bourse cancel`, `bourse lookup`: signed calls from the shell, each printing the JSON reply. */
import { randomUUID } from 'node:crypto';
import { type Command, Option } from 'commander';
import type { OrderReference } from '../client/client.ts';
import { VenueError } from '../client/request.ts';
import { addExamples } from './examples.ts';
import { addReference, type OrderReferenceFlags, referenceOf } from './order-reference.ts';
import { say, UsageError } from './output.ts';
import { addWireOptions, type FlagOfField, printReply, type WireFlags, wireClient } from './wire-options.ts';

interface OrderFlags extends WireFlags {
  symbol: string;
  side: string;
  type: string;
  size?: string;
  quoteSize?: string;
  price?: string;
  tif?: string;
  clientId?: string;
  postOnly?: boolean;
  reduceOnly?: boolean;
  set: string[];
}

interface ReferenceFlags extends WireFlags, OrderReferenceFlags {
  symbol: string;
}

type OrderFlag = Exclude<keyof OrderFlags, keyof WireFlags | 'set'>;

/** The fields of an order, and the flags that they come from. */
const SPOT_FIELDS: Readonly<Record<string, OrderFlag>> = {
  symbol: 'symbol',
  orderSide: 'side',
  orderType: 'type',
  orderSize: 'size',
  quoteOrderSize: 'quoteSize',
  orderPrice: 'price',
  timeInForce: 'tif',
  clOrderId: 'clientId',
  postOnly: 'postOnly',
};
const FUTURES_FIELDS: Readonly<Record<string, OrderFlag>> = {
  symbol: 'symbol',
  side: 'side',
  type: 'type',
  size: 'size',
  price: 'price',
  time_in_force: 'tif',
  clOrderID: 'clientId',
  postOnly: 'postOnly',
  reduceOnly: 'reduceOnly',
};
const REFERENCE_FIELDS: FlagOfField = {
  symbol: '--symbol',
  orderId: '--order-id',
  orderID: '--order-id',
  clOrderId: '--client-id',
  clOrderID: '--client-id',
};

const PLAIN: readonly string[] = ['LIMIT', 'MARKET'];
const FUTURES: readonly string[] = ['LIMIT', 'MARKET', 'OCO', 'PEG'];

/** As tables show the venue's ids. */
const SHORT_ORDER_ID = /^[0-9a-f]{8}$/;

/** The code of spot v4 for an order that does not exist, or is no longer live. */
const NOT_FOUND = 16;

const LOST_CANCEL = 'the order may or may not be cancelled; it is safe to cancel it again';
const LOST_LOOKUP = 'try again';

/** What to do if the reply to a placement was lost. */
function lostOrder(symbol: string, clientId: string): string {
  const lookup = `bourse lookup --symbol ${symbol} --client-id ${clientId}`;
  return `the order may or may not be placed: see with ${lookup} before you send it again`;
}

export function addOrderCommands(program: Command): void {
  const order = program.command('order').description('place an order and print the reply');
  addExamples(order, [
    ['order --symbol BTC-USDT --side buy --type market --quote-size 100', 'spends 100 USDT'],
    ['order --symbol BTC-USDT --side buy --size 0.001 --price 59000 --client-id my-first', 'a limit order'],
    ['order --symbol ETH-PERP --side sell --type market --size 100', 'contracts of a perpetual'],
    ['order --symbol BTC-USDT --side buy --type twap --size 0.01 --set timePeriod=60', 'an algo'],
  ]);
  addWireOptions(order)
    .addOption(new Option('--symbol <symbol>', 'market, such as BTC-USDT or BTC-PERP').makeOptionMandatory())
    .addOption(new Option('--side <side>', 'buy or sell').makeOptionMandatory())
    .option(
      '--type <type>',
      'limit, market, oco, peg; on spot any algo of docs/algos.md (default: limit, or market without --price)',
    )
    .option('--size <size>', 'base currency on spot, contracts on futures')
    .option('--quote-size <amount>', 'amount to spend (spot market buys)')
    .option('--price <price>', 'limit price')
    .option('--tif <value>', 'time in force: GTC, IOC, FOK, …')
    .option('--client-id <id>', 'your own id for the order (default: a random one)')
    .option('--post-only', 'reject the order if it would match at once')
    .option('--reduce-only', 'only reduce the position (futures)')
    .option('--set <name=value>', 'any further field of the request, such as timePeriod=60; repeatable', collect, [])
    .action((flags: OrderFlags) => {
      const fields = Object.entries(fieldsOf(flags.symbol));
      const flagOfField = Object.fromEntries(fields.map(([field, flag]) => [field, flagText(flag)]));
      const clientId = clientIdOf(flags);
      const remedy = lostOrder(flags.symbol, clientId);
      return printReply({ url: flags.url, remedy, flagOfField, takesSet: true }, () => place({ ...flags, clientId }));
    });

  const cancel = program.command('cancel').description('cancel an order and print the reply');
  addExamples(cancel, [
    ['cancel --client-id my-first'],
    ['cancel --client-id my-hedge --symbol ETH-PERP', 'a futures order needs its market'],
    ['cancel --order-id 7c1e90aa-63de-4fb9-807e-e9ac8825bb86'],
  ]);
  addMarket(addReference(addWireOptions(cancel))).action((id: string | undefined, flags: ReferenceFlags, command) =>
    printReply({ url: flags.url, remedy: LOST_CANCEL, flagOfField: REFERENCE_FIELDS }, () => {
      const named = referenceOf(id, flags);
      const client = wireClient(flags);
      return isFutures(flags.symbol)
        ? client.cancelFuturesOrder(flags.symbol, named).catch(storyHint(flags.symbol, named))
        : client
            .cancelSpotOrder(flags.symbol, named)
            .catch(hint(command, `only ${flags.symbol} was searched`, otherSpot(named)))
            .catch(storyHint(flags.symbol, named));
    }),
  );

  const lookup = program.command('lookup').description('look an order up and print it');
  addExamples(lookup, [
    ['lookup --client-id my-first'],
    ['lookup --client-id my-hedge --symbol ETH-PERP', 'a futures order needs its market'],
    ['lookup --order-id 7c1e90aa-63de-4fb9-807e-e9ac8825bb86'],
  ]);
  addMarket(addReference(addWireOptions(lookup))).action((id: string | undefined, flags: ReferenceFlags, command) =>
    printReply({ url: flags.url, remedy: LOST_LOOKUP, flagOfField: REFERENCE_FIELDS }, async () => {
      const named = referenceOf(id, flags);
      const client = wireClient(flags);
      if (isFutures(flags.symbol)) return client.futuresOrder(named);
      const order = await client
        .spotOrder(named)
        .catch(hint(command, 'only spot orders were searched', 'such as --symbol BTC-PERP'))
        .catch(storyHint(flags.symbol, named));
      // A look-up needs only the id. If a market is given, the order must be in it.
      if (command.getOptionValueSource('symbol') === 'cli' && order.symbol !== flags.symbol) {
        throw new UsageError(`the order is on ${order.symbol}, not on ${flags.symbol}`);
      }
      return order;
    }),
  );
}

function addMarket(command: Command): Command {
  return command.option('--symbol <symbol>', 'market of the order; a futures order is found only with it', 'BTC-USDT');
}

/** For an order that was not found, if no market was given: says where it was searched. */
function hint(command: Command, searched: string, example: string): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof VenueError) || !isUnknown(error)) throw error;
    if (command.getOptionValueSource('symbol') !== 'cli') {
      say(`bourse: ${searched}: name the market of the order, ${example}`);
    }
    const [id = ''] = command.args;
    if (SHORT_ORDER_ID.test(id))
      say(`bourse: an order id has 36 characters: \`bourse story ${id}\` prints the whole one`);
    throw error;
  };
}

/** Also how the market of a spot order is found. */
function otherSpot({ orderId, clOrderId }: OrderReference): string {
  const flag = orderId === undefined ? `--client-id ${clOrderId}` : `--order-id ${orderId}`;
  return `such as --symbol ETH-USDT. \`bourse lookup ${flag}\` finds a spot order in any market, and shows which`;
}

/** How the refusal for an order ends that has ended. */
const ENDED = /: it ended as [A-Z_]+$/;

/** Says which command shows an order that has ended. */
function storyHint(symbol: string, { orderId, clOrderId }: OrderReference): (error: unknown) => never {
  return (error) => {
    if (error instanceof VenueError && ENDED.test(error.message)) {
      const { data } = error.body as { data?: { orderId?: string } };
      const id = data?.orderId ?? orderId ?? `--client-id ${clOrderId} --symbol ${symbol}`;
      say(`bourse: \`bourse story ${id}\` shows the order, and how it ended`);
    }
    throw error;
  };
}

/** An order that has ended is described in `data`. */
function isUnknown({ code, body }: VenueError): boolean {
  return code === NOT_FOUND && (body as { data?: unknown }).data === null;
}

function collect(value: string, before: string[]): string[] {
  return [...before, value];
}

function isFutures(symbol: string): boolean {
  return !/^[^-]+-[^-]+$/.test(symbol) || symbol.endsWith('-PERP');
}

function fieldsOf(symbol: string): Readonly<Record<string, OrderFlag>> {
  return isFutures(symbol) ? FUTURES_FIELDS : SPOT_FIELDS;
}

/** Every order has a client id. Without one, nobody could look up an order whose reply was lost. */
function clientIdOf({ symbol, clientId, set }: OrderFlags): string {
  const field = isFutures(symbol) ? 'clOrderID=' : 'clOrderId=';
  const given = set.findLast((pair) => pair.startsWith(field))?.slice(field.length);
  return given ?? clientId ?? randomUUID();
}

/** The flag as it is written: `clientId` is --client-id. */
function flagText(flag: OrderFlag): string {
  return `--${flag.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

async function place(flags: OrderFlags): Promise<unknown> {
  const type = (flags.type ?? (flags.price === undefined ? 'market' : 'limit')).toUpperCase();
  const futures = isFutures(flags.symbol);
  if (futures) refuseType(type);
  refuseOtherProduct(flags, futures);
  const client = wireClient(flags);
  const isFuturesPeg = futures && type === 'PEG';
  const values: Partial<OrderFlags> = {
    ...flags,
    side: flags.side.toUpperCase(),
    type: isFuturesPeg ? undefined : type,
    tif: flags.tif?.toUpperCase(),
  };
  const named = Object.entries(fieldsOf(flags.symbol)).map(([field, flag]) => [field, values[flag]]);
  const body = withoutAbsent({ ...Object.fromEntries(named), ...furtherFields(flags.set) });
  if (futures) return client.send('POST', `/futures/api/v2.3/order${isFuturesPeg ? '/peg' : ''}`, { body });
  return client.send('POST', `/spot/api/v4/trade/orders${PLAIN.includes(type) ? '' : '/algo'}`, { body });
}

/** Refuses a flag of the other product: it would have no effect, and the caller expects one. */
function refuseOtherProduct(flags: OrderFlags, futures: boolean): void {
  const [flag, product] = futures ? (['quoteSize', 'spot'] as const) : (['reduceOnly', 'futures'] as const);
  if (flags[flag] !== undefined)
    throw new UsageError(`${flagText(flag)} is for ${product}, and ${flags.symbol} is not`);
}

/**
 * For a type that only spot has, the error names its equivalent on futures. On spot, the venue's refusal lists its
 * algos.
 */
function refuseType(type: string): void {
  if (FUTURES.includes(type)) return;
  const hint = FUTURES_WAYS[type] ?? '';
  throw new UsageError(`--type ${type.toLowerCase()} is not one of ${FUTURES.join(', ').toLowerCase()}${hint}`);
}

const FUTURES_WAYS: Readonly<Record<string, string>> = {
  TRAILING: ': on futures it is --type market --set trailValue=100',
  CONDITIONAL: ': on futures it is --set txType=STOP (or TRIGGER) --set triggerPrice=59000',
  TWAP: ': TWAP is for spot',
};

/** name=value pairs. A value that is valid JSON (true, 60) is read as JSON, and anything else as text. */
function furtherFields(pairs: readonly string[]): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const pair of pairs) {
    const at = pair.indexOf('=');
    if (at < 1) throw new UsageError(`--set takes name=value, not ${pair}`);
    const text = pair.slice(at + 1);
    try {
      fields[pair.slice(0, at)] = JSON.parse(text);
    } catch {
      fields[pair.slice(0, at)] = text;
    }
  }
  return fields;
}

function withoutAbsent(body: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));
}
