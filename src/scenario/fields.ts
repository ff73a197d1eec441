/** What the forms of a scenario file are made of, in TypeBox. */
import Type, { type TProperties } from 'typebox';
import { DURATION_WORDS } from '../config/times.ts';

export const optional = Type.Optional;
export const object = <T extends TProperties>(properties: T, description?: string) =>
  Type.Object(properties, { additionalProperties: false, ...(description !== undefined && { description }) });
export const text = (description: string) => Type.String({ minLength: 1, maxLength: 200, description });
export const choice = <const T extends string>(values: readonly T[], description: string) =>
  Type.Unsafe<T>({ type: 'string', enum: values, description });
export const duration = (description: string) =>
  Type.Unsafe<number | string>({
    type: ['integer', 'string'],
    minimum: 0,
    pattern: '^([0-9]{1,15}(ms|[smhdw]))+$',
    description: `${description}: ${DURATION_WORDS}`,
  });
export const decimal = (description: string, above?: number) =>
  Type.Unsafe<number | string>({
    type: ['number', 'string'],
    pattern: '^-?[0-9]{1,15}(\\.[0-9]{1,15})?$',
    ...(above !== undefined && { exclusiveMinimum: above }),
    description,
  });
export const fraction = (description: string) => Type.Number({ minimum: 0, maximum: 1, description });
export const SYMBOL = text('Market, such as BTC-PERP');
