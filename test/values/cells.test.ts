/**
 * Goal: money goes out only for a question that somebody can answer, and a cell that is hers is neither refused nor
 * overwritten.
 * Method: cells as lists and vendors' answers have them, each with what it means to the person who has it (kept in
 * `cells.jsonl`, names and numbers invented), through the preparation of a row with and without `--repair`.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isBlankCell } from '../../src/values/blank.ts';
import { ASKED, sendingFor } from './sent-for.ts';

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

const sentFor = ({ kind, cell }: Cell, repair: boolean): unknown =>
  sendingFor(kind, repair)(...([cell].flat() as string[]));

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

test.for([...Object.keys(ASKED), 'email_blank'])('every cell of kind %s is read as it is meant', (kind) => {
  const own = cells.filter((each) => each.kind === kind);
  expect(own.length).toBeGreaterThan(0);
  const otherwise = own.filter((each) => !isRead(each)).map((each) => [each.cell, each.why]);
  expect(otherwise).toEqual([]);
});
