/**
 * The known name that a caller most likely meant by an unknown one.
 *
 * - `nearest` goes by spelling: edit distance, letter case aside.
 * - `nearestName` goes by sense first. Names of fields are compared word by word, and some words mean the same here:
 *   `amount` is a size. Spelling decides only where a word is unknown: `orderSize` is no misspelt `orderSide`.
 */

/** Returns the closest of `known` by spelling, or null when none is closer than half of the word's length. */
export function nearest(word: string, known: readonly string[]): string | null {
  let best: string | null = null;
  // A long unknown name is no near miss of anything, and comparing it would only cost time.
  let bestDistance = Math.min(Math.ceil(word.length / 2), 8) + 1;
  if (word.length > LONGEST) return null;
  for (const candidate of known) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

const LONGEST = 64;

export function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    for (let j = 1; j <= b.length; j++) {
      const substituted = previous[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1);
      current.push(Math.min(substituted, previous[j] + 1, current[j - 1] + 1));
    }
    previous = current;
  }
  return previous[b.length];
}

/** Words of other interfaces → the word that says the same here. */
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

/** Words that tell little: nearly every name could have them. */
const LIGHT: ReadonlySet<string> = new Set(['order', 'limit', 'new', 'in', 'the', 'of']);
const LIGHT_WEIGHT = 0.25;

/** How much of the unknown name a candidate must say for it to be meant. */
const ENOUGH = 0.8;
/** What a word counts that is said by another one. */
const SYNONYM = 0.7;

/** Returns the name of `known` that says the same, else the closest by spelling; null when nothing is near. */
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
    // Two that are equally near leave open which one is meant.
    best = likeness === bestLikeness ? null : candidate;
    bestLikeness = likeness;
  }
  if (bestLikeness > 0 || given.every((word) => vocabulary.has(word))) return best;
  const spelled = nearest(name, known);
  return spelled === null || editDistance(name.toLowerCase(), spelled.toLowerCase()) > name.length / 3 ? null : spelled;
}

/** `clOrderID`, `time_in_force`: cl order id, time in force. */
function wordsOf(name: string): string[] {
  const spaced = name.replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2').replaceAll(/[^A-Za-z0-9]+/g, ' ');
  return spaced.toLowerCase().split(' ').filter(Boolean);
}

/** `ordersize` as order size, where all of its parts are known; else the word as it is. */
function split(word: string, vocabulary: ReadonlySet<string>): string[] {
  if (vocabulary.has(word)) return [word];
  for (let end = word.length - 2; end >= 2; end--) {
    if (!vocabulary.has(word.slice(0, end))) continue;
    const rest = split(word.slice(end), vocabulary);
    if (rest.every((part) => vocabulary.has(part))) return [word.slice(0, end), ...rest];
  }
  return [word];
}

/** A misspelt word as the known one with one letter changed, more or less; two where it has six letters or more. */
function corrected(word: string, vocabulary: ReadonlySet<string>): string {
  if (vocabulary.has(word) || word.length < 3) return word;
  const spelled = nearest(word, [...vocabulary]);
  return spelled !== null && editDistance(word, spelled) <= (word.length < 6 ? 1 : 2) ? spelled : word;
}

/** From 0, not meant, to 1, the same words. */
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
