import { setImmediate } from 'node:timers/promises';
import type { CreditPrice } from '../../../client/account/price.ts';
import { fieldsOf } from '../../../core/answer-body.ts';
import { FieldSurvey } from '../../../core/answer-fields.ts';
import { outputSettings } from '../../../job/job-settings.ts';
import type { Batch, LedgerReader, RowRecord } from '../../../ledger/ledger.ts';
import { PAGE_ROWS, plannedRecords, recordPages } from '../../../ledger/rows.ts';
import { Tally } from '../../../ledger/tally.ts';
import { type BatchFigures, figuresOf } from '../batch-figures.ts';
import { answerFields, fillingOf, shownBody } from './added-columns.ts';
import { resultsFilesOf } from './destination.ts';

/** In parts of some milliseconds, because a server answers others in between. */
export async function readFigures(
  ledger: LedgerReader,
  batch: Batch,
  price: CreditPrice | undefined,
): Promise<BatchFigures> {
  const tally = new Tally();
  const columns = new FoundColumns(batch);
  for await (const records of listRecords(ledger, batch)) {
    for (const record of records) {
      tally.add(batch, record.row, record);
      columns.add(record, tally);
    }
    await setImmediate();
  }
  columns.end(tally);
  return figuresOf(batch, tally, await ledger.batchMoney(batch.id), price);
}

/** The rows of the list: a plan may have others behind them, which no output copies. */
async function* listRecords(ledger: LedgerReader, batch: Batch): AsyncGenerator<readonly RowRecord[]> {
  if (!batch.rowsBeyond) {
    yield* recordPages(ledger, batch.id, PAGE_ROWS.lists);
    return;
  }
  let left = batch.inputRows;
  for await (const { record } of plannedRecords(ledger, batch.id)) {
    if (left === 0) return;
    left -= 1;
    if (record !== undefined) yield [record];
  }
}

/** Counts the cells of columns that an output would add, where nobody writes one. */
class FoundColumns {
  readonly #settings;
  readonly #filling;
  readonly #survey = new FieldSurvey();
  readonly #fields = new Map<string, number>();

  constructor({ settings }: Batch) {
    this.#settings = outputSettings(settings);
    this.#filling = fillingOf(this.#settings.add, []);
  }

  add({ outcome, answers }: RowRecord, tally: Tally): void {
    const { add, answerPlace } = this.#settings;
    const body = shownBody(answers, answerPlace);
    if (body === undefined) return;
    const isFound = outcome.kind === 'matched';
    if (add !== undefined) {
      const answer = isFound ? fieldsOf(body, answerPlace) : undefined;
      const { columns, isFilled } = this.#filling;
      if (isFound) tally.addFound(columns, (at) => isFilled(at, answer, undefined));
      return;
    }
    const fields = answerFields(body, answerPlace, resultsFilesOf(this.#settings).length > 0);
    this.#survey.addFields(fields);
    if (!isFound) return;
    for (const [name, text] of fields)
      if (text !== '') this.#fields.set(name, (this.#fields.get(name) ?? 0) + 1);
  }

  end(tally: Tally): void {
    if (this.#settings.add !== undefined) return;
    for (const name of this.#survey.names) tally.filled.set(name, this.#fields.get(name) ?? 0);
  }
}
