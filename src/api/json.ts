/** A number as written: its text is kept, so that 0.1 stays exact and no digit is lost before it is judged. */
export class JsonNumber {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

export type JsonValue = null | boolean | string | JsonNumber | JsonValue[] | JsonObject;

/** Without a prototype, so that `__proto__` or `constructor` are names like any other. */
export interface JsonObject {
  [name: string]: JsonValue;
}
