/** How a stream ends the connection of a client that it drops. */
import type { WebSocket } from 'ws';
import type { World } from '../../engine/contract/world.ts';

/** How long the client has for the closing handshake. One that does not read does not answer either. */
const CLOSE_MS = 2000;

/** The client gets the code and the reason, if it reads. */
export function closeSoon(ws: WebSocket, code: number, reason: string, world: Pick<World, 'timer'>): void {
  ws.close(code, reason);
  world.timer(CLOSE_MS, () => ws.terminate()).unref();
}
