/** What else one command set off beside what it did to an order, in a few sentences. Numbers are exact decimals. */
import type { Figures } from './facts.ts';
import type { OrderFacts } from './order-facts.ts';
import { pastVerbOf } from './terms.ts';
import { compared, counted, grouped, listed, sumOf } from './text.ts';

export interface Around {
  readonly order: OrderFacts;
  /** All trades of the command, as rows of the archive. */
  readonly fills: readonly Figures[];
  /** All movements of money, as rows of the archive. */
  readonly moves: readonly Figures[];
  /** The ids of other orders whose triggers fired and that traded. */
  readonly fired: readonly string[];
}

export interface Alongside {
  /** The time of the command, epoch ms. Absent: nothing happened. */
  readonly time?: number;
  readonly sentences: readonly string[];
}

export function alongside({ order, fills, moves, fired }: Around): Alongside {
  const time = (fills[0] ?? moves[0])?.timeMs as number | undefined;
  const sentences = [
    ...firedText(fills, fired),
    ...liquidatedText(fills, order),
    ...deleveragedText(moves),
    ...fundText(fills, moves),
  ];
  return { ...(time !== undefined && sentences.length > 0 && { time }), sentences };
}

function firedText(fills: readonly Figures[], fired: readonly string[]): string[] {
  if (fired.length === 0) return [];
  const owners = fills.filter(({ takerOrder }) => fired.includes(String(takerOrder)));
  const names = [...new Set(owners.map(({ takerAccount }) => String(takerAccount)))];
  return [`${counted(fired.length, 'more trigger')} fired: ${listed(names)}`];
}

function liquidatedText(fills: readonly Figures[], order: OrderFacts): string[] {
  const groups = new Map<string, Figures[]>();
  for (const fill of fills) {
    if (fill.liquidation !== 1 || fill.takerOrder === order.orderId) continue;
    const name = `${fill.takerAccount} ${fill.market} ${fill.takerSide}`;
    groups.set(name, [...(groups.get(name) ?? []), fill]);
  }
  return [...groups.values()].map((group) => {
    const [{ takerAccount, takerSide, market }] = group;
    return `${takerAccount} was liquidated: ${pastVerbOf(takerSide)} ${grouped(sumOf(group.map(({ size }) => String(size))))} ${market}`;
  });
}

function deleveragedText(moves: readonly Figures[]): string[] {
  const names = [
    ...new Set(moves.filter(({ reason }) => reason === 'autoDeleveraging').map(({ account }) => String(account))),
  ];
  return names.length === 0 ? [] : [`positions were closed by auto-deleveraging: ${listed(names)}`];
}

/** What the insurance fund received, in each currency: fees of liquidations, and what bankrupt accounts left or owed. */
function fundText(fills: readonly Figures[], moves: readonly Figures[]): string[] {
  const sums = new Map<string, string>();
  const add = (currency: unknown, amount: string) => {
    sums.set(String(currency), sumOf([sums.get(String(currency)) ?? '0', amount]));
  };
  for (const fill of fills) if (fill.liquidation === 1) add(fill.takerFeeCurrency, String(fill.takerFee));
  for (const { reason, currency, amount } of moves) {
    if (reason !== 'insurance') continue;
    add(currency, String(amount).startsWith('-') ? String(amount).slice(1) : `-${amount}`);
  }
  return [...sums]
    .filter(([, sum]) => compared(sum, '0') !== 0)
    .map(([currency, sum]) => `insurance fund: ${sum.startsWith('-') ? '' : '+'}${grouped(sum)} ${currency}`);
}
