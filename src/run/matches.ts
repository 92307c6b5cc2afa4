import type { RowNumber } from '../core/row.ts';
import { PART_ROWS, recordParts } from '../files/kept-rows.ts';
import { matchingOf, type RowMatch } from '../files/output/output.ts';
import type { Batch, LedgerReader, RowRecord } from '../ledger/ledger.ts';
import type { MatchObject } from '../objects/row-object.ts';

/** This file says which rows of a batch have an answer about another company or person. It only reads. */

export interface OtherAnswer {
  readonly record: RowRecord;
  readonly match: RowMatch;
}

/** @param row only this row, as the user typed it; left out: all rows. */
export async function otherAnswers(
  ledger: LedgerReader,
  batch: Batch,
  row?: string,
): Promise<readonly OtherAnswer[]> {
  const matching = await matchingOf(ledger, batch);
  if (!matching.isCompared) return [];
  const found: OtherAnswer[] = [];
  const add = async (records: readonly RowRecord[]): Promise<void> => {
    for (const [at, match] of (await matching.ofAll(records)).entries()) {
      const record = records[at];
      if (match.isOther && record !== undefined) found.push({ record, match });
    }
  };
  if (row !== undefined) {
    const number: RowNumber = Number(row);
    if (Number.isSafeInteger(number)) await add([...(await ledger.recordsOf(batch.id, [number])).values()]);
    return found;
  }
  for await (const part of recordParts(ledger, batch.id, PART_ROWS.single)) await add(part);
  return found;
}

export const matchObject = ({ record: { row }, match }: OtherAnswer): MatchObject => ({
  row,
  match: match.words,
  decision: match.decision?.kind ?? null,
});
