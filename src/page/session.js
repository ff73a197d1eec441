/** The session of this browser: opened with a link, kept as a cookie that no script sees, and ended. */
import { get, Refused, request } from './api.js';
import { session, signOut } from './store.js';

/**
 * Opens the session: with the code of a link, which leaves the address at once, or with the cookie from before.
 * @returns {Promise<boolean>}
 */
export async function openSession() {
  const code = /^#t=([\w-]+)$/.exec(location.hash)?.[1];
  if (code !== undefined) history.replaceState(null, '', location.pathname + location.search);
  try {
    session.value = code === undefined ? await get('/session') : await request('POST', '/session', { code });
    return true;
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    // A spent link, opened again in a browser that has a session.
    if (code !== undefined) {
      session.value = await get('/session').catch(() => null);
      if (session.value !== null) return true;
    }
    signOut({ isLinkSpent: error.reason === 'linkSpent' });
    return false;
  }
}

export async function endSession() {
  await request('DELETE', '/session');
  signOut();
}
