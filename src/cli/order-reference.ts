/**
 * How the commands about one order name it: `--order-id` with the venue's id, or `--client-id` with the client's own. A bare
 * id is taken too: one in the form of the venue's ids is such an id, and any other one is a client id.
 */
import type { Command } from 'commander';
import type { OrderReference } from '../client/client.ts';
import { UsageError } from './output.ts';

export interface OrderReferenceFlags {
  orderId?: string;
  clientId?: string;
}

const ORDER_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

export function addReference(command: Command): Command {
  return command
    .argument('[id]', 'the same without a flag')
    .option('--order-id <id>', "the venue's id of the order")
    .option('--client-id <id>', 'your own id of the order');
}

/** @throws {UsageError} none is given, or more than one */
export function referenceOf(
  bare: string | undefined,
  { orderId, clientId }: OrderReferenceFlags,
  isOrderId = (id: string) => ORDER_ID.test(id),
): OrderReference {
  const given = [bare, orderId, clientId].filter((id) => id !== undefined);
  if (given.length === 0) throw new UsageError('give --order-id or --client-id');
  if (given.length > 1) throw new UsageError(`give one id, not ${given.join(' and ')}`);
  if (given[0] === '') throw new UsageError('the id is empty');
  // The venue writes its ids in lower case.
  if (bare === undefined) return { orderId: orderId?.toLowerCase(), clOrderId: clientId };
  return isOrderId(bare) ? { orderId: bare.toLowerCase() } : { clOrderId: bare };
}
