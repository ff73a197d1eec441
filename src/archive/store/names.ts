/**
 * The names of the archive: each text that recurs (a symbol, a currency, a state, the members of an event) once, with a
 * number. The table `names` has them, numbered from 1 without a gap. Rows refer to them by number.
 *
 * Cost: all names are in memory. They are few, because nothing that a client can choose is a name.
 */
import { ArchiveDamaged } from './errors.ts';

export class Names {
  readonly #texts: string[] = [];
  readonly #ids = new Map<string, number>();
  /** How many of them are in the file. */
  #written = 0;

  /** The names that are in the file, in order. */
  constructor(texts: Iterable<string>) {
    for (const text of texts) this.idOf(text);
    this.#written = this.#texts.length;
  }

  get count(): number {
    return this.#texts.length;
  }

  /** The number of a text, which is added if it is new. */
  idOf(text: string): number {
    let id = this.#ids.get(text);
    if (id === undefined) {
      this.#texts.push(text);
      id = this.#texts.length;
      this.#ids.set(text, id);
    }
    return id;
  }

  /** Undefined: no row has it. */
  knownId(text: string): number | undefined {
    return this.#ids.get(text);
  }

  /** @throws {ArchiveDamaged} */
  textOf(id: number): string {
    const text = this.#texts[id - 1];
    if (text === undefined) throw new ArchiveDamaged(`the name ${id} is missing`);
    return text;
  }

  /** Those that are not in the file yet. */
  get added(): readonly (readonly [id: number, text: string])[] {
    return this.#texts.slice(this.#written).map((text, i) => [this.#written + 1 + i, text]);
  }

  /** They are in the file now. */
  written(): void {
    this.#written = this.#texts.length;
  }

  /** The transaction failed. */
  forgetAdded(): void {
    for (const text of this.#texts.splice(this.#written)) this.#ids.delete(text);
  }
}
