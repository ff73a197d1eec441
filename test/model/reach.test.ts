/** What the generators reach: each situation that the rules of orders and of solvency speak of comes up. Model alone. */
import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { ALL_ACTIONS, Generator } from './generator.ts';
import { Model } from './model.ts';
import { effectivePrice } from './model-peg.ts';
import { isLive, liveByKey, type ModelOrder, type World } from './model-state.ts';
import { Random } from './random.ts';
import { START_MS, scenario } from './scenario.ts';

const SEEDS = 220;
const COMMANDS = 300;

/** Looks at an order after a command, live or ended by it. `gaveWay`: accounts of which an order gave way to an own one. */
type Sight = (o: ModelOrder, w: World, gaveWay: ReadonlySet<number>) => boolean;

const ended = (o: ModelOrder, reason: string): boolean => o.ending?.reason === reason;
const isStopLeg = (o: ModelOrder): boolean => o.oco?.role === 'stop';
const alone = (o: ModelOrder, w: World): boolean => isStopLeg(o) && liveByKey(w.s, o.oco!.siblingKey) === undefined;
const attached = (o: ModelOrder): boolean => o.attached !== null;
const waitingTrigger = (o: ModelOrder): boolean => o.trigger?.fired === false && !attached(o) && o.oco === null;

