import { setImmediate } from 'node:timers/promises';
import { FieldSurvey, saidIn } from '../../core/answer-fields.ts';
import { settingsKept } from '../../job/job-settings.ts';
import type { Batch, LedgerReader, RowRecord } from '../../ledger/ledger.ts';
import { CellSafety } from '../../lib/formulas.ts';
import { PART_ROWS, plannedRecords, recordParts } from '../kept-rows.ts';
import { additionWith, answerFields, foundValues, resultsFilesOf } from './added-columns.ts';
import { figuresIn, type PriceOf } from './batch-figures.ts';
import type { BatchFigures } from './report-object.ts';
import { shownAnswer } from './shown-answer.ts';
import { Tally } from './tally.ts';

/**
 * Reads the figures of a batch in slices of some milliseconds, because a server answers others in between.
 */
export async function readFigures(
  ledger: LedgerReader,
  batch: Batch,
  priceOf: PriceOf,
): Promise<BatchFigures> {
  const { answer_at: answerPlace, ...job } = settingsKept(batch.settings);
  const { add } = job;
  const tally = new Tally();
  const survey = new FieldSurvey();
  const isApart = resultsFilesOf(job).length > 0;
  const count = ({ outcome, answers }: RowRecord): void => {
    const shown = shownAnswer(answers, answerPlace);
    if (shown === undefined) return;
    const fields = add === undefined ? answerFields(shown, isApart) : undefined;
    if (fields !== undefined) survey.addFields(fields);
    const answer = fields === undefined ? saidIn(shown.body, shown.place) : undefined;
    if (outcome.kind === 'matched') tally.addFound(foundValues(add, answer, fields));
  };
  for await (const records of listRecords(ledger, batch)) {
    for (const record of records) {
      tally.add(batch, record.row, record);
      count(record);
    }
    await setImmediate();
  }
  const choice = { job, answerPlace, safety: new CellSafety('raw') };
  const { columns } = await additionWith(choice, batch.header, batch, survey.names);
  tally.columns = columns.filter(({ isSource }) => isSource !== true);
  return figuresIn(ledger, batch, tally, priceOf);
}

/** The rows of the list. A plan may have further rows behind them, which no output copies. */
async function* listRecords(ledger: LedgerReader, batch: Batch): AsyncGenerator<readonly RowRecord[]> {
  if (!batch.rowsBeyond) {
    yield* recordParts(ledger, batch.id, PART_ROWS.lists);
    return;
  }
  let left = batch.inputRows;
  for await (const { record } of plannedRecords(ledger, batch.id)) {
    if (left === 0) return;
    left -= 1;
    if (record !== undefined) yield [record];
  }
}
