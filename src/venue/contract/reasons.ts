/**
 * Why something was refused, rejected or ended, as data. The venue gives a reason and its figures. The text, code and
 * HTTP status of each reason are in one table for all surfaces (src/api/shared/errors.ts).
 */

/**
 * Why a command was refused: a check failed, or something that it names does not exist. A refused command changes
 * nothing.
 */
export type RefusalReason =
  | 'insufficientFunds' // currency, needed, available
  | 'reduceOnlyWithoutPosition' // symbol, side, position
  | 'priceOutsideBand' // symbol, price, limit, side, reference
  | 'beyondBankruptcy' // field, symbol, side, price, limit
  | 'noMark' // symbol
  | 'staleIndex' // symbol
  | 'triggerLimitDistance' // symbol, price, trigger, maxPercent
  | 'sizeAboveMaximum' // field, size, maximum
  | 'sizeBelowMinimum' // field, size, minimum
  | 'exposureAboveMaximum' // symbol, exposure, maximum, currency
  | 'sizeUnfit' // field, problem, expected
  | 'spotOnly' // symbol, kind (of the order)
  | 'priceBelowMinimum' // field, price, minimum
  | 'priceAboveMaximum' // field, price, maximum
  | 'priceOnWrongSide' // field, price, reference, expected ("above" | "below")
  | 'noReferencePrice' // symbol, reference
  | 'noReferenceForSize' // symbol, reference
  | 'tooManyOpenOrders' // symbol, maximum
  | 'positionModeMismatch' // symbol, positionMode, current
  | 'positionModeUnchangeable' // symbol, current, orders, positions
  | 'tooManyPositions' // symbol, maximum
  | 'unknownPosition' // symbol, position
  | 'leverageOutOfRange' // symbol, leverage, minimum, maximum
  | 'unknownRiskLevel' // symbol, level, levels
  | 'riskLimitBelowExposure' // symbol, level, limit, exposure, currency
  | 'duplicateClientId' // clientId, order (key of the live order)
  | 'identicalRequest' // clientId, order (key of the first order), withinMs
  | 'unknownMarket' // symbol, or the number of the market in the command
  | 'marketHalted' // symbol
  | 'marketNotHalted' // symbol
  | 'marketDelisted' // symbol
  | 'marketNotRecorded' // symbol
  | 'recordingUnfit' // symbol, problem
  | 'marketPlayed' // symbol
  | 'termsUnsafe' // symbol, accounts (how many the terms would put below maintenance), names (of at most five)
  | 'accountFrozen' // account, frozen, allowed
  | 'orderNotFound' // order or clientId; Reply.about is the caller's own ended order, if there is one
  | 'notAmendable' // order, field, kind (of the order), problem
  | 'sizeNotAboveFilled' // field, size, filled
  | 'postOnlyAmendWouldMatch' // price, best
  | 'timeoutOutOfRange' // field, timeoutMs, maximum
  | 'unknownAccount' // account
  | 'accountExists' // name
  | 'unknownCurrency' // currency
  | 'unknownKey' // key
  | 'keyExists' // key
  | 'marketExists' // symbol
  | 'invalidMarket' // field, problem
  | 'amountOutOfRange' // currency, amount, held, maximum
  | 'priceOutOfRange' // field, problem
  | 'timeBackwards' // to, now
  | 'timeTooFar' // to, now, maximum
  | 'unknownSnapshot' // name
  | 'tooManySnapshots'; // maximum

/** Why an accepted order was rejected by the book, or ended before it was filled. */
export type EndReason =
  | 'postOnlyWouldMatch'
  | 'fillOrKillUnfilled'
  | 'immediateRemainder'
  | 'noLiquidityInBand'
  | 'selfTrade'
  | 'margin' // price at which it would fill
  | 'reserveLost' // its reserved money was lost on futures
  | 'expired'
  | 'cancelledByClient'
  | 'ocoSiblingFilled'
  | 'ocoSiblingTriggered'
  | 'ocoLimitLegRejected'
  | 'ocoCancelled'
  | 'bracketSiblingDone'
  | 'bracketReplaced'
  | 'positionClosed'
  | 'positionCovered'
  | 'reduceOnlyWithoutPosition'
  | 'windowOver'
  | 'deadMansSwitch'
  | 'venueFailed' // a bug of the venue: a timer of the order threw (due.ts)
  | 'liquidation'
  | 'fees' // new fees cost more than the account has free
  | 'delisted'
  | RefusalReason; // a trigger that fires is checked like a new order, and rejected for the same reasons

export type Params = Readonly<Record<string, string | number>>;

export interface Refusal {
  readonly reason: RefusalReason;
  readonly params: Params;
}

export interface Ending {
  readonly reason: EndReason;
  readonly params: Params;
}

export const NO_PARAMS: Params = Object.freeze({});

/** Endings without figures are shared objects, so that the hot path allocates none. */
const endings = new Map<EndReason, Ending>();
export function ending(reason: EndReason): Ending {
  let found = endings.get(reason);
  if (found === undefined) {
    found = Object.freeze({ reason, params: NO_PARAMS });
    endings.set(reason, found);
  }
  return found;
}

export function refuse(reason: RefusalReason, params: Params): Refusal {
  return { reason, params };
}
