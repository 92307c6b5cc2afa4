const SEED = 0x811c9dc5;

/** FNV-1a over the code units, mixed once more; never 0. Good for telling texts apart, never for secrets. */
export function textHash(text: string, seed = SEED): number {
  let hash = seed;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return (hash ^ (hash >>> 13)) >>> 0 || 1;
}

/**
 * The same with 53 bits, which also tell the texts of a million rows apart. The two halves are mixed with one
 * another, so that texts that are alike are far from each other in both.
 */
export function textHash53(text: string): number {
  let [one, other] = [SEED, 0x41c6ce57];
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    one = Math.imul(one ^ unit, 0x9e3779b1);
    other = Math.imul(other ^ unit, 0x5f356495);
  }
  one = Math.imul(one ^ (one >>> 16), 0x85ebca6b) ^ Math.imul(other ^ (other >>> 13), 0xc2b2ae35);
  other = Math.imul(other ^ (other >>> 16), 0x85ebca6b) ^ Math.imul(one ^ (one >>> 13), 0xc2b2ae35);
  return (other & 0x1f_ffff) * 2 ** 32 + (one >>> 0) || 1;
}
