/**
 * A set whose members know their places, for many that come and go.
 *
 * A `Set` copies itself into a new table again and again while members come and go, and V8 lets the old table refer to the new
 * one. Once such a table is among the old objects, the collector of young objects takes all tables after it for living, with
 * all that was in them: nearly every request of a busy gateway was kept until the next full collection.
 */
export interface Placed {
  /** Its index in the list. The set writes it. */
  place: number;
}

export class Unordered<Member extends Placed> implements Iterable<Member> {
  readonly #members: Member[] = [];

  get size(): number {
    return this.#members.length;
  }

  /** It must not be a member. */
  add(member: Member): void {
    member.place = this.#members.length;
    this.#members.push(member);
  }

  /** False: it is no member. */
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
