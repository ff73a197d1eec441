/**
 * Random flipped bits in copies of small data folders. Each start ends in one of these ways:
 *
 * - `refused`: by name;
 * - `reported`: the venue runs, and the check behind its start reports the damage;
 * - `rebuilt`: the archive is rebuilt from the log, or a snapshot is set aside, with a notice;
 * - `cut`: an unfinished last batch is removed, with a notice, as it is without the flip;
 * - `unnoticed`: nothing reads the flipped bit.
 *
 * In all but the first, every answer is that of the undamaged folder. If a snapshot is set aside, nonces of requests
 * that are in no log are forgotten, as after a kill.
 */
import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { seeded } from '../../sim/seeded.ts';
import { copyFolder, type Folders, VARIANTS, type Variant } from './folders.ts';
import { type Answers, NONCES, type Outcome } from './outcome.ts';

/** The parts in which bits are flipped, each equally often. */
export const PARTS = ['log', 'snapshot', 'archive', 'remembered'] as const;
export type Part = (typeof PARTS)[number];
export const ENDS = ['refused', 'reported', 'rebuilt', 'cut', 'unnoticed'] as const;
export type End = (typeof ENDS)[number];

/** The number of ends of each kind, for each part of a folder. */
export type Table = Record<Part, Record<End, number>>;

export type Start = (folder: string) => Promise<Outcome>;

export function emptyTable(): Table {
  const row = () => Object.fromEntries(ENDS.map((end) => [end, 0])) as Record<End, number>;
  return Object.fromEntries(PARTS.map((part) => [part, row()])) as Table;
}

function partOf(name: string): Part | undefined {
  if (name.endsWith('.log') || name === 'sealed') return 'log';
  if (name.endsWith('.snapshot')) return 'snapshot';
  if (name.startsWith('archive.db')) return 'archive';
  return name === 'bourse.json' ? 'remembered' : undefined;
}

export class Flips {
  readonly table: Table = emptyTable();
  readonly #folders: Readonly<Record<Variant, string>>;
  readonly #work: string;
  readonly #start: Start;
  readonly #undamaged = new Map<Variant, Answers>();

  /** `work`: the folder for the copies, which is removed at the end. */
  constructor({ paths }: Folders, work: string, start: Start) {
    this.#folders = paths;
    this.#work = work;
    this.#start = start;
  }

  /**
   * Throws at the first flip with another end, and says what was flipped. `onFlip` gets the number of finished flips.
   */
  async run(count: number, seed: number, onFlip: (done: number) => void = () => {}): Promise<void> {
    const random = seeded(seed);
    const one = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)];
    for (let done = 0; done < count; done += 1) {
      const variant = one(VARIANTS);
      const part = one(PARTS);
      const folder = this.#folders[variant];
      const file = one(
        fs
          .readdirSync(folder)
          .filter((name) => partOf(name) === part)
          .sort(),
      );
      const bit = Math.floor(random() * fs.statSync(join(folder, file)).size * 8);
      try {
        this.table[part][await this.#flip(variant, file, bit)] += 1;
      } catch (error) {
        throw new Error(`bit ${bit % 8} of byte ${bit >> 3} of ${file}, ${variant}: ${(error as Error).message}`, {
          cause: error,
        });
      }
      onFlip(done + 1);
    }
  }

  async #flip(variant: Variant, file: string, bit: number): Promise<End> {
    const undamaged = await this.#answersOf(variant);
    const { refused, notices, damage, answers, early } = await this.#startedCopy(variant, (folder) => {
      const bytes = fs.readFileSync(join(folder, file));
      bytes[bit >> 3] ^= 1 << (bit & 7);
      fs.writeFileSync(join(folder, file), bytes);
    });
    if (refused !== undefined) return 'refused';
    assert.ok(answers !== undefined);
    const isAside = notices.some((text) => text.includes('was set aside as'));
    const expected = isAside ? { ...undamaged, [NONCES]: answers[NONCES] } : undamaged;
    assertSame(answers, expected, notices);
    assertSame({ ...undamaged, ...early }, undamaged, notices);
    if (damage !== undefined) return 'reported';
    if (isAside || notices.some((text) => text.includes('rebuilt from the log'))) return 'rebuilt';
    if (notices.some((text) => text.startsWith('removed '))) return 'cut';
    assert.notEqual(variant, 'torn', 'nothing is cut, though the last batch is unfinished');
    return 'unnoticed';
  }

  async #answersOf(variant: Variant): Promise<Answers> {
    const known = this.#undamaged.get(variant);
    if (known !== undefined) return known;
    const { refused, notices, damage, answers } = await this.#startedCopy(variant, () => {});
    assert.deepEqual([refused, damage], [undefined, undefined], `the undamaged folder, ${variant}`);
    assert.ok(answers !== undefined);
    // Every killed folder says so; that is no word about damage.
    const isUnclean = (text: string) => text.startsWith('the last run was not stopped cleanly');
    assert.deepEqual(
      notices.filter((text) => !isUnclean(text)).map((text) => text.split(' ', 1)[0]),
      variant === 'torn' ? ['removed'] : [],
      notices.join('; '),
    );
    this.#undamaged.set(variant, answers);
    return answers;
  }

  async #startedCopy(variant: Variant, damage: (folder: string) => void): Promise<Outcome> {
    fs.rmSync(this.#work, { recursive: true, force: true });
    copyFolder(this.#folders[variant], this.#work);
    damage(this.#work);
    return this.#start(this.#work);
  }
}

/** Shows what differs, and where, because the whole would be too long to read. */
function assertSame(found: Answers, expected: Answers, notices: readonly string[]): void {
  for (const question of new Set([...Object.keys(expected), ...Object.keys(found)])) {
    const [one, other] = [found[question] ?? '', expected[question] ?? ''];
    if (one === other) continue;
    let at = 0;
    while (at < one.length && one[at] === other[at]) at += 1;
    const around = (text: string) => text.slice(Math.max(at - 30, 0), at + 50);
    const said = notices.length === 0 ? 'no notice' : notices.join('; ');
    assert.fail(`${question} is another answer: …${around(one)}… for …${around(other)}… (${said})`);
  }
}
