/**
 * A set of what comes and goes often: each member knows its place in a list. With a `Set`, V8 would keep most former members
 * until the next full collection (D-671).
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
