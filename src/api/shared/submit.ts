/** Submitting a command to the engine, and the digest that makes two requests identical. */
import { hash } from 'node:crypto';
import { CommandRejected } from '../../engine/contract/errors.ts';
import type { Command } from '../../venue/contract/commands.ts';
import type { Decimal } from '../../venue/contract/decimal.ts';
import type { Reply } from '../../venue/venue.ts';
import { refusalError } from './errors.ts';
import type { Call } from './surface.ts';

/**
 * The digest for the rule of identical requests: the operation and its values as read. So "0.010" and 0.01 are one
 * request, and client ids that look like numbers stay different. Null without a client id.
 */
export function requestDigest(operation: string, values: object, id: string | null | undefined): string | null {
  if (id === null || id === undefined) return null;
  const entries = Object.entries(values).filter(([, value]) => value !== undefined);
  entries.sort(([a], [b]) => (a < b ? -1 : 1));
  const canonical = entries.map(([name, value]) => [
    name,
    isDecimal(value) ? [`${value.coefficient}`, value.scale] : value,
  ]);
  return hash('sha256', JSON.stringify([operation, canonical]), 'base64url');
}

function isDecimal(value: unknown): value is Decimal {
  return typeof value === 'object' && value !== null && 'coefficient' in value;
}

/**
 * Submits a command and returns its reply. `names`: the venue's field names → the surface's.
 * @throws {ApiError} the venue refused it, or too many earlier commands of the account
 */
export async function submit(call: Call, command: Command, names?: Readonly<Record<string, string>>): Promise<Reply> {
  const { engine, signed, account, refused } = call;
  refused.admit(account, command);
  let reply: Reply;
  try {
    reply = await engine.submit(signed === null ? command : { ...command, signed });
  } catch (error) {
    if (error instanceof CommandRejected) refused.count(account, 'failed', error.seq);
    throw error;
  }
  if (reply.refusal === null) return reply;
  refused.count(account, reply.refusal.reason, reply.seq);
  throw refusalError(engine.venue, reply, names);
}
