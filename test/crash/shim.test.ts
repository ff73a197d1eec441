/** The shim itself: each of its faults hits the calls of a Node process in the given folder, and nowhere else. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { before, type TestContext, test } from 'node:test';
import { scratch } from './process.ts';
import { buildShim, type Fault, Shim } from './shim.ts';

const folder = join(scratch, 'data');
const built = buildShim(scratch);

before(() => fs.mkdirSync(folder));

/** The JSON that a program prints with the fault armed, and how often the fault hit. */
function run(t: TestContext, fault: Fault, program: string): { printed: unknown; hits: number } {
  if ('missing' in built) {
    t.skip(built.missing);
    return { printed: undefined, hits: 0 };
  }
  const shim = new Shim(built.library, join(scratch, 'control'), folder);
  t.after(() => shim.close());
  shim.arm(fault);
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', `${PRELUDE}\n${program}`], {
    encoding: 'utf8',
    env: { ...process.env, ...shim.environment, FOLDER: folder, BESIDE: scratch },
  });
  assert.notEqual(stdout, '', stderr);
  return { printed: JSON.parse(stdout), hits: shim.hits(fault.kind) };
}

const PRELUDE = `
import * as fs from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
const { FOLDER, BESIDE } = process.env;
const print = (value) => console.log(JSON.stringify(value));
const codeOf = (act) => { try { act(); return 'done'; } catch (error) { return error.code; } };
const ten = Buffer.alloc(10, 1);
const inside = (name) => FOLDER + '/' + name;
const beside = (name) => BESIDE + '/' + name;
const at = (path) => fs.openSync(path, 'w');
`;

const HITS: readonly [what: string, fault: Fault, program: string, printed: unknown, hits: number][] = [
  [
    'writes are short, and the bytes come in pieces all the same (libuv goes on by itself)',
    { kind: 'shortWrite', where: ['log'], times: 3 },
    "const fd = at(inside('1.log')); print([fs.writeSync(fd, ten, 0, 10, 0), fs.fstatSync(fd).size]);",
    [10, 10],
    3,
  ],
  [
    'a write fails after two that do not, and leaves half of its bytes',
    { kind: 'writeFails', where: ['log'], skip: 2, times: 1 },
    "const fd = at(inside('1.log')); print([0, 10, 20].map((to) => codeOf(() => fs.writeSync(fd, ten, 0, 10, to))).concat(fs.fstatSync(fd).size));",
    ['done', 'done', 'EIO', 25],
    1,
  ],
  [
    'there is no space, until the fault is spent',
    { kind: 'noSpace', where: ['snapshot'], times: 2 },
    "const fd = at(inside('1.snapshot')); print([0, 0, 0].map(() => codeOf(() => fs.writeSync(fd, ten))));",
    ['ENOSPC', 'ENOSPC', 'done'],
    2,
  ],
  [
    'a file elsewhere is not hit',
    { kind: 'noSpace', where: ['log', 'archive', 'snapshot', 'other', 'folder'] },
    "print(codeOf(() => fs.writeSync(at(beside('1.log')), ten)));",
    'done',
    0,
  ],
  [
    'fdatasync and fsync fail',
    { kind: 'syncFails', where: ['log', 'folder'], times: 2 },
    "const fd = at(inside('1.log')); print([codeOf(() => fs.fdatasyncSync(fd)), codeOf(() => fs.fsyncSync(fs.openSync(FOLDER, 'r'))), codeOf(() => fs.fdatasyncSync(fd))]);",
    ['EIO', 'EIO', 'done'],
    2,
  ],
  [
    'a sync takes 200 ms',
    { kind: 'slowSync', where: ['log'], times: 1, milliseconds: 200 },
    "const fd = at(inside('1.log')); const from = performance.now(); fs.fdatasyncSync(fd); print(performance.now() - from >= 200);",
    true,
    1,
  ],
  [
    'no descriptor is left',
    { kind: 'noDescriptor', where: ['log'], times: 1 },
    "print([codeOf(() => at(inside('2.log'))), codeOf(() => at(inside('2.log')))]);",
    ['EMFILE', 'done'],
    1,
  ],
  [
    'a rename fails',
    { kind: 'renameFails', where: ['snapshot'], times: 1 },
    "at(inside('unready')); print([1, 2].map(() => codeOf(() => fs.renameSync(inside('unready'), inside('2.snapshot')))));",
    ['EIO', 'done'],
    1,
  ],
  [
    "SQLite's writes fail",
    { kind: 'writeFails', where: ['archive'] },
    "print(codeOf(() => new DatabaseSync(inside('archive.db')).exec('PRAGMA journal_mode = WAL; CREATE TABLE a (b)')));",
    'ERR_SQLITE_ERROR',
    1,
  ],
];

for (const [what, fault, program, printed, hits] of HITS) {
  test(`${what}: ${fault.kind} in ${fault.where.join(', ')}`, (t) => {
    const found = run(t, fault, program);
    if (found.printed !== undefined) assert.deepEqual([found.printed, Math.min(found.hits, hits)], [printed, hits]);
  });
}

for (const milliseconds of [3_600_000, -3_600_000]) {
  test(`the wall clock of a process steps by ${milliseconds} ms, its monotonic clock does not`, (t) => {
    const fault: Fault = { kind: 'clockStep', where: [], milliseconds };
    const sinceMs = performance.now();
    const { printed, hits } = run(t, fault, 'print([Date.now(), performance.now(), fs.statSync(FOLDER).mtimeMs])');
    if (printed === undefined) return;
    const [wallMs, monotonicMs] = printed as number[];
    const tookMs = performance.now() - sinceMs;
    const step = wallMs - Date.now();
    assert.ok(Math.abs(step - milliseconds) <= tookMs + 1000, `it stepped by ${step} ms`);
    assert.ok(monotonicMs >= 0 && monotonicMs <= tookMs, `${monotonicMs} ms of ${tookMs}`);
    assert.ok(hits > 0);
  });
}
