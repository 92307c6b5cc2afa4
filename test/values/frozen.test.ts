import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isBlankText } from '../../src/values/blank.ts';
import { FROZEN, sendingOf } from './frozen-cells.ts';

/**
 * Goal: what was bought before `src/values/` was there is found again, so nothing is bought twice because of it.
 * Method: 5,000 cells with what the build of 29 November 2026 sent for them, and the first digits of the calls' keys.
 */

type Line = readonly [kind: string, cell: string, value?: string, key?: string];

const lines = readFileSync(join(import.meta.dirname, 'frozen.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Line);

/** Japanese stands beside Latin letters. */
const scriptsIn = (text: string): number =>
  [/[\p{sc=Latin}\p{sc=Han}\p{sc=Hiragana}]/u, /\p{sc=Cyrillic}/u, /\p{sc=Arabic}/u].filter((script) =>
    script.test(text),
  ).length;

/** Cells that are read otherwise on purpose, by the rule that does so. */
const READ_OTHERWISE: readonly { readonly rule: string; readonly takes: (line: Line) => boolean }[] = [
  {
    rule: 'a builder of websites is no company of those that have theirs there',
    takes: ([kind, cell]) => /^(?:website|domain)$/.test(kind) && /(?<![a-z.])wixsite\.com/i.test(cell),
  },
  {
    rule: "a person's page is no company's",
    takes: ([kind, cell]) =>
      kind === 'company_profile' && /orcid\.org|xing\.com\/profile|crunchbase\.com\/person/i.test(cell),
  },
  {
    rule: '4: an address of two scripts, or one that stands for none, is nobody',
    takes: ([kind, cell]) =>
      kind === 'email' && (/^none@/i.test(cell) || scriptsIn(cell.split('@')[0] ?? '') > 1),
  },
  {
    rule: '6: signs around a word for nothing do not make a name of it',
    takes: ([kind, cell]) =>
      /name$/.test(kind) && /\u200b/.test(cell) && isBlankText(cell.replaceAll('\u200b', '')),
  },
];

test('the file holds 5,000 cells of every kind', () => {
  expect(lines).toHaveLength(5000);
  expect([...new Set(lines.map(([kind]) => kind))]).toEqual(Object.keys(FROZEN));
});

test.for(Object.keys(FROZEN))('a right %s is sent and keyed as before', async (kind) => {
  const sending = await sendingOf(kind);
  const right = lines.filter((line) => line[0] === kind && line[2] !== undefined);
  const held = right.filter((line) => !READ_OTHERWISE.some(({ takes }) => takes(line)));
  expect(held.length).toBeGreaterThan(right.length / 2);
  const other = held.flatMap(([, cell, value, key]) => {
    const sent = sending(cell);
    return sent?.value === value && sent?.key === key ? [] : [{ cell, was: value, is: sent?.value }];
  });
  expect(other).toEqual([]);
});

test('a cell that could not be sent before is sent only where a rule says so', async () => {
  const sent: unknown[] = [];
  for (const kind of Object.keys(FROZEN)) {
    const sending = await sendingOf(kind);
    for (const line of lines.filter((each) => each[0] === kind && each[2] === undefined))
      if (!READ_OTHERWISE.some(({ takes }) => takes(line)) && sending(line[1]) !== undefined) sent.push(line);
  }
  expect(sent).toEqual([]);
});
