/** API keys: made, listed without secrets, revoked. */
import { PERMISSIONS, readPermissions } from '../../../config/config.ts';
import type { Field } from '../../../config/field.ts';
import { readNetworks } from '../../../config/gateway.ts';
import type { Key, Venue } from '../../../venue/venue.ts';
import type { KeyPlace, Page } from '../account-list.ts';
import { type ControlContext, find, nameOf, submit } from '../context.ts';
import { placeIn, readPage } from '../paging.ts';
import { refuseProblems } from '../problems.ts';
import { keyView } from '../views.ts';

export async function createKey(context: ControlContext, body: Field, name: string): Promise<object> {
  body.object(['permissions', 'ipAllow', 'expiresAt']);
  const permissions = readPermissions(body.at('permissions'));
  if (permissions.length === 0) body.at('permissions').problem(`must name at least one of ${PERMISSIONS.join(', ')}`);
  const ipAllow = readNetworks(body.at('ipAllow'));
  const expiresAtMs = readExpiry(body.at('expiresAt'));
  refuseProblems(body);
  const account = find(context, name).index;
  const { key, secret } = context.newKey();
  const sealed = context.seal(secret);
  await submit(context, { v: 1, type: 'addKey', account, key, sealed, permissions, ipAllow, expiresAtMs });
  return { key, secret };
}

function readExpiry(field: Field): number | null {
  return field.given && field.value !== null ? field.time() : null;
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

function keysPage({ venue, lastUsedMs, masterOf }: ControlContext, { rows, more }: Page<string>): object {
  const keys = rows.map((name) => {
    const key = venue.key(name) as Key;
    const account = nameOf(venue, key.account);
    return { ...keyView(key, account, lastUsedMs(name)), masterKey: masterOf(key.sealed) };
  });
  const last = keys.at(-1);
  return { keys, ...(more && { next: `${last?.account}/${last?.key}` }) };
}

export async function revokeKey(context: ControlContext, _body: Field, key: string): Promise<object> {
  await submit(context, { v: 1, type: 'revokeKey', key });
  return {};
}
