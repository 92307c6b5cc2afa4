/**
 * Goal: answers that vendors and services publish are read as they mean them: nothing is believed that was not found or done.
 * Method: the answers of public references, each held against the judge; the page of the tables is made anew from the code
 * (`UPDATE_ANSWERS=1` writes it).
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { TABLES } from '../../src/client/judge/tables.ts';
import { judgedServices, judgedVendors } from './documented/judged.ts';

test.each(judgedVendors())('$vendor, $operation: $status $body', ({ got, wanted, also, isRight }) => {
  expect(isRight, `${got}, and not ${[wanted, ...also].join(' or ')}`).toBe(true);
});

test.each(judgedServices())('$operation: $status $body', ({ got, wanted, isRight, isBelieved }) => {
  expect(isBelieved, `${got}, and not ${wanted}`).toBe(false);
  // A change that was done may be in doubt: a person says so, or a rule of the dialect.
  if (!isRight) expect([wanted, got]).toEqual(['done', 'in_doubt']);
});

test('of the changes that were done at most ten are in doubt', () => {
  expect(judgedServices().filter(({ isRight }) => !isRight).length).toBeLessThanOrEqual(10);
});

test('the page of the tables has every row as it is', () => {
  const page = join(import.meta.dirname, '..', '..', 'docs', 'answers.md');
  const tables = TABLES.map(({ about, rows }) =>
    [
      `## ${about}`,
      '',
      '| where | it means |',
      '|---|---|',
      ...rows.map(({ name, means }) => `| ${name} | \`${means}\` |`),
    ].join('\n'),
  );
  const text = `${['# What an answer means', INTRODUCTION, ...tables].join('\n\n')}\n`;
  if (process.env.UPDATE_ANSWERS === '1') writeFileSync(page, text);
  expect(readFileSync(page, 'utf8')).toBe(text);
});

const INTRODUCTION = `The rules of a [dialect](dialects.md) come first. Where none of them fits, the first row of these tables does that holds. \`rowonce try\` and the reason of a
row in doubt say which one it was. What each meaning leads to is under [meanings](dialects.md#meanings). This page is made from the code.`;
