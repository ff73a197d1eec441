/** Checkpoints: a bounded cache beside the log, whose loss or damage changes no answer. */
import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { RULES } from '../../src/archive/follow/follower.ts';
import { realWorld } from '../../src/engine/contract/world.ts';
import { replay } from '../../src/engine/replay/inspect.ts';
import { startEngine } from '../../src/engine/start.ts';
import type { LogPosition } from '../../src/log/contract/log-source.ts';
import { folderStorage } from '../../src/log/open.ts';
import { Checkpoints, folderShelf, memoryShelf } from '../../src/time-machine/checkpoints.ts';
import { CHECKPOINT_EVERY } from '../../src/time-machine/history.ts';
import { TimeMachine } from '../../src/time-machine/time-machine.ts';

const COMMANDS = 2 * CHECKPOINT_EVERY + 5000;
const root = fs.mkdtempSync(join(tmpdir(), 'bourse-checkpoints-'));
const folder = join(root, 'data');
const cache = join(root, 'cache');
after(() => fs.rmSync(root, { recursive: true }));

before(async () => {
  const engine = await startEngine({
    folder,
    clock: 'manual',
    secrets: { seal: (text) => text, open: (text) => text },
  });
  const all = Array.from({ length: COMMANDS - 1 }, (_, i) => i);
  for (let i = 0; i < all.length; i += 5000) {
    const part = all.slice(i, i + 5000);
    await Promise.all(
      part.map((at) => engine.submit({ v: 1, type: 'setPrices', market: 0, index: 1_000_000_000 + at, byHand: true })),
    );
  }
  assert.equal(engine.venue.seq, COMMANDS);
  await engine.stop();
  // Its snapshot would be nearer than any checkpoint.
  for (const name of fs.readdirSync(folder)) if (name.endsWith('.snapshot')) fs.rmSync(join(folder, name));
});

function kept(shelf = folderShelf(cache), more: { mostBytes?: number; rules?: string; mayWrite?: boolean } = {}) {
  return new Checkpoints({ shelf, mostBytes: 1 << 28, rules: RULES, venueId: undefined, mayWrite: true, ...more });
}

function machine(checkpoints: Checkpoints): TimeMachine {
  const storage = folderStorage(folder);
  return new TimeMachine({
    storage,
    identity: { rules: RULES },
    checkpoints,
    world: realWorld,
    sliceMs: 20,
    restMs: 0,
  });
}

interface Found {
  readonly hash: string;
  readonly from: { readonly kind: string; readonly seq: number };
}

async function at(of: TimeMachine, seq: number): Promise<Found> {
  const view = { show: null, account: null, symbol: null, limit: 1 } as const;
  return (await of.ask({ type: 'at', seq, endSeq: COMMANDS, ...view }, () => true)) as Found;
}

/** Resolves when the whole log is surveyed. */
async function surveyed(of: TimeMachine): Promise<void> {
  const whole = { from: null, to: null, buckets: 1, account: null } as const;
  let knownTo = 0;
  while (knownTo < COMMANDS) {
    const summary = await of.ask({ type: 'summary', endSeq: COMMANDS, ...whole }, () => true);
    knownTo = (summary as { knownTo: number }).knownTo;
  }
}

test('the survey keeps a state every 20,000 commands, from which later ones are computed, and damage is found', async () => {
  await surveyed(machine(kept()));
  const files = fs.readdirSync(cache).sort();
  assert.equal(files.length, 2);

  const seqs = [CHECKPOINT_EVERY + 7, COMMANDS - 1, 3 * (CHECKPOINT_EVERY / 2)];
  const hashes = new Map<number, string>();
  for (const seq of seqs) hashes.set(seq, (await replay(folder, { seq })).hash);
  const again = machine(kept());
  for (const seq of seqs) {
    const { hash, from } = await at(again, seq);
    assert.equal(hash, hashes.get(seq));
    assert.equal(from.kind, 'checkpoint');
    assert.ok(from.seq >= seq - CHECKPOINT_EVERY - 5000 && from.seq < seq);
  }

  const path = join(cache, files[0]);
  const bytes = fs.readFileSync(path);
  bytes[bytes.length >> 1] ^= 1;
  fs.writeFileSync(path, bytes);
  const damaged = await at(machine(kept()), CHECKPOINT_EVERY + 7);
  assert.deepEqual([damaged.hash, damaged.from.kind], [hashes.get(CHECKPOINT_EVERY + 7), 'beginning']);
  assert.deepEqual(fs.readdirSync(cache), [files[1]]);

  fs.writeFileSync(join(cache, '000000000007.checkpoint'), 'nonsense');
  fs.writeFileSync(join(cache, '000000000008.checkpoint.new'), 'unfinished');
  assert.equal((await at(machine(kept()), 9)).from.kind, 'beginning');
  assert.deepEqual(fs.readdirSync(cache), [files[1]]);

  fs.rmSync(cache, { recursive: true });
  assert.equal((await at(again, COMMANDS - 2)).hash, (await replay(folder, { seq: COMMANDS - 2 })).hash);
});

test('a checkpoint of another log, of other rules or under another seq is not used', async () => {
  const shelf = memoryShelf();
  const checkpoints = kept(shelf);
  await surveyed(machine(checkpoints));
  const [seq] = [...shelf.list().keys()].sort((a, b) => a - b);
  shelf.write(seq + 1, shelf.read(seq));
  assert.equal(kept(shelf).read(seq + 1)?.seq, seq);
  assert.equal(kept(shelf, { rules: '99' }).read(seq), undefined);

  await surveyed(machine(checkpoints));
  const text = checkpoints.read(COMMANDS)?.text as string;
  const foreign = kept(memoryShelf());
  foreign.add({ seq: 20, hash: 'of another log', segment: 1, offset: 512 } as LogPosition, text);
  assert.deepEqual((await at(machine(foreign), 30)).from, { kind: 'beginning', seq: 0 });
  assert.equal(foreign.before(30), undefined);
});

test('beyond the bytes that it may have, the cache stays spread over the log', () => {
  const shelf = memoryShelf();
  const text = (seq: number) => Array.from({ length: 4000 }, (_, i) => (i * seq) % 9973).join(' ');
  const size = () => [...shelf.list().values()].reduce((sum, bytes) => sum + bytes, 0);
  const checkpoints = kept(shelf, { mostBytes: 64_000 });
  for (let seq = 1; seq <= 40; seq += 1) {
    checkpoints.add({ seq, hash: `${seq}` }, text(seq));
    assert.ok(size() <= 64_000);
  }
  const seqs = [...shelf.list().keys()].sort((a, b) => a - b);
  const gaps = seqs.map((seq, i) => seq - (seqs[i - 1] ?? 0));
  assert.ok(seqs.length >= 4 && Math.max(...gaps) <= 16, `${seqs}`);
  assert.equal(seqs.at(-1), 40);

  const small = kept(memoryShelf(), { mostBytes: 10 });
  small.add({ seq: 1, hash: '1' }, text(1));
  assert.equal(small.before(1), undefined);
});

test('a folder that cannot be written, or may not be, is no trouble', async () => {
  const file = join(root, 'file');
  fs.writeFileSync(file, '');
  const blocked = kept(folderShelf(join(file, 'cache')));
  blocked.add({ seq: 1, hash: '1' }, 'text');
  assert.equal(blocked.before(1), undefined);

  const readOnly = kept(folderShelf(join(root, 'never')), { mayWrite: false });
  readOnly.add({ seq: 1, hash: '1' }, 'text');
  assert.equal(fs.existsSync(join(root, 'never')), false);
});
