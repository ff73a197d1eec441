/** What a row of the placement tables says, and the rows that surfaces share. */
import type { Json } from '../../support/client.ts';

/** What is sent, where it is more than the field alone, and what differs in the order (an OCO: in its two orders). */
export type Row =
  | readonly [value: unknown, differs: Json | readonly [Json, Json]]
  | readonly [value: Json, differs: Json, 'all'];

export interface Variant {
  readonly name: string;
  readonly method?: 'POST' | 'DELETE';
  readonly path: string;
  readonly schema: { readonly properties: object };
  readonly body: Json;
  /** The order of the body, as it was accepted: what it says, and what holds where it says nothing. An OCO's are two. */
  readonly base: readonly Json[];
  readonly rows: Readonly<Record<string, Row>>;
  /** Fields that say nothing to this variant: with each the request is refused, or the order is the same. */
  readonly ignored?: Readonly<Record<string, unknown>>;
  /** It closes a position, so there is one. */
  readonly closes?: true;
  /** It protects a position: its orders are not a broker's. */
  readonly attaches?: true;
}

export const POST_ONLY: Row = [true, { postOnly: true }];
export const IOC: Row = ['IOC', { timeInForce: 'IOC' }];
export const MINE: Row = ['mine', { clientId: 'mine' }];
export const BOTH_MINE: Row = ['mine', [{ clientId: 'mine' }, { clientId: 'mine' }]];
export const SIZE_2: Row = [2, { size: '2' }];
export const SIZE_20: Row = [20, { size: '20' }];
export const REDUCES: Row = [true, { reduceOnly: true }];
export const HEDGE: Row = ['HEDGE', { positionMode: 'HEDGE' }];

export const trigger = (differs: Json) => ({ trigger: differs });

/** An attached take-profit and stop-loss of a SELL near 100, under the names of a surface. */
export function attached(
  suffix: 'Price' | 'TriggerPrice',
  kind: 'Trigger' | 'TriggerType',
  last: string,
): Record<string, Row> {
  const rows = (which: 'takeProfit' | 'stopLoss', price: number): [string, Row][] => [
    [`${which}${suffix}`, [price, { [which]: { price: `${price}`, reference: 'mark' } }]],
    [
      `${which}${kind}`,
      [
        { [`${which}${suffix}`]: price, [`${which}${kind}`]: last },
        { [which]: { price: `${price}`, reference: 'last' } },
        'all',
      ],
    ],
  ];
  return Object.fromEntries([...rows('takeProfit', 90), ...rows('stopLoss', 110)]);
}
