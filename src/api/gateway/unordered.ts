/**
 * A set whose members come and go often. Each member knows its index in a list. With a `Set`, V8 would keep most former members
 * until the next full collection (D-671).
 *
 * Invariant: `members[m.place] === m` for each member. Do not delete while you iterate: the last member moves.
 */

export interface Placed {
  /** Its index in the list, which the set writes. −1: it was never a member. */
  place: number;
}

export class Unordered<Member extends Placed> implements Iterable<Member> {
  readonly #members: Member[] = [];

  get size(): number {
    return this.#members.length;
  }

  /** The member must not be in the set yet. */
  add(member: Member): void {
    member.place = this.#members.length;
    this.#members.push(member);
  }

  /** Returns whether it was a member. */
  delete(member: Member): boolean {
    const members = this.#members;
    const { place } = member;
    if (members[place] !== member) return false;
    const last = members.pop() as Member;
    if (last !== member) {
      members[place] = last;
      last.place = place;
    }
    return true;
  }

  [Symbol.iterator](): Iterator<Member> {
    return this.#members[Symbol.iterator]();
  }
}
