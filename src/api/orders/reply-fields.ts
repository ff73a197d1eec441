/**
 * The fields of replies, for the documents. The tests' client checks each reply against its schema, and an undocumented
 * field fails.
 */
import Type, { type TProperties, type TSchema } from 'typebox';
import { POSITION_MODES } from '../../venue/contract/commands.ts';

function described(description: string | undefined): { description?: string } {
  return description === undefined ? {} : { description };
}

/** A component of the documents. */
export const component = (title: string, properties: TProperties) => Type.Object(properties, { title });
export const list = (items: TSchema) => Type.Array(items);
/** A field that some replies do not have. */
export const sometimes = Type.Optional;

export const number = (description?: string) => Type.Number(described(description));
export const whole = (description?: string) => Type.Integer(described(description));
export const text = (description?: string) => Type.String(described(description));
export const flag = (description?: string) => Type.Boolean(described(description));
export const choice = (values: readonly string[], description?: string) =>
  Type.Unsafe<string>({ type: 'string', enum: values, ...described(description) });

/** The same schema, or null. */
export function orNull(schema: TSchema): TSchema {
  const { type, enum: values, ...rest } = schema as { type?: string | readonly string[]; enum?: readonly string[] };
  if (type === undefined || type === 'object') return Type.Union([schema, Type.Null()]);
  return Type.Unsafe<unknown>({ type: [type, 'null'].flat(), ...(values && { enum: [...values, null] }), ...rest });
}

/** The success envelope of the APIs that wrap their replies. */
export function enveloped(data: TSchema): TSchema {
  return Type.Object({
    code: Type.Literal(1),
    msg: Type.Literal('Success'),
    success: Type.Literal(true),
    time: whole("The venue's clock, epoch ms"),
    data,
  });
}

/** An empty reply. */
export const NOTHING = component('Nothing', {});

export const orderId = text('Order identifier');
export const symbol = text('Market symbol');
export const timestampMs = whole('Epoch ms');
export const side = choice(['BUY', 'SELL']);
export const statusCode = whole(
  '2 inserted, 4 fully filled, 5 partly filled, 6 cancelled, 9 trigger waiting, 15 rejected, 123 amended',
);
export const typeCode = whole('76 LIMIT, 77 MARKET, 80 PEG, 82 TWAP, 84 TRAILING');
export const triggerCode = '1001 stop, 1002 profit, 0 no trigger';
export const detailType = orNull(text('TWAP, PARTIAL_LIQUIDATION, FORCED_MARKET_BUY or FORCED_MARKET_SELL'));
export const positionMode = choice(POSITION_MODES);
export const direction = choice(['LONG', 'SHORT'], 'The side of the position');

export const FEE = component('Fee', {
  symbol,
  makerFee: number('A fraction'),
  takerFee: number('A fraction'),
});

/** An attached take-profit or stop-loss. */
export const ATTACHED = component('AttachedOrder', {
  orderId: text("Empty until the parent's first fill"),
  side,
  triggerPrice: number(),
  triggerUseLastPrice: flag('false: the mark'),
});
