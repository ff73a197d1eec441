/** API keys: made, listed without secrets, revoked. */
import { PERMISSIONS, readPermissions } from '../../../config/config.ts';
import type { Field } from '../../../config/field.ts';
import { readNetworks } from '../../../config/gateway.ts';
import { realWorld } from '../../../engine/contract/world.ts';
import type { Key, Venue } from '../../../venue/venue.ts';
import type { KeyPlace, Page } from '../account-list.ts';
import { type ControlContext, find, nameOf, submit } from '../context.ts';
import { placeIn, readPage } from '../paging.ts';
import { refuseProblems } from '../problems.ts';
import { keyView } from '../views.ts';

/** Seals that are opened in one turn of the event loop. Each takes about 10 µs, and more for each earlier master key. */
const OPENED_AT_ONCE = 50;

export async function createKey(context: ControlContext, body: Field, name: string): Promise<object> {
  body.object(['permissions', 'ipAllow', 'expiresAt']);
  const permissions = readPermissions(body.at('permissions'));
  if (permissions.length === 0) body.at('permissions').problem(`must name at least one of ${PERMISSIONS.join(', ')}`);
  const ipAllow = readNetworks(body.at('ipAllow'));
  const expiresAtMs = readExpiry(context, body.at('expiresAt'));
  refuseProblems(body);
  const account = find(context, name).index;
  const { key, secret } = context.newKey();
  const sealed = context.seal(secret);
  await submit(context, { v: 1, type: 'addKey', account, key, sealed, permissions, ipAllow, expiresAtMs });
  return { key, secret };
}

/** A key that has expired when it is made would never work. */
function readExpiry({ isPastForKeys }: ControlContext, field: Field): number | null {
  if (!field.given || field.value === null) return null;
  const before = field.problems.length;
  const expiresAtMs = field.moment();
  if (field.problems.length === before && isPastForKeys(expiresAtMs)) {
    field.problem(`is in the past (${new Date(expiresAtMs).toISOString()}): the key would expire at once`);
  }
  return expiresAtMs;
}

/** By account, and by name within an account. */
export async function listKeys(context: ControlContext, query: Field): Promise<object> {
  const { limit, after } = readPage(query);
  const place = placeIn(after, (cursor) => keyPlace(context.venue, cursor));
  return keysPage(context, context.accountList.keysAfter(place, limit));
}

export async function listAccountKeys(context: ControlContext, query: Field, name: string): Promise<object> {
  const { limit, after } = readPage(query);
  const { index } = find(context, name);
  const place = placeIn(after, (cursor) => {
    const found = keyPlace(context.venue, cursor);
    return found?.account === index ? found : undefined;
  });
  return keysPage(context, context.accountList.keysOfAccount(index, place, limit));
}

/** A cursor is ACCOUNT/KEY. The key may be revoked. */
function keyPlace(venue: Venue, cursor: string): KeyPlace | undefined {
  const cut = cursor.indexOf('/');
  const account = cut < 0 ? undefined : venue.accountByName(cursor.slice(0, cut));
  return account && { account: account.index, key: cursor.slice(cut + 1) };
}

async function keysPage(
  { venue, lastUsedMs, masterOf, rotationPending }: ControlContext,
  { rows, more }: Page<string>,
): Promise<object> {
  const found = rows.map((name) => {
    const key = venue.key(name) as Key;
    return { view: keyView(key, nameOf(venue, key.account), lastUsedMs(name)), sealed: key.sealed };
  });
  const keys: object[] = [];
  for (const { view, sealed } of found) {
    keys.push({ ...view, masterKey: masterOf(sealed) });
    if (keys.length % OPENED_AT_ONCE === 0) await realWorld.nextTurn();
  }
  const last = found.at(-1)?.view;
  return {
    keys,
    ...(more && { next: `${last?.account}/${last?.key}` }),
    ...((await rotationPending()) && { rotationPending: true }),
  };
}

export async function revokeKey(context: ControlContext, _body: Field, key: string): Promise<object> {
  await submit(context, { v: 1, type: 'revokeKey', key });
  return {};
}
