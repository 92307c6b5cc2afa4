import { expect, test } from 'vitest';
import { reasonWords, untyped } from '../../../src/files/output/summary-words.ts';
import { attentionWords } from '../../../src/files/output/tally.ts';

/**
 * Goal: a store is another person's file, and no reason that stands in it stops a view, however it is written.
 * Method: reasons of two million characters of what the patterns look for. A look through all for each of these would go on
 * for days; and the reasons that the program itself writes, with the words that a person is told.
 */

const LENGTH = 2_000_000;
const filled = (part: string): string => part.repeat(Math.ceil(LENGTH / part.length));

test.each([
  `a.${filled(' ')}x`,
  filled('"\\'),
  filled(' ('),
  `a${filled('+a')}1`,
  `a${filled('_a')}@`,
  filled('; ABN '),
  filled('no answer '),
  filled('run a-'),
  `no usable identifier: ${filled('ABN x: y; ABN ')}`,
])('the words of an endless reason are told: number %#', (reason) => {
  const kinds = ['in_doubt', 'invalid', 'refused', 'matched'] as const;
  const told = [reasonWords(reason), untyped(reason), ...kinds.map((kind) => attentionWords(kind, reason))];
  for (const words of told) expect(words.length).toBeLessThanOrEqual(2 * reason.length);
});

test.each([
  [
    'invalid',
    'no usable identifier: ABN 123: the checksum fails; ABN: blank',
    'ABN: the checksum fails; ABN: blank',
  ],
  ['invalid', 'role "chief \\"x\\"" is not known. Try --role.', 'role is not known.'],
  [
    'invalid',
    'a.example is the website of 3 companies of this list; ask all the same with --accept shared-host',
    'a.example is the website of 3 companies of this list',
  ],
  ['refused', 'the vendor says "gone" (id 7): gone', 'the vendor says: gone'],
  [
    'in_doubt',
    'this is not an answer to it; buy it again with 3 credits',
    'what came was no answer; it can be bought again',
  ],
  ['in_doubt', 'no answer came', 'no answer came, or one that cannot be read; it may have been charged'],
] as const)('a reason is told in few words: %s, %s', (kind, reason, words) => {
  expect(attentionWords(kind, reason)).toBe(words);
});

test('names of inputs are told in words, and a quoted cell as it is', () => {
  expect(reasonWords('no match by full_name+domain; "a_b" is a_b@c.example')).toBe(
    'no match by whole name + web domain; "a_b" is a_b@c.example',
  );
});
