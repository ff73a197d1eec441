/** What an order was to do, from its acceptance: "sell 12,000 at market when last falls to 59,800.0". */
import type { Happening, MarketFacts } from './facts.ts';
import { duration, grouped, priceIn, shortId, sizeIn } from './text.ts';

/** The terms of an acceptance, by the names of its event. */
interface Terms {
  readonly side?: string;
  readonly kind?: string;
  readonly price?: string;
  readonly size?: string;
  readonly quoteSize?: string;
  readonly timeInForce?: string;
  readonly postOnly?: boolean;
  readonly reduceOnly?: boolean;
  readonly trigger?: {
    readonly rule: string;
    readonly reference: string;
    readonly price?: string;
    readonly limit?: string;
  };
  readonly oco?: { readonly role: string; readonly sibling: string };
  readonly attachedTo?: { readonly role: string; readonly parent?: string };
  readonly trailing?: {
    readonly distance?: string;
    readonly percent?: string;
    readonly activation?: string;
    readonly activationReference?: string;
  };
  readonly peg?: { readonly stealth: string; readonly deviation: string };
  readonly twap?: {
    readonly periodMs: number;
    readonly children: number;
    readonly makerFirst?: boolean;
    readonly maxChildSize?: string;
    readonly pausePrice?: string;
    readonly activation?: string;
    readonly activationReference?: string;
  };
  readonly takeProfit?: { readonly price: string; readonly reference: string };
  readonly stopLoss?: { readonly price: string; readonly reference: string };
}

export function termsOf(accepted: Happening): Terms {
  return accepted as unknown as Terms;
}

export function verbOf(side: unknown): 'buy' | 'sell' {
  return side === 'BUY' ? 'buy' : 'sell';
}

/** The same of what has traded. */
export function pastVerbOf(side: unknown): 'bought' | 'sold' {
  return side === 'BUY' ? 'bought' : 'sold';
}

/** "buy 0.5 BTC" or "buy for 100 USDT". */
export function muchText({ side, size, quoteSize }: Terms, market: MarketFacts | undefined): string {
  const verb = verbOf(side);
  if (size === undefined)
    return `${verb} for ${grouped(String(quoteSize))} ${market?.quote ?? 'of the quote currency'}`;
  return `${verb} ${sizeIn(market, size)}`;
}

/** When a TWAP skips its parts: "last is above 60,300". Empty: it has no such price. */
export function pausePriceText({ side, twap }: Terms, market: MarketFacts | undefined): string {
  if (twap?.pausePrice === undefined) return '';
  return `last is ${side === 'BUY' ? 'above' : 'below'} ${priceIn(market, twap.pausePrice)}`;
}

/** What the order was to do, as a clause without a subject. */
export function termsText(terms: Terms, market: MarketFacts | undefined): string {
  const { kind, price, trigger, trailing, peg, twap } = terms;
  const much = muchText(terms, market);
  if (twap !== undefined) {
    const pauses = pausePriceText(terms, market);
    const unless = pauses === '' ? '' : `, none of them while ${pauses}`;
    return `${much} in ${twap.children} parts over ${duration(twap.periodMs)}${activationText(twap, market)}${unless}`;
  }
  if (peg !== undefined) {
    const { stealth, deviation } = peg;
    const offset = Number(deviation) === 0 ? 'the index' : `the index ${signed(deviation)} %`;
    const worst = terms.side === 'BUY' ? 'at most' : 'at least';
    return `${much} at ${offset}, ${worst} ${priceIn(market, price)}, ${grouped(stealth)} % shown at a time`;
  }
  if (trailing !== undefined) {
    const falls = terms.side === 'SELL' ? 'falls' : 'rises';
    const extreme = terms.side === 'SELL' ? 'below its high' : 'above its low';
    const far = trailing.percent === undefined ? priceIn(market, trailing.distance) : `${grouped(trailing.percent)} %`;
    return `${much} at market when ${trigger?.reference} ${falls} ${far} ${extreme}${activationText(trailing, market)}`;
  }
  if (trigger !== undefined) {
    const at = trigger.limit === undefined ? 'at market' : atLimit(terms.side, trigger.limit, market);
    return `${much} ${at} when ${trigger.reference} ${reaches(terms.side, trigger.rule)} ${priceIn(market, trigger.price)}`;
  }
  return kind === 'market' || price === undefined
    ? `${much} at market`
    : `${much} ${atLimit(terms.side, price, market)}`;
}

/** What else was said of it, as a clause: "GTC, post-only". */
export function conditionsText({ timeInForce, postOnly, reduceOnly, takeProfit, stopLoss }: Terms): string {
  const words = [
    timeInForce === undefined || timeInForce === 'GTC' ? [] : [timeInForce],
    postOnly === true ? ['post-only'] : [],
    reduceOnly === true ? ['reduce-only'] : [],
    takeProfit === undefined ? [] : [`take-profit at ${takeProfit.reference} ${grouped(takeProfit.price)}`],
    stopLoss === undefined ? [] : [`stop-loss at ${stopLoss.reference} ${grouped(stopLoss.price)}`],
  ].flat();
  return words.join(', ');
}

/** Where it comes from, if it is one of several: "the limit leg of an OCO; the other leg is 7c1e90ab". */
export function groupText({ oco, attachedTo }: Terms): string | undefined {
  if (oco !== undefined) return `the ${oco.role} leg of an OCO; the other leg is ${shortId(oco.sibling)}`;
  if (attachedTo === undefined) return undefined;
  const { role, parent } = attachedTo;
  const name = role === 'takeProfit' ? 'take-profit' : 'stop-loss';
  return parent === undefined ? `a ${name} of the position` : `the ${name} of order ${shortId(parent)}`;
}

function atLimit(side: unknown, price: string, market: MarketFacts | undefined): string {
  return `at ${priceIn(market, price)} or ${side === 'BUY' ? 'less' : 'more'}`;
}

function reaches(side: unknown, rule: string): string {
  if (rule === 'reach') return 'reaches';
  return (rule === 'stop') === (side === 'BUY') ? 'rises to' : 'falls to';
}

function activationText(
  { activation, activationReference }: { readonly activation?: string; readonly activationReference?: string },
  market: MarketFacts | undefined,
): string {
  return activation === undefined ? '' : `, once ${activationReference} has reached ${priceIn(market, activation)}`;
}

function signed(number: string): string {
  return number.startsWith('-') ? `\u2212 ${grouped(number.slice(1))}` : `+ ${grouped(number)}`;
}
