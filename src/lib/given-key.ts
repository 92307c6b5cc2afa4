/** The key that came with the words of a process, for the one command that reads it from standard input. */

let given: string | undefined;

export function giveKey(key: string | undefined): void {
  given = key;
}

/** @returns it once. */
export function takenKey(): string | undefined {
  const key = given;
  given = undefined;
  return key;
}
