/**
 * Goal: money goes out only for a question that somebody can answer, and a cell that is hers is neither refused nor
 * overwritten.
 * Method: cells as lists and vendors' answers have them, each with what it means to the person who has it (kept in
 * `cells.jsonl`, names and numbers invented), through the preparation of a row with and without `--repair`.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadFamily } from '../../src/core/families.ts';
import type { Operation, RowInput } from '../../src/core/operation.ts';
import { cellPreparer } from '../../src/plan/row-walk.ts';
import { isBlankCell } from '../../src/values/blank.ts';

interface Cell {
  readonly kind: string;
  readonly cell: unknown;
  readonly wanted: 'sent' | 'not_sent' | 'repaired' | 'found' | 'not_found' | 'looked_for' | 'kept';
  readonly value?: unknown;
  readonly why: string;
}

const cells = readFileSync(join(import.meta.dirname, 'cells.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Cell);

const operations = await loadFamily<Operation>(new URL('../../src/operations/', import.meta.url));

/** By which operation and inputs a cell of a kind is asked. */
const ASKED: Readonly<Record<string, readonly [operation: string, ...inputs: string[]]>> = {
  email: ['enrich-person', 'email'],
  website: ['enrich-company', 'domain'],
  profile: ['enrich-person', 'profile_url'],
  person_first_last: ['find-email', 'first_name', 'last_name'],
  company: ['enrich-company', 'name'],
  abn: ['enrich-company', 'abn'],
};

/** What would be sent for a cell; undefined for nothing. */
function sentFor({ kind, cell }: Cell, repair: boolean): unknown {
  const [name, ...inputs] = ASKED[kind] as (typeof ASKED)[string];
  const own = operations.get(name) as Operation;
  const operation = own.askedBy?.(inputs, inputs) ?? own;
  const prepare = cellPreparer({ operation, repair }, { waterfall: [inputs.join('+')] });
  const texts = [cell].flat() as string[];
  const row: RowInput = Object.fromEntries(inputs.map((input, at) => [input, texts[at] ?? '']));
  const prepared = prepare(row);
  if (prepared.kind !== 'ready') return undefined;
  const step = operation.next(prepared.input, () => undefined);
  if (step.kind !== 'send') return undefined;
  const values = inputs.map((input) => step.call.parameters[input]);
  return inputs.length === 1 ? values[0] : values;
}

/** Whether the cell is read as it is meant. */
function isRead(each: Cell): boolean {
  const { kind, wanted, value, cell } = each;
  if (kind === 'email_blank') return isBlankCell(cell as string, 'email') === (wanted === 'looked_for');
  const [asItIs, repaired] = [sentFor(each, false), sentFor(each, true)];
  const wantedText = JSON.stringify(value);
  const isWanted = (sent: unknown): boolean => JSON.stringify(sent) === wantedText;
  if (wanted === 'sent') return isWanted(asItIs) && isWanted(repaired);
  if (wanted === 'not_sent') return asItIs === undefined && repaired === undefined;
  return isWanted(repaired) && (asItIs === undefined || isWanted(asItIs));
}

test.for(['email', 'email_blank', 'abn'])('every cell of kind %s is read as it is meant', (kind) => {
  const own = cells.filter((each) => each.kind === kind);
  expect(own.length).toBeGreaterThan(0);
  const otherwise = own.filter((each) => !isRead(each)).map((each) => [each.cell, each.why]);
  expect(otherwise).toEqual([]);
});
