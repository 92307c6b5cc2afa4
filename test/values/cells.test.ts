/**
 * Goal: money goes out only for a question that somebody can answer, and a cell that is hers is neither refused nor
 * overwritten.
 * Method: cells as lists and vendors' answers have them, each with what it means to the person who has it (kept in
 * `cells.jsonl`, names and numbers invented), through the preparation of a row with and without `--repair`.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { KindName } from '../../src/values/kind.ts';
import { isFilled } from '../../src/values/kinds.ts';
import { ASKED, sendingFor } from './sent-for.ts';

interface Cell {
  readonly kind: string;
  readonly cell: unknown;
  readonly wanted: 'sent' | 'not_sent' | 'repaired' | 'found' | 'not_found' | 'looked_for' | 'kept';
  readonly value?: unknown;
  readonly why: string;
}

const cells = ['cells.jsonl', 'own-cells.jsonl', 'address-cells.jsonl'].flatMap((file) =>
  readFileSync(join(import.meta.dirname, file), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Cell),
);

/** The kinds of cells in a column that a job fills. */
const FILLED: Readonly<Record<string, KindName>> = {
  email_blank: 'email',
  phone_blank: 'phone',
  website_blank: 'website',
  profile_blank: 'profile_url',
};

const sentFor = ({ kind, cell }: Cell, repair: boolean): unknown =>
  sendingFor(kind, repair)(...([cell].flat() as string[]));

/** Whether the cell is read as it is meant. */
function isRead(each: Cell): boolean {
  const { kind, wanted, value, cell } = each;
  const filled = FILLED[kind];
  if (filled !== undefined) return isFilled(cell as string, filled) === (wanted === 'kept');
  const [asItIs, repaired] = [sentFor(each, false), sentFor(each, true)];
  const wantedText = JSON.stringify(value);
  const isWanted = (sent: unknown): boolean => JSON.stringify(sent) === wantedText;
  if (wanted === 'sent') return isWanted(asItIs) && isWanted(repaired);
  if (wanted === 'not_sent') return asItIs === undefined && repaired === undefined;
  return isWanted(repaired) && (asItIs === undefined || isWanted(asItIs));
}

test.for([...Object.keys(ASKED), ...Object.keys(FILLED)])(
  'every cell of kind %s is read as it is meant',
  (kind) => {
    const own = cells.filter((each) => each.kind === kind);
    expect(own.length).toBeGreaterThan(0);
    const otherwise = own.filter((each) => !isRead(each)).map((each) => [each.cell, each.why]);
    expect(otherwise).toEqual([]);
  },
);
