/**
 * What the control surface answers, for the documents. The tests check each reply that they get against its schema, and
 * a field that is not here fails.
 */
export { NOTHING } from '../../orders/reply-fields.ts';
export * from './accounts.ts';
export * from './markets.ts';
export * from './operations.ts';
export * from './orders.ts';
export * from './past.ts';
export * from './runs.ts';
export * from './venue.ts';
