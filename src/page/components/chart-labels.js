/**
 * The words over a chart: beside each line what it is, apart from the others; at the edges what lies beyond them; and each flag with its link.
 * They are looked at when the chart was drawn, and written only if one has moved or changed.
 */

/** @typedef {{ seq: number, timeMs: number, text: string }} Flag a point in the log */
/** @typedef {{ price: number, text: string, tone: 'buy' | 'sell' | 'ink3', isDashed: boolean }} Line `text`: with the price */
/** @typedef {{ text: string, tone: string, at: number, isEdge: boolean }} Label `at`: px from the top: of its middle while it finds room, then of its top */
/** @typedef {{ seq: number, text: string, x: number }} PlacedFlag */
/**
 * @typedef {{ lines: () => readonly Line[], yOf: (price: number) => number | null, priceAt: (y: number) => number,
 *   xOf: (timeMs: number, lengthMs: number) => number | null, axes: () => { right: number, bottom: number } }} Scale
 *   of the chart; `xOf`: null while there is no candle; `axes`: the room that they take
 */

/** The height of a label and its distance to the next. */
const LABEL_PX = 17;
/** Candles end above this share of the height and volumes begin below it: flags cover neither. */
const FLAG_AT = 0.83;
/** The width that the words of a flag need. */
const FLAG_PX = 150;
/** On a narrower chart lines have no labels. */
export const NARROW_PX = 560;

export class ChartLabels {
  /** @param {HTMLElement} place over the chart @param {Scale} scale */
  constructor(place, scale) {
    this.place = place;
    this.scale = scale;
    /** @type {readonly Flag[]} */
    this.flags = [];
    this.lengthMs = 60_000;
    this.isScheduled = false;
    this.isGone = false;
    this.written = '';
    /** Of the place. It is not read from the layout each time. */
    this.size = { width: place.clientWidth, height: place.clientHeight };
    this.sizes = new ResizeObserver(([{ contentRect }]) => {
      this.size = { width: contentRect.width, height: contentRect.height };
      this.schedule();
    });
    this.sizes.observe(place);
  }

  /** @param {readonly Flag[]} flags @param {number} minutes of a candle */
  setFlags(flags, minutes) {
    this.flags = flags;
    this.lengthMs = minutes * 60_000;
    this.schedule();
  }

  schedule() {
    if (this.isScheduled) return;
    this.isScheduled = true;
    // In the frame in which the chart is drawn, behind it.
    queueMicrotask(() => {
      this.isScheduled = false;
      if (!this.isGone) this.write();
    });
  }

  write() {
    const { right, bottom } = this.scale.axes();
    const height = this.size.height - bottom;
    const labels = this.labelsOf(height);
    const flags = this.flagsOf(right);
    const text = JSON.stringify([right, height, labels, flags]);
    if (text === this.written) return;
    this.written = text;
    this.place.replaceChildren(
      ...labels.map((label) => labelNode(label, right)),
      ...flags.flatMap((flag) => flagNodes(flag, height)),
    );
  }

  /** @param {number} height @returns {Label[]} */
  labelsOf(height) {
    const seen = this.scale.lines().flatMap(({ price, text, tone }) => {
      const y = this.scale.yOf(price);
      return y === null || y < 0 || y > height ? [] : [{ text, tone, y, at: y, isEdge: false }];
    });
    seen.sort((a, b) => a.y - b.y);
    const edges = this.edges(height);
    const [top, bottom] = edges.map((edge) => (edge === null ? 0 : LABEL_PX));
    if (seen.length > 0) seen[0].at = Math.max(seen[0].at, LABEL_PX / 2 + 1 + top);
    for (let i = 1; i < seen.length; i++) seen[i].at = Math.max(seen[i].at, seen[i - 1].at + LABEL_PX);
    // None is cut at the top, nor at the bottom.
    const below = (seen.at(-1)?.at ?? 0) + LABEL_PX / 2 - (height - bottom);
    if (below > 0) for (const each of seen) each.at -= below;
    const isNarrow = this.size.width < NARROW_PX;
    const placed = [...(isNarrow ? [] : seen), ...edges.filter((edge) => edge !== null)];
    return placed.map(({ text, tone, at, isEdge }) => ({ text, tone, at: Math.round(at - LABEL_PX / 2), isEdge }));
  }

  /**
   * What lies above and below the prices that are shown: the nearest, and how many others.
   * @param {number} height @returns {[above: Label | null, below: Label | null]}
   */
  edges(height) {
    const [high, low] = [this.scale.priceAt(0), this.scale.priceAt(height)];
    const edge = (/** @type {Line[]} */ lines, /** @type {string} */ sign, /** @type {number} */ at) => {
      const [nearest] = lines;
      if (nearest === undefined) return null;
      const others = lines.length > 1 ? `, and ${lines.length - 1} more` : '';
      const text = `${sign} ${nearest.text}${others}`;
      return { text, tone: nearest.tone, at, isEdge: true };
    };
    const sorted = [...this.scale.lines()].sort((a, b) => a.price - b.price);
    const above = sorted.filter(({ price }) => price > high);
    const below = sorted.filter(({ price }) => price < low).reverse();
    return [edge(above, '▴', LABEL_PX / 2 + 1), edge(below, '▾', height - LABEL_PX / 2)];
  }

  /** Each at its time. Of those that would cover each other, only the last one has words. @param {number} right the width of the axis @returns {PlacedFlag[]} */
  flagsOf(right) {
    const placed = this.flags.flatMap(({ seq, timeMs, text }) => {
      const x = this.scale.xOf(timeMs, this.lengthMs);
      // What is after the last time that is shown is at the edge.
      return x === null ? [] : [{ seq, text, x: Math.round(Math.min(x, this.size.width - right)) }];
    });
    placed.sort((a, b) => b.x - a.x || b.seq - a.seq);
    let nextX = Number.POSITIVE_INFINITY;
    return placed.map((flag) => {
      if (nextX - flag.x < FLAG_PX) return { ...flag, text: '' };
      nextX = flag.x;
      return flag;
    });
  }

  remove() {
    this.isGone = true;
    this.sizes.disconnect();
  }
}

/** @param {Label} label @param {number} right the width of the axis */
function labelNode({ text, tone, at, isEdge }, right) {
  const node = document.createElement('span');
  node.className = `chart-label ${tone} ${isEdge ? 'edge' : ''}`;
  node.textContent = text;
  node.style.top = `${at}px`;
  node.style.right = `${Math.round(right + 6)}px`;
  return node;
}

/** A line over the candle, with a link to its seq. @param {PlacedFlag} flag @param {number} height */
function flagNodes({ seq, text, x }, height) {
  const line = document.createElement('i');
  line.className = 'flag-line';
  line.style.left = `${x}px`;
  line.style.height = `${height}px`;
  if (text === '') return [line];
  const label = document.createElement('a');
  label.className = 'flag log';
  label.style.top = `${Math.round(height * FLAG_AT)}px`;
  label.href = `/time?seq=${seq}`;
  label.textContent = text;
  label.style.right = `calc(100% - ${x - 4}px)`;
  return [line, label];
}
