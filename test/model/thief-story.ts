/** The steps of a run in words, with what each did to its order, and to the thieves' and the fund's money. */
import type { OrderView } from '../../src/venue/contract/order-view.ts';
import type { Reply, Venue } from '../../src/venue/venue.ts';
import { isThief, SETTLEMENT } from './thief-judge.ts';
import { fundOf, SCALE, text, wealthOf } from './thief-money.ts';
import type { Act, Scene, Step } from './thief-run.ts';

type Look = (scene: Scene, step: Step, reply: Reply) => void;

export function storyOf(replay: (look: Look) => unknown): string[] {
  const lines: string[] = [];
  let before: string | null = null;
  replay(({ venue }, step, reply) => {
    const money = moneyOf(venue);
    const changed = before === null || before === money ? '' : `   [${money}]`;
    before = money;
    const refused = reply.refusal === null ? '' : ` → refused: ${reply.refusal.reason}`;
    const restarted = step.restart ? '(restart) ' : '';
    lines.push(`  ${restarted}${sentence(venue, step.command, reply)}${refused}${changed}`);
  });
  return lines;
}

function moneyOf(venue: Venue): string {
  let [thieves, honest] = [0n, 0n];
  for (const number of venue.accountNumbers()) {
    if (isThief(venue.account(number)!.name)) thieves += wealthOf(venue, number, SETTLEMENT);
    else honest += wealthOf(venue, number, SETTLEMENT);
  }
  return `thieves ${text(thieves)}, honest ${text(honest)}, fund ${text(fundOf(venue, SETTLEMENT) * SCALE)}`;
}

function sentence(venue: Venue, command: Act, { orders }: Reply): string {
  const who = 'account' in command && typeof command.account === 'number' ? nameOf(venue, command.account) : '';
  const market = 'market' in command && typeof command.market === 'number' ? venue.markets[command.market] : undefined;
  switch (command.type) {
    case 'place': {
      const { kind, side, ...rest } = command;
      const price = 'price' in rest && rest.price ? ` @ ${market?.priceText(rest.price)}` : '';
      const size = 'size' in rest && rest.size ? ` ${rest.size}` : '';
      const more = extras(rest as Record<string, unknown>);
      return `${who} ${side === 0 ? 'BUY' : 'SELL'} ${kind.toUpperCase()}${size} ${market?.symbol}${price}${more}${ends(orders)}`;
    }
    case 'setPrices': {
      const fine = (value: number | null | undefined) => (value ? market?.fineText(value) : String(value));
      const parts = [
        ...(command.index !== undefined ? [`index ${fine(command.index)}`] : []),
        ...(command.mark !== undefined ? [`mark ${fine(command.mark)}`] : []),
        ...(command.last !== undefined ? [`last ${market?.priceText(command.last)}`] : []),
      ];
      return `${market?.symbol}: ${parts.join(', ')}${command.byHand ? '' : ' (feed)'}, mark is ${market?.fineText(market.mark)}`;
    }
    case 'advance':
      return `clock to ${new Date(command.toMs).toISOString().slice(11, 23)}`;
    case 'deposit': {
      const amount = BigInt(command.amount);
      return `${who} ${amount < 0n ? 'withdraws' : 'deposits'} ${text((amount < 0n ? -amount : amount) * SCALE)} ${command.currency}`;
    }
    default: {
      const { v: _, type, account: __, ...rest } = command as unknown as Record<string, unknown>;
      return `${who} ${type} ${JSON.stringify(rest)}${ends(orders)}`;
    }
  }
}

const NAMED = new Set(['price', 'size', 'v', 'type', 'account', 'market', 'clientId', 'request', 'broker']);

function extras(rest: Record<string, unknown>): string {
  const shown = Object.entries(rest).filter(([name, value]) => !NAMED.has(name) && value !== null && value !== false);
  const parts = shown.map(([name, value]) => (value === true ? name : `${name} ${JSON.stringify(value)}`));
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
}

function ends(orders: readonly OrderView[]): string {
  return orders
    .map((o) => ` → ${o.state}, ${o.filled} filled${o.ending === null ? '' : ` (${o.ending.reason})`}`)
    .join('');
}

function nameOf(venue: Venue, account: number): string {
  return venue.account(account)?.name ?? `account ${account}`;
}
