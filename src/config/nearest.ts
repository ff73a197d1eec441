/**
 * Finds the known name that a caller probably meant by an unknown one. Paths: nearest-path.ts.
 *
 * - `nearest` compares spelling: edit distance, ignoring case.
 * - `nearestName` compares meaning first. Field names are compared word by word, and some words are synonyms: `amount`
 *   is a size. Spelling decides only for unknown words: `orderSize` is not a misspelt `orderSide`.
 */

/** Returns the closest of `known` by spelling. Null if none is within half of the word's length and `most` letters. */
export function nearest(word: string, known: readonly string[], most = 8): string | null {
  let best: string | null = null;
  // A long unknown name is not close to anything, and comparing it would only cost time.
  let bestDistance = Math.min(Math.ceil(word.length / 2), most) + 1;
  if (word.length > LONGEST) return null;
  const lower = word.toLowerCase();
  for (const candidate of known) {
    if (Math.abs(word.length - candidate.length) >= bestDistance) continue;
    const distance = editDistance(lower, candidate.toLowerCase(), bestDistance - 1);
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

const LONGEST = 64;

/** How many letters differ. If there are more than `most`, it is any number above that. */
export function editDistance(a: string, b: string, most = Number.POSITIVE_INFINITY): number {
  let previous = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    let least = i;
    for (let j = 1; j <= b.length; j++) {
      const substituted = previous[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1);
      const distance = Math.min(substituted, previous[j] + 1, current[j - 1] + 1);
      if (distance < least) least = distance;
      current.push(distance);
    }
    if (least > most) return least;
    previous = current;
  }
  return previous[b.length];
}

/** Maps words of other interfaces to the word with the same meaning here. */
const SAME: ReadonlyMap<string, string> = new Map([
  ['qty', 'size'],
  ['quantity', 'size'],
  ['amount', 'size'],
  ['volume', 'size'],
  ['market', 'symbol'],
  ['pair', 'symbol'],
  ['instrument', 'symbol'],
  ['client', 'cl'],
  ['action', 'side'],
  ['stop', 'trigger'],
  ['trailing', 'trail'],
]);

/** Words that say little, because nearly every name could have them. */
const LIGHT: ReadonlySet<string> = new Set(['order', 'limit', 'new', 'in', 'the', 'of']);
const LIGHT_WEIGHT = 0.25;

/** The share of the unknown name that a candidate must match. */
const ENOUGH = 0.8;
/** The weight of a word that matches by a synonym. */
const SYNONYM = 0.7;

/** Returns the name of `known` with the same meaning, or else the closest by spelling. Null if none is close. */
export function nearestName(name: string, known: readonly string[]): string | null {
  if (name.length > LONGEST) return null;
  const candidates = known.map((candidate) => ({ candidate, words: wordsOf(candidate) }));
  const vocabulary = new Set([...candidates.flatMap(({ words }) => words), ...SAME.keys(), ...SAME.values(), ...LIGHT]);
  const given = wordsOf(name)
    .flatMap((word) => split(word, vocabulary))
    .map((word) => corrected(word, vocabulary));
  let best: string | null = null;
  let bestLikeness = 0;
  for (const { candidate, words } of candidates) {
    const likeness = likenessOf(given, words);
    if (likeness === 0 || likeness < bestLikeness) continue;
    // Two equally close names leave open which one is meant.
    best = likeness === bestLikeness ? null : candidate;
    bestLikeness = likeness;
  }
  if (bestLikeness > 0 || given.every((word) => vocabulary.has(word))) return best;
  const spelled = nearest(name, known);
  return spelled === null || editDistance(name.toLowerCase(), spelled.toLowerCase()) > name.length / 3 ? null : spelled;
}

/** `clOrderID` becomes cl order id, `time_in_force` time in force, and `fees` fee. */
function wordsOf(name: string): string[] {
  const spaced = name.replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2').replaceAll(/[^A-Za-z0-9]+/g, ' ');
  return spaced.toLowerCase().split(' ').filter(Boolean).map(singular);
}

/** `fee` means `fees`. */
function singular(word: string): string {
  return /[^s]s$/.test(word) && word.length > 3 ? word.slice(0, -1) : word;
}

/** `ordersize` becomes order size if all of its parts are known. Otherwise the word stays as it is. */
function split(word: string, vocabulary: ReadonlySet<string>): string[] {
  if (vocabulary.has(word)) return [word];
  for (let end = word.length - 2; end >= 2; end--) {
    if (!vocabulary.has(word.slice(0, end))) continue;
    const rest = split(word.slice(end), vocabulary);
    if (rest.every((part) => vocabulary.has(part))) return [word.slice(0, end), ...rest];
  }
  return [word];
}

/** A misspelt word becomes the known one that differs by a letter, or by two if it has six letters or more. */
function corrected(word: string, vocabulary: ReadonlySet<string>): string {
  if (vocabulary.has(word) || word.length < 3) return word;
  const spelled = nearest(word, [...vocabulary]);
  return spelled !== null && editDistance(word, spelled) <= (word.length < 6 ? 1 : 2) ? spelled : word;
}

/** From 0 (not meant) to 1 (the same words). */
function likenessOf(given: readonly string[], words: readonly string[]): number {
  const said = given.filter((word) => words.some((other) => meaning(other) === meaning(word)));
  const [shared, ofGiven, ofWords] = [weight(said), weight(given), weight(words)];
  const within = shared >= ofGiven / 2 && words.every((word) => given.includes(word));
  if (shared < ENOUGH * ofGiven && !within) return 0;
  const bySynonym = weight(said.filter((word) => !words.includes(word)));
  return (2 * (shared - bySynonym * (1 - SYNONYM))) / (ofGiven + ofWords);
}

function meaning(word: string): string {
  return SAME.get(word) ?? word;
}

function weight(words: readonly string[]): number {
  return words.reduce((sum, word) => sum + (LIGHT.has(word) ? LIGHT_WEIGHT : 1), 0);
}
