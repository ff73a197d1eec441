/** How many faults are armed. @param {any} reply of GET /faults. Undefined: not known yet */
export const armedIn = (reply) => (reply?.faults ?? []).filter((/** @type {any} */ { left }) => left !== 0).length;
