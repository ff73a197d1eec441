/**
 * Which positions are nearest to their liquidation, over all accounts. No topic has that: accounts are read one by one, of
 * a few accounts again and again while a view shows it, of many only at a click.
 */
import { get, Refused } from './api.js';
import { readAccounts } from './follow.js';
import { liquidationDistance } from './positions.js';
import { accounts, markets, now } from './store.js';
import { signal, useEffect } from './ui.js';

/** More accounts than these are not read without a click. */
export const MOST_FOLLOWED = 20;
/** So many accounts are read at a click. The next one goes on behind them. */
export const MOST_AT_A_CLICK = 2000;
const AT_A_TIME = 4;
const AGAIN_MS = 2000;
export const MOST_ROWS = 10;
/** A position that is nearer than this share of its mark needs somebody. */
const URGENT = 0.01;

/**
 * @typedef {{ account: string, position: any, far: number, available: string | null }} AtRisk `far`: of `liquidationDistance`;
 *   0 while the liquidation is in progress. `available`: in the currency of its market
 * @typedef {{ rows: AtRisk[], read: number, seq: number }} Looked `rows`: the nearest first. `read`: how many accounts were read
 */

/** What was found last. Null: nobody has looked. @type {import('@preact/signals').Signal<Looked | null>} */
export const looked = signal(/** @type {Looked | null} */ (null));

/** @param {Looked} found @returns {AtRisk[]} what needs somebody now */
export const urgentOf = ({ rows }) => rows.filter(({ far }) => far < URGENT);

/** Looks again after commands while few accounts are there. */
export function useRisk() {
  useEffect(() => {
    let [isOver, isLooking] = [false, false];
    if (accounts.peek().length <= MOST_FOLLOWED) void readAccounts();
    const look = async () => {
      const isFew = accounts.value.length > 0 && accounts.value.length <= MOST_FOLLOWED;
      if (isOver || isLooking || document.hidden || !isFew || looked.value?.seq === now.value?.seq) return;
      isLooking = true;
      await lookFrom(0).catch(() => {});
      isLooking = false;
    };
    const first = accounts.subscribe(() => void look());
    const timer = setInterval(look, AGAIN_MS);
    return () => {
      isOver = true;
      first();
      clearInterval(timer);
    };
  }, []);
}

/** Reads the accounts behind the first `start`. @param {number} start @throws when the venue does not answer */
export async function lookFrom(start) {
  const seq = now.peek()?.seq ?? 0;
  const names = accounts.peek().slice(start, start + MOST_AT_A_CLICK);
  /** @type {AtRisk[]} */
  const found = [];
  for (let i = 0; i < names.length; i += AT_A_TIME) {
    found.push(...(await Promise.all(names.slice(i, i + AT_A_TIME).map(atRisk))).flat());
  }
  const before = start === 0 ? [] : (looked.peek()?.rows ?? []);
  const rows = [...before, ...found].sort((a, b) => a.far - b.far).slice(0, MOST_ROWS);
  looked.value = { rows, read: start + names.length, seq };
}

/** @param {string} account @returns {Promise<AtRisk[]>} */
async function atRisk(account) {
  try {
    const { positions, balances } = await get(`/accounts/${encodeURIComponent(account)}`);
    return positions.flatMap((/** @type {any} */ position) => {
      const far = position.liquidationInProgress ? 0 : liquidationDistance(position);
      const quote = markets.peek().get(position.symbol)?.quote;
      return far === null ? [] : [{ account, position, far, available: balances[quote]?.available ?? null }];
    });
  } catch (error) {
    // A reset has taken the account away.
    if (error instanceof Refused && error.status === 404) return [];
    throw error;
  }
}
