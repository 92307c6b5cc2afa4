/** Whether every combination is tried, as `npm run proofs` does. */
const ALL = process.env.MODE === 'all';

/**
 * Of combinations that prove one promise, so many as show it, from the first to the last of the list at even distances. All of
 * them take longer than anybody waits for at each change.
 */
export function some<T>(combinations: readonly T[], count: number): readonly T[] {
  if (ALL || combinations.length <= count) return combinations;
  const step = (combinations.length - 1) / Math.max(1, count - 1);
  return Array.from({ length: count }, (_, at) => combinations[Math.round(at * step)] as T);
}

/** How often something random is tried: as often as the first says, and by `npm run proofs` as the second does. */
export const times = (often: number, proofs: number): number => (ALL ? proofs : often);
