import { KEYS_PER_SEQ } from '../../src/venue/contract/order-id.ts';

/** The dense key of the order with number `index` (0..65535) of the command `seq` (0..2^37-1). */
export function orderKey(seq: number, index: number): number {
  return seq * KEYS_PER_SEQ + index;
}
