/** For tests of what reads requests. */
import { ApiError } from '../../src/api/shared/errors.ts';
import { readDecimal } from '../../src/api/shared/fields.ts';
import type { Decimal } from '../../src/venue/contract/decimal.ts';

/** The reason and figures of the ApiError that `act` throws, as text. */
export function refused(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (error instanceof ApiError) return `${error.reason} ${JSON.stringify(error.params)}`;
    throw error;
  }
  return 'accepted';
}

export function value(written: string): Decimal {
  return readDecimal('value', written);
}
