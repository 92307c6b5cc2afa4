/**
 * The regular expressions of dialects. Those of a built-in dialect are run natively, and a test shows that
 * each of them is linear. Those of a file are run by an engine that is linear whatever they say:
 * `dialect/linear-pattern.ts` brings it, and is loaded with the first file.
 */

export interface Pattern {
  test(text: string): boolean;
  exec(
    text: string,
  ): { readonly groups?: Readonly<Record<string, string | null | undefined>> | undefined } | null;
}

const COMPILED = new Map<string, Pattern>();

/**
 * The pattern of that text, without regard to small and capital letters.
 * @throws SyntaxError for what is no pattern.
 */
export function patternOf(text: string): Pattern {
  const known = COMPILED.get(text) ?? new RegExp(text, 'i');
  COMPILED.set(text, known);
  return known;
}

export function runBy(text: string, pattern: Pattern): void {
  COMPILED.set(text, pattern);
}
