/** The known word that a mistyped one most likely meant: by edit distance, letter case aside. */

/** Returns the closest of `known`, or null when none is closer than half of the word's length. */
export function nearest(word: string, known: readonly string[]): string | null {
  let best: string | null = null;
  // A long unknown name is no near miss of anything, and comparing it would only cost time.
  let bestDistance = Math.min(Math.ceil(word.length / 2), 8) + 1;
  if (word.length > 64) return null;
  for (const candidate of known) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

function editDistance(a: string, b: string): number {
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
