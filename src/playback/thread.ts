/** The thread that reads a recording, so that the venue's thread does not. It sends a piece when one is wanted. */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { RecordingRefused } from '../recorded/refused.ts';
import { type GroupOptions, piecesOf } from './groups.ts';
import { PIECES_AHEAD, type Piece } from './pieces.ts';

async function send(port: MessagePort, options: GroupOptions): Promise<void> {
  let wanted = PIECES_AHEAD;
  let more = Promise.withResolvers<void>();
  port.on('message', () => {
    wanted += 1;
    more.resolve();
  });
  const post = async (numbers: Float64Array<ArrayBuffer>, isLast: boolean) => {
    while (wanted === 0) {
      more = Promise.withResolvers();
      await more.promise;
    }
    wanted -= 1;
    port.postMessage({ numbers, isLast } satisfies Piece, [numbers.buffer]);
  };
  try {
    for await (const piece of piecesOf(options)) await post(piece, false);
    await post(new Float64Array(), true);
  } catch (error) {
    const isRefusal = error instanceof RecordingRefused || (error as NodeJS.ErrnoException).code !== undefined;
    if (!isRefusal) throw error;
    port.postMessage({ refused: (error as Error).message } satisfies Piece);
  } finally {
    port.close();
  }
}

await send(parentPort as MessagePort, workerData as GroupOptions);
