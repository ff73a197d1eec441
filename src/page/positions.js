/** Positions in figures: how far one is from its liquidation. */

/** A position that is nearer than this share of the mark is shown as a warning. */
const NEAR = 0.05;

/**
 * How far the mark is from the liquidation price, as a share of the mark. Null: it has no such price, or there is no mark.
 * @param {any} position @returns {number | null}
 */
export function liquidationDistance({ liquidationPrice, mark }) {
  return liquidationPrice === null || !mark ? null : Math.abs(mark - liquidationPrice) / mark;
}

/** @param {any} position */
export const isNearLiquidation = (position) => (liquidationDistance(position) ?? 1) < NEAR;