const SIGHTS: Record<string, Sight> = {
  'a peg has stopped before a peg of its own account': (o, w) =>
    o.peg !== null && o.resting !== null && o.resting.price !== effectivePrice(w.s.markets[o.market], o),
  'a trigger goes on past an own order': (o, w, gaveWay) =>
    o.trigger?.fired === true && !o.reduceOnly && o.filledSeq === w.seq && gaveWay.has(o.account),
  'a reduce-only order goes on past an own order': (o, w, gaveWay) =>
    o.reduceOnly && o.trigger === null && o.filledSeq === w.seq && gaveWay.has(o.account),
  'an attached order goes on past an own order': (o, w, gaveWay) =>
    attached(o) && o.filledSeq === w.seq && gaveWay.has(o.account),
  'a TWAP goes on past an own order': (o, w, gaveWay) =>
    o.twap !== null && o.filledSeq === w.seq && gaveWay.has(o.account),
  'a TWAP pauses for want of a book': (o) => o.twap?.pausedBy === 'book',
  'a TWAP pauses for its own orders': (o) => o.twap?.pausedBy === 'ownOrder',
  'a FOK on MARKET is filled': (o) => o.kind === 'market' && o.timeInForce === 'FOK' && o.state === 'filled',
  'a FOK on MARKET is not': (o) => o.kind === 'market' && ended(o, 'fillOrKillUnfilled'),
  'a market trigger with FOK is filled': (o) =>
    o.trigger?.fired === true && o.trigger.limit === null && o.timeInForce === 'FOK' && o.state === 'filled',
  'a market trigger with FOK is not': (o) => o.trigger?.limit === null && ended(o, 'fillOrKillUnfilled'),
  'a waiting limit trigger expires': (o) => waitingTrigger(o) && o.trigger?.limit !== null && ended(o, 'expired'),
  'a waiting market trigger expires': (o) => waitingTrigger(o) && o.trigger?.limit === null && ended(o, 'expired'),
  'what a trigger has released expires': (o) => o.trigger?.fired === true && ended(o, 'expired'),
  'a stop leg goes on alone after IOC': (o, w) => alone(o, w) && isLive(o) && sibling(o, w, 'immediateRemainder'),
  'a stop leg goes on alone with a part': (o, w) =>
    alone(o, w) && isLive(o) && o.quantity < o.original && !o.reduceOnly,
  'a stop leg goes on alone after FOK': (o, w) => alone(o, w) && isLive(o) && sibling(o, w, 'fillOrKillUnfilled'),
  'a stop leg goes on alone after expiry': (o, w) => alone(o, w) && isLive(o) && sibling(o, w, 'expired'),
  'a stop leg goes on alone after self-trade': (o, w) => alone(o, w) && isLive(o) && sibling(o, w, 'selfTrade'),
  'a stop leg that was alone fires': (o, w) =>
    isStopLeg(o) && o.trigger!.fired && !sibling(o, w, 'ocoSiblingTriggered'),
  'a reduce-only OCO goes with its position': (o) => isStopLeg(o) && ended(o, 'positionClosed'),
  'a reduce-only OCO shrinks': (o, w) =>
    isStopLeg(o) && o.reduceOnly && isLive(o) && !alone(o, w) && o.quantity < o.original,
  'a reduce-only stop leg goes on alone': (o, w) => alone(o, w) && isLive(o) && o.reduceOnly,
  'an attached order waits with its rest': (o) => attached(o) && o.state === 'waiting' && o.filled > 0,
  'one that waited with its rest is filled': (o) => attached(o) && o.state === 'filled' && o.lastFill < o.filled,
  'an attached order ends as the other has closed all': (o) => attached(o) && ended(o, 'bracketSiblingDone'),
  'an attached order is left for what remains': (o) =>
    attached(o) && o.state === 'waiting' && !o.trigger!.fired && o.quantity < o.original,
  'a trigger goes with its position': (o) => waitingTrigger(o) && o.kind !== 'trailing' && ended(o, 'positionClosed'),
  'a trailing stop goes with its position': (o) => o.kind === 'trailing' && ended(o, 'positionClosed'),
  'a reduce-only trigger of before fires with a position': (o) =>
    o.trigger?.fired === true && o.reduceOnly && !o.bound && !attached(o) && o.filled > 0,
  'a reduce-only trigger of before fires without one': (o) =>
    o.trigger !== null && ended(o, 'reduceOnlyWithoutPosition'),
  'solvency clips a taker': (o, w) => ended(o, 'margin') && o.seq === w.seq && o.filled > 0,
  'solvency leaves a taker nothing': (o, w) => ended(o, 'margin') && o.seq === w.seq && o.filled === 0,
  'solvency clips a resting order': (o, w) =>
    ended(o, 'margin') && o.seq !== w.seq && o.kind === 'limit' && o.filled > 0,
  'solvency cancels a resting order': (o, w) =>
    ended(o, 'margin') && o.seq !== w.seq && o.kind === 'limit' && o.filled === 0,
  'solvency clips an isolated order': (o) => ended(o, 'margin') && o.positionMode === 'ISOLATED',
  'solvency clips a hedge order': (o) => ended(o, 'margin') && o.positionMode === 'HEDGE',
  'solvency clips a reduce-only order': (o) => ended(o, 'margin') && o.reduceOnly,
  'solvency clips what a trigger releases': (o) => ended(o, 'margin') && o.trigger !== null,
  'solvency clips a peg': (o) => ended(o, 'margin') && o.peg !== null,
  'a quarter is closed': (o) => o.orderDetailType === 'PARTIAL_LIQUIDATION' && o.filled > 0,
  'a position is closed by force': (o) => o.orderDetailType?.startsWith('FORCED') === true && o.filled > 0,
  'an isolated position is closed by force': (o) =>
    o.orderDetailType?.startsWith('FORCED') === true && o.positionMode === 'ISOLATED',
  'a spot order goes in a liquidation': (o) => o.product === 'spot' && ended(o, 'liquidation'),
  'a trigger fires while the index is stale': (o) => ended(o, 'staleIndex'),
};

/** By command and reason. */
const REFUSALS = [
  'place accountFrozen',
  'changeMarket termsUnsafe',
  'changeMarket invalidMarket',
  'place noMark',
  'place staleIndex',
  'amend staleIndex',
  'place beyondBankruptcy',
  'amend beyondBankruptcy',
  'amend insufficientFunds',
];

function sibling(o: ModelOrder, w: World, reason: string): boolean {
  const other = w.s.ended.find(({ key }) => key === o.oco!.siblingKey);
  return other !== undefined && ended(other, reason);
}

