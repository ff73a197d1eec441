/**
 * Finds the known paths that a caller probably meant by an unknown one: those that end in it, or else the most similar
 * one. Paths are compared segment by segment. Empty segments and letter case do not count, and one misspelt segment is
 * corrected. In a known path a segment in braces may be anything.
 *
 * Cost: anyone may ask, so it is bounded whatever the path: some hundred comparisons of short words.
 */
import { nearest } from './nearest.ts';

const LONGEST_PATH = 200;
const MOST_SEGMENTS = 12;
const LONGEST_CORRECTED = 24;
/** A longer list of paths is no help. */
const MOST_NEAREST = 3;
/** The share of their segments that two paths must have in common. */
const ENOUGH = 0.75;

export class KnownPaths {
  readonly #paths: readonly { readonly path: string; readonly segments: readonly string[] }[];
  /** By their lower-case form. */
  readonly #vocabulary: ReadonlyMap<string, string>;

  constructor(paths: Iterable<string>) {
    this.#paths = [...paths].map((path) => ({ path, segments: segmentsOf(path) }));
    const words = this.#paths.flatMap(({ segments }) => segments).filter((segment) => !isAnything(segment));
    this.#vocabulary = new Map(words.map((word) => [word.toLowerCase(), word]));
  }

  /** The text `: did you mean …?` with the paths that are close to this one. Empty: none is. */
  hint(path: string): string {
    const near = this.nearest(path);
    return near.length === 0 ? '' : `: did you mean ${near.join(' or ')}?`;
  }

  /** Empty: none is close, or too many are. */
  nearest(path: string): string[] {
    const segments = path.length > LONGEST_PATH ? [] : segmentsOf(path);
    if (segments.length === 0 || segments.length > MOST_SEGMENTS) return [];
    const given = this.#corrected(segments);
    const end = `/${given.join('/')}`;
    const ending = this.#paths.filter((known) => known.path.endsWith(end)).map((known) => known.path);
    if (ending.length > 0) return ending.length <= MOST_NEAREST ? ending : [];
    let most = 0;
    let found: string[] = [];
    for (const known of this.#paths) {
      const share = shareInCommon(given, known.segments);
      if (share < ENOUGH || share < most) continue;
      found = share > most ? [known.path] : [...found, known.path];
      most = share;
    }
    // Two equally close paths leave open which one is meant.
    return found.length === 1 ? found : [];
  }

  #corrected(segments: readonly string[]): string[] {
    const known = segments.map((segment) => this.#vocabulary.get(segment.toLowerCase()) ?? null);
    const misspelt = known.indexOf(null);
    return segments.map((segment, at) => {
      const corrects = at === misspelt && segment.length <= LONGEST_CORRECTED;
      return known[at] ?? (corrects ? nearest(segment, [...this.#vocabulary.values()]) : null) ?? segment;
    });
  }
}

function segmentsOf(path: string): string[] {
  return path.split('/').filter(Boolean);
}

function isAnything(segment: string): boolean {
  return segment.startsWith('{');
}

function shareInCommon(given: readonly string[], known: readonly string[]): number {
  let common = 0;
  for (const segment of known) {
    if (isAnything(segment) ? given.length >= known.length : given.includes(segment)) common += 1;
  }
  return (2 * common) / (given.length + known.length);
}
