/**
 * Goal: a command in a text is the one that a user can type where the program is installed, and a comment can be read in any editor.
 * Method: every text, comment and statement of the source. Which words a text takes is left to its writer: `npm run words` prints them.
 */
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { SQL, TOKEN, textsOf } from './support/texts.ts';

const ROOT = join(import.meta.dirname, '..');

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

const PROGRAMS = globSync('src/**/*.{ts,js}', { cwd: ROOT });

test('no text says what the program is called: a command is printed with the name that it has where that is', () => {
  const commands = globSync('src/commands/*.ts', { cwd: ROOT }).map((path) => basename(path, '.ts'));
  const named = new RegExp(`\\browonce (?:${commands.join('|')}|--)`);
  // A pipe with FILE, JOB and OUT in it is nothing to be copied.
  const programs = PROGRAMS.filter((path) => !path.endsWith('core/other-files.ts'));
  const texts = programs.flatMap((path) => textsOf(read(path)).map(({ text }) => text));
  expect(commands).toContain('settle');
  expect(texts.length).toBeGreaterThan(1500);
  expect(texts.filter((text) => named.test(text))).toEqual([]);
});

const LONGEST_LINE = 110;

/** The lines of comments and of SQL that are longer than a line may be. */
function longLinesOf(program: string): readonly string[] {
  const tokens = [...program.matchAll(TOKEN)].filter(([token]) => /^\/[/*]/.test(token) || SQL.test(token));
  return tokens.flatMap(({ 0: token, index }) => {
    const begin = program.lastIndexOf('\n', index) + 1;
    const end = program.indexOf('\n', index + token.length);
    const lines = program.slice(begin, end < 0 ? undefined : end).split('\n');
    return lines.filter((line) => line.length > LONGEST_LINE);
  });
}

test('no comment and no statement of SQL has a line above 110 characters', () => {
  expect(PROGRAMS.flatMap((path) => longLinesOf(read(path)).map((line) => `${path}: ${line}`))).toEqual([]);
});