const seen = new Map<string, Set<string>>(Object.keys(SIGHTS).map((name) => [name, new Set()]));
const refused = new Set<string>();
let groups = 0;
let deleveraged = 0;
let ownLegs = 0;
let halted = 0;
/** By kind, what the operator did that had consequences. */
const terms = { forced: 0, fundingDeferred: 0, feesCancelled: 0, frozen: 0, settled: 0, closedOut: 0 };

function look(seed: number, w: World): void {
  const keys = new Set(w.events.flatMap((e) => (e.type === 'ended' ? [e.key] : [])));
  const done = w.s.ended.filter((o) => keys.has(o.key));
  const gaveWay = new Set(done.filter((o) => ended(o, 'selfTrade')).map((o) => o.account));
  for (const o of [...w.s.live, ...done]) {
    for (const [name, sight] of Object.entries(SIGHTS)) {
      if (!seen.get(name)!.has(`${seed} ${o.key}`) && sight(o, w, gaveWay)) seen.get(name)!.add(`${seed} ${o.key}`);
    }
  }
  const entered = w.events.filter((e) => e.type === 'said' && /^repriced .* working/.test(e.text));
  if (entered.length > 1) groups++;
  for (const e of w.events) {
    if (e.type !== 'deleveraged') continue;
    deleveraged++;
    const forced = w.s.ended.find((o) => o.key === e.key);
    if (forced?.account === e.account && forced.positionMode === 'HEDGE') ownLegs++;
  }
  lookAtTerms(w);
  if (w.s.markets.some((m) => m.halted && m.checkedMark !== 0 && m.mark !== m.checkedMark)) halted++;
}

function lookAtTerms(w: World): void {
  const said = w.events.flatMap((e) => (e.type === 'said' ? [e.text] : []));
  const money = (reason: string) => w.events.some((e) => e.type === 'money' && e.reason === reason);
  const changed = said.some((text) => text.startsWith('termsChanged'));
  if (changed && w.events.some((e) => e.type === 'ended' && e.reason === 'liquidation')) terms.forced++;
  if (w.s.markets.some((m) => m.nextFunding !== null)) terms.fundingDeferred++;
  if (w.events.some((e) => e.type === 'ended' && e.reason === 'fees')) terms.feesCancelled++;
  if ([...w.s.accounts.values()].some((account) => account.frozen !== null)) terms.frozen++;
  if (!said.some((text) => text.startsWith('marketDelisted'))) return;
  if (money('realised')) terms.settled++;
  if (w.events.some((e) => e.type === 'deleveraged')) terms.closedOut++;
}

before(() => {
  for (let seed = 1; seed <= SEEDS; seed++) {
    const r = new Random(seed);
    const genesis = scenario(r);
    const model = new Model(genesis, 1, START_MS);
    const generator = new Generator(r, START_MS, ALL_ACTIONS);
    for (let i = 0; i < COMMANDS; i++) {
      const { atMs, command } = generator.next(model);
      const { refusal } = model.apply(i + 2, atMs, command);
      if (refusal !== null) refused.add(`${command.type} ${refusal.reason}`);
      look(seed, model.w);
    }
  }
});

for (const name of Object.keys(SIGHTS)) {
  it(name, () => assert.ok(seen.get(name)!.size > 0));
}

for (const name of REFUSALS) {
  it(`refused: ${name}`, () => assert.ok(refused.has(name)));
}

it('auto-deleveraging closes what the book does not', () => assert.ok(deleveraged > 0));
it('legs of a pair close each other', () => assert.ok(ownLegs > 0));
it('the mark of a halted market moves', () => assert.ok(halted > 0));
it('several pegs are re-priced by one index change', () => assert.ok(groups > 0));
for (const name of Object.keys(terms) as (keyof typeof terms)[]) {
  it(`terms: ${name}`, () => assert.ok(terms[name] > 0));
}
