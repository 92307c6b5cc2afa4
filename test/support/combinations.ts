import { describe, test } from 'vitest';

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

/**
 * A test that only `npm run proofs` runs, and nothing else even lists: it proves again, at another point or in another place,
 * what a `test` shows at each change, or it takes longer than anybody waits for then. It is written where a `test` would be.
 */
export const proof: typeof test = ALL ? test : without(test);

/** The same, of all that is said about one thing. */
export const proofs: typeof describe = ALL ? describe : without(describe);

/** Takes every call, and every word after it, as in `proof.for([...])('name', run)`, and does nothing. */
function without<Api extends object>(api: Api): Api {
  const silent: Api = new Proxy(api, { get: () => silent, apply: () => silent });
  return silent;
}
