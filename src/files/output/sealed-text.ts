import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Ownership } from './own-files.ts';

/**
 * Texts that say themselves whether they were changed since we wrote them: jobs and plans, which are written where no
 * ledger knows of them yet, and are carried from one store to another.
 */

const LINE = '# Rowonce writes over this file as long as nobody changed it: ';

/** A YAML text with a last line that holds the hash of all lines above it. */
export function sealedYaml(text: string): string {
  return `${text}${LINE}${hash('sha256', text, 'hex')}\n`;
}

/** An object as JSON, with a last member that holds the hash of all members above it. */
export function sealedJson(content: object): string {
  const seal = hash('sha256', JSON.stringify(content), 'hex');
  return `${JSON.stringify({ ...content, seal }, null, 1)}\n`;
}

/** @param isSealed whether a text is as one of the functions above left it. */
export function ownershipOfSealed(
  isSealed: (text: string) => boolean,
  say: (sentence: string) => void,
): Ownership {
  return {
    say,
    // What cannot be read as a text was not written by us.
    isOurs: async (path) =>
      readFile(path, 'utf8')
        .then(isSealed)
        .catch(() => false),
  };
}

export function isSealedYaml(text: string): boolean {
  const at = text.lastIndexOf(LINE);
  return at >= 0 && text === sealedYaml(text.slice(0, at));
}

export function isSealedJson(text: string): boolean {
  const { seal: _, ...content } = JSON.parse(text);
  return text === sealedJson(content);
}
