/**
 * Which listeners receive which kind of event. A rule emits an event by `emit.traded?.({ … })`. If nobody listens, the
 * event is not built, so building it must not change the state.
 */

import type { EventHandlers, EventKind, EventOf, Listener } from '../contract/events.ts';

type Handler<Kind extends EventKind> = (event: EventOf<Kind>) => void;

export type Emitter = { [Kind in EventKind]: Handler<Kind> | undefined };

/** An emitter without listeners. */
export function newEmitter(): Emitter {
  return {
    causeChanged: undefined,
    orderPlaced: undefined,
    orderAccepted: undefined,
    orderChanged: undefined,
    childSkipped: undefined,
    traded: undefined,
    balanceChanged: undefined,
    transferred: undefined,
    deleveraged: undefined,
    fundingSet: undefined,
    priceChanged: undefined,
    priceHeld: undefined,
    priceStale: undefined,
    priceFresh: undefined,
    marketListed: undefined,
    marketHalted: undefined,
    marketResumed: undefined,
    marketDelisted: undefined,
    termsChanged: undefined,
    accountCreated: undefined,
    accountChanged: undefined,
    keyAdded: undefined,
    keyRevoked: undefined,
    stateReplaced: undefined,
    bookChanged: undefined,
    positionChanged: undefined,
    walletChanged: undefined,
  };
}

/** Listeners of the same kind are called in the order in which they were added. */
export function addListener(emitter: Emitter, listener: Listener): void {
  const handlers = handlersOf(listener);
  for (const kind of Object.keys(emitter) as EventKind[]) addHandler(emitter, kind, handlers);
}

function handlersOf(listener: Listener): EventHandlers {
  if (typeof listener !== 'function') return listener;
  return Object.fromEntries(Object.keys(newEmitter()).map((kind) => [kind, listener]));
}

function addHandler<Kind extends EventKind>(emitter: Emitter, kind: Kind, handlers: EventHandlers): void {
  const handler: Handler<Kind> | undefined = handlers[kind];
  if (handler === undefined) return;
  const before: Handler<Kind> | undefined = emitter[kind];
  const both: Handler<Kind> = (event) => {
    before?.(event);
    handler(event);
  };
  emitter[kind] = (before === undefined ? handler : both) as Emitter[Kind];
}
