/**
 * What this version makes of a log is not what the version made of it that wrote it: the rules have changed, and their
 * number has not. Nothing is lost or damaged, but this version would give clients other fills and balances than they had.
 */

const WAY_ON =
  'the log is whole, but the two versions disagree about it. Start it with the version that wrote it; ' +
  'and report it as a bug: their rules differ under one number';

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
        `money in this version: the log says digest ${logged}, here it is ${found}; ${WAY_ON}`,
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
    super(`the state at seq ${seq} has the hash ${one.hash} by ${one.by}, and ${other.hash} by ${other.by}; ${WAY_ON}`);
    this.seq = seq;
  }
}

interface Said {
  readonly hash: string;
  /** Who says it, in words. */
  readonly by: string;
}

/** The state hashes that snapshots, seals and start records of one log say, by seq: all must say the same. */
export class KnownHashes {
  readonly #bySeq = new Map<number, Said>();

  at(seq: number): string | undefined {
    return this.#bySeq.get(seq)?.hash;
  }

  has(seq: number): boolean {
    return this.#bySeq.has(seq);
  }

  /** @throws {StateDiffers} */
  add(seq: number, hash: string, by: string): void {
    const before = this.#bySeq.get(seq);
    if (before === undefined) this.#bySeq.set(seq, { hash, by });
    else if (before.hash !== hash) throw new StateDiffers(seq, before, { hash, by });
  }
}
