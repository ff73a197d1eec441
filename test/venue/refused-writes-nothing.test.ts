/**
 * A refused command writes nothing, not even for a moment: the state is frozen before the command is judged, so that a check
 * that changed a field, measured and put it back would throw. The commands are those of the model's generator, which aims at
 * both sides of every limit.
 *
 * What objects keep in private fields (books, timers, the table of orders, accepted requests) cannot be frozen: there the saved state is compared.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Command, Genesis } from '../../src/venue/contract/commands.ts';
import type { Listener } from '../../src/venue/contract/events.ts';
import type { Refusal } from '../../src/venue/contract/reasons.ts';
import { BUY, SELL } from '../../src/venue/contract/units.ts';
import {
  addKey,
  addMarket,
  createAccount,
  deposit,
  haltMarket,
  revokeKey,
  setPrices,
} from '../../src/venue/handlers/admin.ts';
import { cancelAllAfter } from '../../src/venue/handlers/dead-man-switch.ts';
import { delistMarket } from '../../src/venue/handlers/delist.ts';
import { amendOrder, attachOrders, cancel, place } from '../../src/venue/handlers/orders.ts';
import { setLeverage, setPositionMode, setRiskLimit } from '../../src/venue/handlers/position-settings.ts';
import { changeAccount, changeMarket, frozenRefusal } from '../../src/venue/handlers/terms.ts';
import type { SavedVenue } from '../../src/venue/snapshot/saved-state.ts';
import { canonicalState, loadVenue } from '../../src/venue/snapshot/snapshot.ts';
import { Effects } from '../../src/venue/state/effects-digest.ts';
import { addListener, newEmitter } from '../../src/venue/state/emitter.ts';
import { OrderTable } from '../../src/venue/state/order-table.ts';
import type { VenueState } from '../../src/venue/state/venue-state.ts';
import { advance, passTime } from '../../src/venue/steps/clock.ts';
import { Venue } from '../../src/venue/venue.ts';
import type { TimedStep } from '../model/compare.ts';
import { ALL_ACTIONS } from '../model/generator.ts';
import { runSeed } from '../model/run.ts';
import { BTC_PERP, genesis, START_MS, VenueDriver } from './support.ts';

const SEEDS = 12;
const COMMANDS = 160;
/** Settings of positions are changed more often than in the model's own runs. */
const ACTIONS = { ...ALL_ACTIONS, leverage: 150, riskLimit: 80, mode: 30 };

/** Refusals of each kind of check that computes margin or money, and of some that look at nothing of the kind. */
const MUST_MEET = [
  'place insufficientFunds',
  'place positionModeMismatch',
  'place exposureAboveMaximum',
  'place beyondBankruptcy',
  'place sizeAboveMaximum',
  'place in another mode',
  'amend insufficientFunds',
  'setLeverage insufficientFunds',
  'setRiskLimit insufficientFunds',
  'setPositionMode positionModeUnchangeable',
  'cancel orderNotFound',
  'changeMarket termsUnsafe',
];

test('a refused command writes no field of the state while it is checked', { rule: '11.12' }, () => {
  const met = new Set<string>();
  for (let seed = 1; seed <= SEEDS; seed++) {
    const run = runSeed(seed, COMMANDS, ACTIONS);
    assert.equal(run.difference, null, `seed ${seed}`);
    judgeAll(`seed ${seed}`, run.genesis, run.steps, met);
  }
  judgeAll('leverage', genesis(), tooLowLeverage(), met);
  const missing = MUST_MEET.filter((refusal) => !met.has(refusal));
  assert.deepEqual(missing, [], `only met ${[...met].sort().join(', ')}`);
});

/** A cross and an isolated position of 3,000,000 USDT, whose margin at leverage 1 is more than the accounts have. */
function tooLowLeverage(): TimedStep[] {
  const driver = new VenueDriver();
  const lots = 5_000_000;
  driver.prices(BTC_PERP, { index: 600_000_000 });
  driver.limit(0, BTC_PERP, SELL, 600_000, lots);
  driver.limit(1, BTC_PERP, BUY, 600_000, lots, { positionMode: 'ISOLATED' });
  const terms = { type: 'setLeverage', market: BTC_PERP, leverage: 1 };
  driver.run({ ...terms, account: 0, margin: 'CROSS', position: null });
  driver.run({ ...terms, account: 1, margin: 'ISOLATED', position: 1 });
  driver.run({ ...terms, account: 1, margin: 'ISOLATED', position: null });
  const { riskTiers } = driver.venue.markets[BTC_PERP].spec;
  const dearer = (riskTiers ?? []).map((tier) => ({ ...tier, initial: '1', maintenance: '0.9' }));
  driver.run({ type: 'changeMarket', market: BTC_PERP, terms: { riskTiers: dearer }, force: false });
  return driver.log.slice(1).map((text) => ({ atMs: START_MS, command: JSON.parse(text) }));
}

