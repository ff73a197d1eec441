/** Why money moved, in words. The names are those of the ledger. */

const REASONS = /** @type {Record<string, string>} */ ({
  liquidationFee: 'liquidation fee',
  insurance: 'insurance fund',
  autoDeleveraging: 'auto-deleveraging',
  transferIn: 'transfer in',
  transferOut: 'transfer out',
});

/** @param {string} reason */
export const reasonText = (reason) => REASONS[reason] ?? reason;
