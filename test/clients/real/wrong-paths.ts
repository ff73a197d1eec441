/** Paths in BTSE's samples that BTSE does not have: a futures version under /spot, and a path without its `user/`. */
export const SAMPLES_WRONG_PATHS: readonly string[] = [
  'GET /spot/api/v2.1/user/fees',
  'POST /futures/api/v2.1/wallet/transfer',
];
