/**
 * Goal: a word of the glossary means in the source what the page says. Each has one sentence; no exported name says the same by another
 * word; and a name that is such a word alone is that of one thing.
 * Method: the exported names of `src`, cut into their words, against the table of `docs/glossary.md`. The sandbox is a vendor's program,
 * and speaks a vendor's words.
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { roomOf } from './support/street.ts';

const ROOT = join(import.meta.dirname, '..');
const EXPORTED =
  /^export (?:default )?(?:abstract )?(?:async )?(?:function\*?|const|class|interface|type) (\w+)/gm;

interface Exported {
  readonly name: string;
  readonly path: string;
  /** `isInDoubt` has `is in doubt`. */
  readonly words: string;
}

const wordsOf = (name: string): string =>
  name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .replaceAll(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .replaceAll('_', ' ')
    .toLowerCase();

const NAMES: readonly Exported[] = globSync('**/*.{ts,tsx}', { cwd: join(ROOT, 'src') })
  .filter((path) => roomOf(path) !== 'sandbox')
  .flatMap((path) =>
    [...readFileSync(join(ROOT, 'src', path), 'utf8').matchAll(EXPORTED)].map(([, name = '']) => ({
      name,
      path,
      words: wordsOf(name),
    })),
  );

const GLOSSARY = [
  ...readFileSync(join(ROOT, 'docs/glossary.md'), 'utf8').matchAll(/^\| ([^|]+) \| ([^|]+) \| ([^|]+) \|$/gm),
]
  .slice(1)
  .map(([, word = '', means = '', never = '']) => ({ word, means, never: never.split(', ') }));

test('the glossary has 25 words, each once and in one sentence', () => {
  const words = GLOSSARY.map(({ word }) => word);
  expect(words).toHaveLength(25);
  expect(words).toEqual([...new Set(words)].sort());
  const never = GLOSSARY.flatMap((each) => each.never);
  expect(never).toEqual([...new Set(never)]);
  expect(never.filter((other) => words.includes(other))).toEqual([]);
  expect(GLOSSARY.filter(({ means }) => /[.!?] /.test(means) || means.split(' ').length > 35)).toEqual([]);
});

test.each(GLOSSARY)('what is "$word" has no other name in the source', ({ never }) => {
  expect(NAMES.length).toBeGreaterThan(2500);
  const others = NAMES.filter(({ words }) =>
    never.some((other) => new RegExp(`\\b${other.replace('-', ' ')}(?:s|es)?\\b`).test(words)),
  );
  expect(others.map(({ path, name }) => `${path}: ${name}`)).toEqual([]);
});

test.each(GLOSSARY)('a type that is called "$word" alone is declared in one room', ({ word }) => {
  const called = NAMES.filter(({ name, words }) => words === word && /^[A-Z][a-z]/.test(name));
  expect([...new Set(called.map(({ path }) => roomOf(path)))].length).toBeLessThanOrEqual(1);
});
