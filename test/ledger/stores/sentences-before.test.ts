/**
 * Goal: what a sentence of an earlier build decided is decided in its copy as well: who corrects a cell, which rows were left out,
 * what is still to come, and what was sold.
 * Method: rows and attempts as layout 7 kept them, through the conversion of a copy, and what is asked of their findings.
 */
import { expect, test } from 'vitest';
import { sayAll } from '../../../src/core/finding-words.ts';
import { findingsIn } from '../../../src/core/findings.ts';
import { isFilledBefore, isLeftOut, needsPerson } from '../../../src/core/outcome.ts';
import type { OutcomeKind } from '../../../src/core/row.ts';
import { conversionOf } from '../../../src/ledger/layouts.ts';

const OF_LAYOUT_7 = { rows: async () => [{ layout: 7 }] } as unknown as Parameters<typeof conversionOf>[0];

async function copied(kind: OutcomeKind, reason: string) {
  const { convert } = await conversionOf(OF_LAYOUT_7);
  const [row] = convert('rows', { batch: '0000000a', row: 2, state: kind, reason });
  return { kind, findings: findingsIn(String(row?.findings)) };
}

test.each<[OutcomeKind, string, Partial<Record<'isLeftOut' | 'isFilledBefore' | 'needsPerson', true>>]>([
  ['matched', 'ABN 1: the checksum fails, so correct it', { needsPerson: true }],
  ['matched', 'website x: is not a web address', {}],
  ['skipped', 'only_if leaves it out, because "Note" is "please check, so correct it"', { isLeftOut: true }],
  ['skipped', '"Email" is filled, so the row would get nothing', { isLeftOut: true, isFilledBefore: true }],
  [
    'skipped',
    'on_existing: keep leaves "Email" as the list has them, so the row would get nothing',
    { isLeftOut: true },
  ],
  ['skipped', 'skipped by the user: no answer came', {}],
])('a row that was %s because "%s" counts as it did, and says the same', async (kind, reason, is) => {
  const row = await copied(kind, reason);
  const told = {
    ...(isLeftOut(row) && { isLeftOut: true }),
    ...(isFilledBefore(row) && { isFilledBefore: true }),
    ...(needsPerson(row) && { needsPerson: true }),
  };
  expect(told).toEqual(is);
  expect(sayAll(row.findings, 'file')).toBe(reason);
});

test.each([
  'status 200',
  'status 422, "no such ABN"',
  'status 409, "is a member", so nothing had to change',
  'status 204, without a word',
  'not yet: the vendor answers later',
  'status 200, in the place of the email stands "n/a"',
])('why an attempt ended is said as before: %s', async (why) => {
  const { convert } = await conversionOf(OF_LAYOUT_7);
  const [attempt] = convert('attempts', { id: 1, why });
  expect(sayAll(findingsIn(String(attempt?.why)), 'file')).toBe(why);
});
