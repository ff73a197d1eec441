/**
 * The commands that are written field by field in payload format 2: those that clients and feeds send in numbers. Every
 * other command is written as JSON (`JSON_SHAPE`), and so is a command with a field or a value that is not in its shape.
 * So this table needs no change for a new command or field. It may get a new shape, if there are many of them.
 *
 * What is here is in logs for ever (fields.ts).
 */
import type {
  Advance,
  Amend,
  AttachOrders,
  Cancel,
  CancelAll,
  CancelAllAfter,
  Command,
  Deposit,
  PlaceConditional,
  PlaceLimit,
  PlaceMarket,
  PlaceOco,
  PlacePeg,
  PlaceTrailing,
  PlaceTwap,
  PlayMarket,
  SetLeverage,
  SetPositionMode,
  SetPrices,
  SetRiskLimit,
  Tick,
} from '../../../venue/contract/commands.ts';
import { oneOf, optional, orNull, type Shape, shape, written } from './fields.ts';

/** The number of a command that is written as JSON. */
export const JSON_SHAPE = 0;

const count = written('count');
const whole = written('whole');
const text = written('text');
const shared = written('shared');
const bool = oneOf(false, true);
const side = oneOf(0, 1);
const product = oneOf('spot', 'futures');
const reference = oneOf('mark', 'index', 'last');
const positionMode = oneOf('ONE_WAY', 'HEDGE', 'ISOLATED');
const timeInForce = oneOf(
  'GTC',
  'IOC',
  'FOK',
  'HALFSEC',
  'HALFMIN',
  'FIVEMIN',
  'HOUR',
  'TWELVEHOUR',
  'DAY',
  'WEEK',
  'MONTH',
);
const terms = written({ price: count, reference });
const signed = optional(written({ key: shared, nonceMs: written('near') }));

const place = {
  account: count,
  market: count,
  side,
  clientId: orNull(text),
  request: orNull(text),
  broker: orNull(shared),
};
const position = { signed, positionMode: optional(orNull(positionMode)), position: optional(orNull(count)) };
const attached = { takeProfit: optional(orNull(terms)), stopLoss: optional(orNull(terms)) };
const ofMarket = { account: count, market: count };
const ofProduct = { account: count, product };

export const SHAPES: readonly Shape[] = [
  shape<PlaceLimit & Command>(
    1,
    { type: 'place', kind: 'limit' },
    { ...place, price: count, size: count, timeInForce, postOnly: bool, reduceOnly: bool, ...position, ...attached },
  ),
  shape<PlaceMarket & Command>(
    2,
    { type: 'place', kind: 'market' },
    {
      ...place,
      size: orNull(count),
      quote: orNull(text),
      reduceOnly: bool,
      timeInForce: optional(orNull(timeInForce)),
      ...position,
      ...attached,
    },
  ),
  shape<PlaceConditional & Command>(
    3,
    { type: 'place', kind: 'conditional' },
    {
      ...place,
      rule: oneOf('stop', 'profit', 'reach'),
      trigger: count,
      reference,
      price: orNull(count),
      size: orNull(count),
      quote: orNull(text),
      timeInForce,
      postOnly: bool,
      reduceOnly: bool,
      ...position,
      ...attached,
    },
  ),
  shape<PlaceOco & Command>(
    4,
    { type: 'place', kind: 'oco' },
    {
      ...place,
      size: count,
      price: count,
      stopTrigger: count,
      stopReference: reference,
      stopPrice: count,
      timeInForce,
      postOnly: bool,
      reduceOnly: bool,
      ...position,
    },
  ),
  shape<PlaceTrailing & Command>(
    5,
    { type: 'place', kind: 'trailing' },
    {
      ...place,
      distance: orNull(count),
      percent: orNull(count),
      reference,
      size: orNull(count),
      quote: orNull(text),
      activation: orNull(count),
      activationReference: orNull(reference),
      reduceOnly: bool,
      timeInForce: optional(orNull(timeInForce)),
      ...position,
    },
  ),
  shape<PlacePeg & Command>(
    6,
    { type: 'place', kind: 'peg' },
    { ...place, price: count, size: count, stealth: whole, deviation: whole, ...position },
  ),
  shape<PlaceTwap & Command>(
    7,
    { type: 'place', kind: 'twap' },
    {
      ...place,
      size: count,
      periodMs: count,
      makerFirst: bool,
      randomizeSize: bool,
      maxChildSize: orNull(count),
      maxSpread: orNull(count),
      maxThroughBook: orNull(count),
      pausePrice: orNull(count),
      activation: orNull(count),
      activationReference: orNull(reference),
      ...position,
    },
  ),
  shape<Cancel & Command>(
    8,
    { type: 'cancel' },
    { ...ofProduct, market: orNull(count), order: orNull(count), clientId: orNull(text), signed },
  ),
  shape<CancelAll & Command>(9, { type: 'cancelAll' }, { ...ofProduct, market: orNull(count), signed }),
  shape<Amend & Command>(
    10,
    { type: 'amend' },
    {
      ...ofProduct,
      market: orNull(count),
      order: orNull(count),
      clientId: orNull(text),
      price: orNull(count),
      size: orNull(count),
      totalSize: bool,
      trigger: orNull(count),
      signed,
    },
  ),
  shape<CancelAllAfter & Command>(11, { type: 'cancelAllAfter' }, { ...ofProduct, timeoutMs: count, signed }),
  shape<SetLeverage & Command>(
    12,
    { type: 'setLeverage' },
    { ...ofMarket, margin: oneOf('CROSS', 'ISOLATED'), leverage: count, position: orNull(count), signed },
  ),
  shape<SetRiskLimit & Command>(13, { type: 'setRiskLimit' }, { ...ofMarket, level: count, signed }),
  shape<SetPositionMode & Command>(14, { type: 'setPositionMode' }, { ...ofMarket, mode: positionMode, signed }),
  shape<AttachOrders & Command>(
    15,
    { type: 'attachBrackets' },
    { ...ofMarket, position: count, takeProfit: orNull(terms), stopLoss: orNull(terms), signed },
  ),
  shape<Deposit & Command>(16, { type: 'deposit' }, { account: count, currency: shared, amount: text }),
  shape<SetPrices & Command>(
    17,
    { type: 'setPrices' },
    { market: count, byHand: bool, index: optional(count), mark: optional(orNull(count)), last: optional(count) },
  ),
  shape<Advance & Command>(18, { type: 'advance' }, { toMs: count }),
  shape<Tick & Command>(19, { type: 'tick' }, {}),
  shape<PlayMarket & Command>(
    20,
    { type: 'market' },
    { market: count, toMs: count, position: count, recordedMs: count, steps: written('numbers') },
  ),
];
