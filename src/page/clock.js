/** A manual clock that this page moves: by a step, to what is due next, or on and on at a speed. */
import { post, request } from './api.js';
import { grouped } from './format.js';
import { say } from './messages.js';
import { pastSeq } from './router.js';
import { isManual, mayTest } from './store.js';
import { signal } from './ui.js';

/** Between two steps of a running clock, milliseconds of the machine. */
const STEP_MS = 250;

/** How much faster than the machine this page moves a manual clock. 0: it stands still. */
export const pace = signal(0);
/** The pace that Space takes up again. */
let lastPace = 1;

/** May this session move the clock, and is it now that it looks at? */
const mayMove = () => isManual.value && mayTest.value && pastSeq.value === null;

/** @param {number} next how much faster than the machine; 0 stops */
export function run(next) {
  const wasRunning = pace.value > 0;
  pace.value = next;
  if (next === 0) return;
  lastPace = next;
  if (!wasRunning) void keepMoving();
}

/** Runs until the pace is 0 or the venue refuses. A slow venue gets longer steps, not more of them. */
async function keepMoving() {
  let before = performance.now();
  while (pace.value > 0) {
    await new Promise((resolve) => setTimeout(resolve, STEP_MS));
    if (pace.value === 0) return;
    const at = performance.now();
    try {
      await request('POST', '/clock', { advance: Math.max(1, Math.round((at - before) * pace.value)) });
      before = at;
    } catch (error) {
      pace.value = 0;
      say(`the clock stopped: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}

export const TO_NEXT = /** @type {const} */ ({ method: 'POST', path: '/clock', body: { toNextDue: true } });

async function toNext() {
  if (!mayMove()) return;
  try {
    const { seq, due } = await post('/clock', TO_NEXT.body);
    say(`seq ${grouped(seq)}: ${due[0]?.sentence ?? 'nothing was due'}`);
  } catch (error) {
    say(error instanceof Error ? error.message : String(error));
  }
}

/** They work in every view. */
export const CLOCK_KEYS = [
  { key: ' ', what: 'run or stop a manual clock', act: () => mayMove() && run(pace.value > 0 ? 0 : lastPace) },
  { key: '.', what: 'move a manual clock to what is due next', act: () => void toNext() },
];
