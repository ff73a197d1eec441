/** What the replies of the control surface have in common. Money, prices and sizes are exact decimals as text. */
import Type, { type TProperties, type TSchema } from 'typebox';
import { component, orNull, sometimes, text, whole } from '../../orders/reply-fields.ts';

export const table = (values: TSchema, description: string) =>
  Type.Object({}, { additionalProperties: values, description });
/** Also has fields that depend on what it describes. */
export const open = (properties: TProperties, description: string) =>
  Type.Object(properties, { additionalProperties: Type.Unknown(), description });

export const seq = whole('The last command that it includes');
export const next = sometimes(text('Give it as `after` for the next page; absent: there is none'));
export const orderId = text('Order id');
export const symbol = text('Market symbol');
export const price = orNull(text('Null: there is none'));
export const knownFromSeq = sometimes(whole('Earlier history is lost; absent: nothing is'));
/** Of a command that a reset, or a return to a named snapshot, has left. */
export const LEFT = orNull(
  component('LeftBranch', {
    at: whole('The command that left it'),
    by: text('reset or restore'),
  }),
);
