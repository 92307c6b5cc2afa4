const SEED = 0x811c9dc5;

/** FNV-1a over the code units, mixed once more; never 0. Good for telling texts apart, never for secrets. */
export function textHash(text: string, seed = SEED): number {
  let hash = seed;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return (hash ^ (hash >>> 13)) >>> 0 || 1;
}
