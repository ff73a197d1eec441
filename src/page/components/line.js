/** A line of the last samples: without axes, from zero to the most. */
import { html } from '../ui.js';

const [WIDTH, HEIGHT, PAD] = [300, 32, 2];
/** Samples of the whole width: ten minutes of one each two seconds. */
const MOST = 300;

/** @param {{ label: string, points: readonly (number | null)[] }} props null: nothing was measured, and the line has a gap */
export function Line({ label, points }) {
  const shown = points.slice(-MOST);
  const most = Math.max(Number.MIN_VALUE, ...shown.map((each) => each ?? 0));
  // Few samples take the whole width too: a line that starts at the right edge says nothing for minutes.
  const span = Math.max(29, shown.length - 1);
  let path = '';
  let isDrawing = false;
  shown.forEach((point, i) => {
    if (point === null) {
      isDrawing = false;
      return;
    }
    const x = WIDTH - ((shown.length - 1 - i) / span) * WIDTH;
    const y = HEIGHT - PAD - (point / most) * (HEIGHT - 2 * PAD);
    path += `${isDrawing ? 'L' : 'M'}${x.toFixed(1)} ${y.toFixed(1)}`;
    // A sample between two gaps is a dot.
    if (!isDrawing) path += 'h.1';
    isDrawing = true;
  });
  return html`<svg class="line" viewBox=${`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label=${label}>
    <path d=${path} fill="none" stroke="currentColor" stroke-width="1.5" stroke-linecap="round" vector-effect="non-scaling-stroke" /></svg>`;
}
