import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryLog } from '../../src/log/memory/memory-log.ts';
import { append } from './support.ts';

test('a log in memory counts its commands and refuses a gap', async () => {
  const log = new MemoryLog();
  await append(log, { id: 1 }, { id: 2 });
  assert.deepEqual([log.epoch, log.lastSeq, log.lastTimeMs], [1, 2, 1000]);
  await assert.rejects(log.append({ firstSeq: 2, timeMs: 0, commands: ['{}'] }), /has to follow the last one/);
});
