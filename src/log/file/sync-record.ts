/** Makes a record durable that was read from the log of another process, which may not have synced it yet. Needs no right to write. */
import * as fs from 'node:fs';
import { join } from 'node:path';
import type { LogPosition } from '../contract/log-position.ts';
import { framePosition } from '../shared/chain.ts';
import { segmentName } from '../shared/segments.ts';

export async function syncFolderRecord(folder: string, position: LogPosition): Promise<void> {
  const { segment } = framePosition({ position, name: 'a record', rulesVersion: '' });
  const path = join(folder, segmentName(segment));
  if (!fs.existsSync(path)) return; // It was moved to another folder, and was durable before that.
  const file = await fs.promises.open(path, 'r');
  try {
    await file.datasync();
  } finally {
    await file.close();
  }
}
