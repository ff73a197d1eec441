/** Starts the page: the session, then the shell and the feed. */
import { startFeed } from './feed.js';
import { followVenue } from './follow.js';
import { openSession } from './session.js';
import { Shell } from './shell.js';
import { unreachable } from './store.js';
import { html, render } from './ui.js';

render(html`<${Shell} />`, /** @type {HTMLElement} */ (document.getElementById('app')));

const RETRY_MS = 2000;

/** A venue that does not answer yet is asked again. A session that was refused is not. */
async function start() {
  try {
    if (!(await openSession())) return;
    followVenue();
    startFeed();
  } catch {
    unreachable();
    setTimeout(start, RETRY_MS);
  }
}

// Another link was opened in this tab.
addEventListener('hashchange', () => location.hash.startsWith('#t=') && void start());
await start();
