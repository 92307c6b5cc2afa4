import { expect, test } from 'vitest';
import { commandLine } from '../../src/core/command-line.ts';

/*
 * Goal: a command that is printed does what it says when it is typed, and anywhere else it runs nothing of a stranger.
 * Method: the function that makes every printed command; `test/cli/hints.test.ts` types what it makes.
 */

test('a printed command fetches no package from anywhere', () => {
  expect(commandLine(['run', 'enrich-company', 'my list.csv'])).toBe(
    "npx --no rowonce run enrich-company 'my list.csv'",
  );
});

test('an option before the command stays the program’s, where npx would take it for its own', () => {
  expect(commandLine(['--no-color', 'status'])).toBe('npx --no -- rowonce --no-color status');
});
