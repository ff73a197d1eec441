/**
 * This version gets other results from a log than the version that wrote it: the rules changed, but their number did
 * not. Nothing is lost or damaged, but this version would show clients other fills and balances than they had.
 */

const WAY_ON =
  'the log is intact, but two versions disagree about its results. Start the version that wrote it, ' +
  'and report a bug: the rules of the two versions differ under one number';

/** Commands of the log have other effects on orders or money now than when they were logged. */
export class EffectsDiffer extends Error {
  override readonly name = 'EffectsDiffer';
  /** At least one of these commands has other effects. They are one batch if every batch has a digest. */
  readonly firstSeq: number;
  readonly lastSeq: number;
  /** Their place in the log, in words. */
  readonly place: string;
  /** The digest in the log, and the one that this version gets. */
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
    super(
      `the state at seq ${seq} has the hash ${one.hash} according to ${one.by}, but ${other.hash} according to ${other.by}; ${WAY_ON}`,
    );
    this.seq = seq;
  }
}

interface Said {
  readonly hash: string;
  /** Where the hash comes from, in words. */
  readonly by: string;
}

/**
 * The state hashes in the snapshots, seals and start records of one log, by seq. All hashes of a seq must agree. Each
 * version of the rules has its own hashes, because it may save the same state in another form.
 */
export class KnownHashes {
  readonly #said = new Map<string, Said>();
  readonly #rules: string;

  /** `rules`: the rules of hashes that do not name theirs. */
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
