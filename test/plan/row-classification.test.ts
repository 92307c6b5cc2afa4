/**
 * Goal: what rows are found to be does not depend on how little of the answers was read to find it out.
 * Method: an operation that looks into its answers, and one that does not, over a real ledger whose reads are watched.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Account } from '../../src/client/account/account.ts';
import provider from '../../src/client/dialects/provider.ts';
import { valueAt } from '../../src/core/answer-body.ts';
import { type Call, defineOperation, end, type Operation, send } from '../../src/core/operation.ts';
import { openHeader } from '../../src/files/input.ts';
import sqlite from '../../src/ledger/stores/sqlite.ts';
import enrichCompany from '../../src/operations/enrich-company.ts';
import { classifications, type LookedUp, type RowClassification } from '../../src/plan/row-classification.ts';
import { ACCOUNT, answered, batchNamed } from '../ledger/stores/book.ts';
import { freshLedger } from '../ledger/stores/places.ts';

const askAbout = (domain: string): Call => ({
  operation: 'enrich-company',
  parameters: { domain },
  ifLost: 'hold',
});

/** Asks about a company, then about the one that the answer names: both by what stands in the body. */
const parentOf = defineOperation<string>({
  name: 'parent-of',
  summary: 'Finds a company and its parent.',
  vendor: 'provider',
  inputs: [{ name: 'domain', about: "the company's domain", aliases: ['domain'] }],
  tiers: [],
  readsAnswers: true,
  prepare: ({ domain = '' }) => ({ kind: 'ready', input: domain }),
  next(domain, answerTo) {
    const company = askAbout(domain);
    const answer = answerTo(company);
    if (answer === undefined) return send(company);
    const parent = answer.kind === 'found' ? valueAt(answer.fields, 'parent') : null;
    if (typeof parent !== 'string') return end({ kind: 'no_match', reason: 'nobody is its parent' });
    const found = answerTo(askAbout(parent));
    return found === undefined ? send(askAbout(parent)) : end({ kind: 'matched', matchedBy: 'parent' });
  },
});

/** Answers to `one.example`, which names `two.example`, and to `two.example`, which names nobody. */
async function ledger() {
  const kept = await freshLedger(sqlite);
  const batch = await batchNamed(kept, 'a');
  await answered(kept, batch, 'one', { body: '{"parent":"two.example"}' });
  await answered(kept, batch, 'two', { body: '{"name":"Two"}' });
  return kept;
}

/** Where the rows stand, in their order, how often the ledger was asked for whole answers, and for how many calls at once. */
async function standing(
  operation: Operation,
  rows: string,
): Promise<{ rows: RowClassification[]; wholeReads: number; mostAtOnce: number }> {
  const folder = await mkdtemp(join(tmpdir(), 'rowonce-standing-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, 'list.csv');
  await writeFile(path, `domain\n${rows}`);
  const kept = await ledger();
  const find = vi.spyOn(kept, 'find');
  const account: Account = {
    name: 'data',
    identity: ACCOUNT,
    vendor: 'provider',
    baseUrl: new URL('http://127.0.0.1:1'),
    sandbox: false,
    key: { kind: 'file', reveal: () => 'key-1' },
    limits: { concurrency: 4, windows: [] },
    budget: {},
    sandboxFlags: [],
  };
  const job = { name: 'job', operation, onExisting: 'refuse', inDoubt: { kind: 'hold' } } as const;
  const input = await openHeader(path, job);
  const found: RowClassification[] = [];
  const order = { job, account, dialect: provider, ledger: kept };
  for await (const group of classifications(order, input, {})) found.push(...group);
  const wholeReads = find.mock.calls.filter(([, options]) => options?.detail === 'whole').length;
  const mostAtOnce = Math.max(...find.mock.calls.map(([keys]) => keys.length));
  return { rows: found.sort((a, b) => a.row - b.row), wholeReads, mostAtOnce };
}

const asked = (row: RowClassification | undefined): readonly unknown[] =>
  (row as LookedUp).answers.map(({ call }) => call.parameters.domain);

test('an operation that looks into an answer is shown what stands there, and its rows go on from it', async () => {
  const { rows, wholeReads } = await standing(parentOf, 'one.example\ntwo.example\nthree.example\n');
  expect(rows.map(({ kind }) => kind)).toEqual(['answered', 'answered', 'to_buy']);
  expect(rows.slice(0, 2).map(asked)).toEqual([['one.example', 'two.example'], ['two.example']]);
  expect(wholeReads).toBeGreaterThan(0);
});

test('rows of later groups are shown it as well', async () => {
  const unknown = Array.from({ length: 5_000 }, (_, at) => `nobody-${at}.example\n`).join('');
  const { rows } = await standing(parentOf, `two.example\n${unknown}one.example\n`);
  expect(asked(rows.at(-1))).toEqual(['one.example', 'two.example']);
});

test('for an operation that does not look, no answer is read whole', async () => {
  const { rows, wholeReads } = await standing(enrichCompany, 'one.example\nthree.example\n');
  expect(rows.map(({ kind }) => kind)).toEqual(['answered', 'to_buy']);
  expect(wholeReads).toBe(0);
});

test('few rows are looked up together, however many come with one read of the file', async () => {
  const unknown = Array.from({ length: 1_000 }, (_, at) => `nobody-${at}.example\n`).join('');
  const { rows, mostAtOnce } = await standing(enrichCompany, unknown);
  expect(rows).toHaveLength(1_000);
  expect(mostAtOnce).toBe(200);
});
