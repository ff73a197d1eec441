/** The thread that reads a recording, so that the venue's thread does not. It sends a piece when one is wanted. */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { RecordingRefused } from '../recorded/refused.ts';
import { type GroupOptions, groupsOf } from './groups.ts';
import { addGroup, PIECES_AHEAD, type Piece } from './pieces.ts';

const PIECE_NUMBERS = 1 << 15;

async function send(port: MessagePort, options: GroupOptions): Promise<void> {
  let wanted = PIECES_AHEAD;
  let more = Promise.withResolvers<void>();
  port.on('message', () => {
    wanted += 1;
    more.resolve();
  });
  let numbers: number[] = [];
  const post = async (isLast: boolean) => {
    while (wanted === 0) {
      more = Promise.withResolvers();
      await more.promise;
    }
    wanted -= 1;
    const piece = Float64Array.from(numbers);
    port.postMessage({ numbers: piece, isLast } satisfies Piece, [piece.buffer]);
    numbers = [];
  };
  try {
    for await (const group of groupsOf(options)) {
      addGroup(numbers, group);
      if (numbers.length >= PIECE_NUMBERS) await post(false);
    }
    await post(true);
  } catch (error) {
    const isRefusal = error instanceof RecordingRefused || (error as NodeJS.ErrnoException).code !== undefined;
    if (!isRefusal) throw error;
    port.postMessage({ refused: (error as Error).message } satisfies Piece);
  } finally {
    port.close();
  }
}

await send(parentPort as MessagePort, workerData as GroupOptions);
