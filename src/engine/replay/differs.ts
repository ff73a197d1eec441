/**
 * What this version makes of a log is not what the version made of it that wrote it: the rules have changed, and their
 * number has not. Nothing is lost or damaged, but this version would give clients other fills and balances than they had.
 */

const WAY_ON =
  'the log is intact, but two versions disagree about its results. Start the version that wrote it, ' +
  'and report a bug: the rules of the two versions differ under one number';

/** Commands of the log have other effects on orders or money now than when they were logged. */
export class EffectsDiffer extends Error {
  override readonly name = 'EffectsDiffer';
  /** The commands of which at least one has other effects: one batch, where every batch carries a digest. */
  readonly firstSeq: number;
  readonly lastSeq: number;
  /** Where in the log they are, in words. */
  readonly place: string;
  /** The digest of effects that the log says, and the one that came out. */
  readonly logged: string;
  readonly found: string;

  constructor(
    commands: { firstSeq: number; lastSeq: number; place: string },
    digests: { logged: string; found: string },
  ) {
    const { firstSeq, lastSeq, place } = commands;
    const { logged, found } = digests;
    super(
      `the commands of seq ${firstSeq} to ${lastSeq} (${place}) have other effects on orders or ` +
        `money in this version: the digest in the log is ${logged}, here it is ${found}; ${WAY_ON}`,
    );
    this.firstSeq = firstSeq;
    this.lastSeq = lastSeq;
    this.place = place;
    this.logged = logged;
    this.found = found;
  }
}

/** The state at a seq has two hashes. */
export class StateDiffers extends Error {
  override readonly name = 'StateDiffers';
  readonly seq: number;

  constructor(seq: number, one: Said, other: Said) {
    super(`the state at seq ${seq} has the hash ${one.hash} in ${one.by}, but ${other.hash} in ${other.by}; ${WAY_ON}`);
    this.seq = seq;
  }
}

interface Said {
  readonly hash: string;
  /** Who says it, in words. */
  readonly by: string;
}

/**
 * The state hashes that snapshots, seals and start records of one log say, by seq: all must say the same. Each version of the
 * rules has hashes of its own, since it may save the same state in another form.
 */
export class KnownHashes {
  readonly #said = new Map<string, Said>();
  readonly #rules: string;

  /** `rules`: whose hashes are meant where nothing else is said. */
  constructor(rules: string) {
    this.#rules = rules;
  }

  at(seq: number, rules = this.#rules): string | undefined {
    return this.#said.get(keyOf(seq, rules))?.hash;
  }

  has(seq: number, rules = this.#rules): boolean {
    return this.#said.has(keyOf(seq, rules));
  }

  /** @throws {StateDiffers} */
  add(seq: number, hash: string, by: string, rules = this.#rules): void {
    const before = this.#said.get(keyOf(seq, rules));
    if (before === undefined) this.#said.set(keyOf(seq, rules), { hash, by });
    else if (before.hash !== hash) throw new StateDiffers(seq, before, { hash, by });
  }
}

function keyOf(seq: number, rules: string): string {
  return `${seq} under rules ${rules}`;
}
