/**
 * Goal: answers that vendors and services publish are read as they mean them: nothing is believed that was not found or done.
 * Method: the answers of public references, each held against the judge; the page of the table is made anew from the code
 * (`UPDATE_ANSWERS=1` writes it).
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readDialectFile, readShippedDialect } from '../../src/client/dialect/file.ts';
import provider from '../../src/client/dialects/provider.ts';
import { TABLE } from '../../src/client/judge/meanings.ts';
import { EXAMPLES } from './documented/examples.ts';
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

const DIALECTS = join(import.meta.dirname, '..', '..', 'fixtures', 'dialects');

test.each(readdirSync(DIALECTS))(
  '%s reads what its vendor publishes, gives what `add` takes from it, and books what that costs',
  async (file) => {
    const dialect = await readDialectFile(join(DIALECTS, file), provider);
    const { operations } = await readShippedDialect(join(DIALECTS, file), provider);
    const own = judgedVendors(() => dialect).filter(
      ({ vendor, operation }) => `${vendor}.yaml` === file && Object.hasOwn(operations, operation),
    );
    expect(own.length).toBeGreaterThan(0);
    expect(readFileSync(join(DIALECTS, file), 'utf8').trim().split('\n').length).toBeLessThanOrEqual(20);
    expect(own.filter(({ isRight }) => !isRight)).toEqual([]);
    for (const { gives, given } of own) if (gives !== undefined) expect(given).toMatchObject(gives);
    const otherwise = own.filter(({ charged, booked }) => charged !== null && charged !== booked);
    // What is asked for by the page, or told by a header that is not kept, is booked at the most.
    expect(otherwise.every(({ charged, booked }) => booked > (charged ?? 0))).toBe(true);
    expect(otherwise.length).toBeLessThanOrEqual(1);
  },
);

test('the page of the table has every row as it is, with an answer about which the row decides', () => {
  expect(EXAMPLES.map(({ row }) => row)).toEqual(TABLE.map(({ name }) => name));
  const page = join(import.meta.dirname, '..', '..', 'docs', 'reference', 'answers.md');
  const rows = TABLE.map(({ of, name, means }, at) => {
    return `| ${of} | ${name} | \`${means}\` | \`${EXAMPLES[at]?.shown}\` |`;
  });
  const table = ['| of | where | it means | such as |', '|---|---|---|---|', ...rows].join('\n');
  const text = `${['# What an answer means', INTRODUCTION, table].join('\n\n')}\n`;
  if (process.env.UPDATE_ANSWERS === '1') writeFileSync(page, text);
  expect(readFileSync(page, 'utf8')).toBe(text);
});

const INTRODUCTION = `The rules of a [dialect](../dialects.md) come first, then the first row of this table that holds. \`rowonce try\` and the reason of a doubt name the row. [Meanings](README.md#meanings) says what follows. The page is made from the code.`;
