/**
 * The regular expressions of dialects. Patterns of a built-in dialect run natively, and a test shows that
 * each of them is linear. Patterns of a file run in an engine that is linear for any pattern:
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
 * @throws SyntaxError for a text that is not a pattern.
 */
export function patternOf(text: string): Pattern {
  const known = COMPILED.get(text) ?? new RegExp(text, 'i');
  COMPILED.set(text, known);
  return known;
}

export function runBy(text: string, pattern: Pattern): void {
  COMPILED.set(text, pattern);
}
