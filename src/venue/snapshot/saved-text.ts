/**
 * Saved state from its text. Nearly all of a large one is in long lists of numbers: the columns of the orders, and the
 * sides of the books. These are read without an object for each.
 */

import { JsonReader, type Read } from './json-reader.ts';
import type { SavedFile, SavedVenue } from './saved-state.ts';

const numbers: Read = (reader) => reader.numbers() ?? reader.value();
const amounts: Read = (reader) => reader.quotedNumbers() ?? reader.value();
const keys: Read = (reader) => reader.numbers()?.all() ?? reader.value();
const rows: Read = (reader) => reader.rows();

/** An object of which these members are read in a special way. */
function membersOf(readers: Readonly<Record<string, Read>>): Read {
  return (reader) => reader.object((name) => (Object.hasOwn(readers, name) ? readers[name] : undefined));
}

const listOf =
  (read: Read): Read =>
  (reader) =>
    reader.list(read);
/** Of column-codec.ts. */
const columnOf = (values: Read): Read => membersOf({ at: numbers, which: numbers, steps: numbers, all: values });
const column = columnOf(numbers);
const fields: Read = (reader) => reader.object(() => column);

const market = membersOf({ bids: rows, asks: rows });
const live = membersOf({ keys, fields, triggers: column, watched: column, due: column, reserved: columnOf(amounts) });
const ended = membersOf({ keys, finding: fields });
const venue = membersOf({ state: membersOf({ markets: listOf(market), live, ended }) });
const file = membersOf({ desk: venue });

/** `text`: what `fileText` wrote, in UTF-8. */
export function readFile(text: Uint8Array): SavedFile {
  return file(new JsonReader(text)) as SavedFile;
}

/** `text`: what `saveVenue` wrote. */
export function readVenue(text: string): SavedVenue {
  return venue(new JsonReader(new TextEncoder().encode(text))) as SavedVenue;
}