test('a frozen state notices a check that tries a change out', () => {
  const state = stateOf(new VenueDriver().venue.save());
  const holding = [...state.accounts.values()][0].positionsIn(BTC_PERP);
  freeze(state);
  assert.throws(() => {
    holding.mode = 'HEDGE';
  }, TypeError);
  assert.throws(() => {
    holding.net.leverage++;
  }, TypeError);
  assert.throws(() => {
    state.ledger.addToInsurance(0, 1n);
  }, TypeError);
  assert.throws(() => {
    state.deadMen.clear();
  }, /would be written/);
});

function judgeAll(name: string, first: Genesis, steps: readonly TimedStep[], met: Set<string>): void {
  const venue = new Venue();
  venue.apply(1, START_MS, first);
  for (const [i, { atMs, command }] of steps.entries()) {
    const saved = venue.save();
    const { refusal } = venue.apply(i + 2, atMs, command);
    if (refusal === null) continue;
    const before = stateOf(saved, () => assert.fail('a refused command has no events'));
    const handler = HANDLERS[command.type];
    if (handler === undefined) continue;
    before.beginCommand(i + 2, []);
    if (first.clock === 'real' && before.timers.nextDueMs() <= atMs) continue;
    passTime(before, first.clock === 'manual' ? before.nowMs : atMs);
    const text = canonicalState(before);
    const otherMode = inOtherMode(before, command);
    freeze(before);
    const found = frozenRefusal(before, command) ?? handler(before, command as never);
    assert.equal(found?.reason, refusal.reason, `${name}, step ${i}`);
    assert.equal(canonicalState(before), text, `${name}, step ${i}: ${command.type} ${refusal.reason}`);
    met.add(`${command.type} ${refusal.reason}`);
    if (otherMode && refusal.reason !== 'positionModeMismatch') met.add('place in another mode');
  }
}

function stateOf(saved: string, listener: Listener = {}): VenueState {
  const emitter = newEmitter();
  addListener(emitter, listener);
  return loadVenue((JSON.parse(saved) as { desk: SavedVenue }).desk, emitter, new Effects(), null);
}

function inOtherMode(state: VenueState, command: Command): boolean {
  if (command.type !== 'place' || state.markets[command.market]?.product !== 'futures') return false;
  const mode = state.accounts.get(command.account)?.positionsIn(command.market).mode;
  return command.positionMode != null && command.positionMode !== mode;
}

type Handler = (venue: VenueState, command: never) => Refusal | null | undefined;

/** The commands of the core that can be refused, as `Venue` passes them on. */
const HANDLERS: Partial<Record<Command['type'], Handler>> = {
  place: (venue, command) => place(venue, command).refusal,
  cancel: (venue, command) => cancel(venue, command).refusal,
  amend: (venue, command) => amendOrder(venue, command).refusal,
  attachBrackets: (venue, command) => attachOrders(venue, command).refusal,
  deposit,
  setPrices,
  cancelAllAfter,
  setLeverage,
  setRiskLimit,
  setPositionMode,
  haltMarket,
  resumeMarket: haltMarket,
  advance: (venue, { toMs }: { toMs: number }) => advance(venue, toMs),
  createAccount: (venue, command) => createAccount(venue, command, venue.accounts.size),
  addKey,
  revokeKey,
  listMarket: addMarket,
  changeMarket,
  delistMarket,
  changeAccount,
};

/** Everything that can be reached, but for private fields and typed arrays. */
function freeze(state: VenueState): void {
  // What is made at its first use and means the same as none is no change.
  for (const account of state.accounts.values()) for (const { index } of state.markets) account.positionsIn(index);
  const seen = new Set<object>();
  for (const account of state.accounts.values()) for (const order of state.liveOrders(account)) freezeDeep(order, seen);
  freezeDeep(state, seen);
}

function freezeDeep(value: unknown, seen: Set<object>): void {
  if (typeof value !== 'object' || value === null || seen.has(value)) return;
  seen.add(value);
  // An ended order of a snapshot is read from it when somebody looks for it: that is no change either.
  if (ArrayBuffer.isView(value) || value instanceof OrderTable) return;
  if (value instanceof Map || value instanceof Set) {
    for (const [key, member] of value.entries()) for (const part of [key, member]) freezeDeep(part, seen);
    const refuse = () => {
      throw new Error('a frozen map or set would be written');
    };
    Object.assign(value, { set: refuse, add: refuse, delete: refuse, clear: refuse });
  }
  for (const member of Object.values(value)) freezeDeep(member, seen);
  Object.freeze(value);
}
