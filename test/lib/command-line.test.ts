import { afterEach, expect, test } from 'vitest';
import { commandLine, nameStore, wordsOfCommand } from '../../src/lib/command-line.ts';

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

afterEach(() => nameStore(undefined));

test('a printed command names the store of the one that was typed, unless it has one or needs none', () => {
  nameStore('my store');
  expect(commandLine(['settle', 'last', '7'])).toBe("npx --no rowonce settle last 7 --store 'my store'");
  expect(commandLine(['plan', 'a job', '--', '-list.csv'])).toBe(
    "npx --no rowonce plan 'a job' --store 'my store' -- -list.csv",
  );
  const own = [
    ['status', '--store', 'x'],
    ['status', '--store=x'],
    ['accounts', 'add', 'data'],
  ];
  const others = [['run', '--help'], ['store', 'copy', 'a', 'b'], ['sandbox', '--port', '80'], []];
  for (const words of [...own, ...others]) expect(commandLine(words)).not.toContain('my store');
});

test('the words of a printed command are those that it was made of, and no other line has any', () => {
  const words = ['run', 'enrich-company', "it's a 'list' $(x) \\.csv", '', '-o', 'a;b', '--budget', '5'];
  expect(wordsOfCommand(commandLine(words))).toEqual(words);
  expect(wordsOfCommand(commandLine(['--store', 'x', 'status']))).toEqual(['--store', 'x', 'status']);
  const names = [
    'rowonce',
    'npx rowonce',
    'npx --no -- rowonce',
    "'/a node/node' '/it'\\''s here/src/bin.js'",
  ];
  for (const name of names) expect(wordsOfCommand(`${name} status last`)).toEqual(['status', 'last']);
  for (const line of [
    'rowonce',
    'node other.js run x',
    'npm start',
    'rm -rf x',
    'rowonce run $(x)',
    'rowonce run a; b',
    "rowonce run 'open",
    'rowonce run a && b',
  ])
    expect(wordsOfCommand(line)).toBeUndefined();
});
