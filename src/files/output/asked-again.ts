import { counted, grouped } from '../../core/plain-text.ts';
import { type RowNumber, readRowRanges } from '../../core/row.ts';
import { settingsKept } from '../../job/job-settings.ts';
import { type Batch, type LedgerReader, listsOf, type RowRecord, startedMs } from '../../ledger/ledger.ts';
import { saidIn } from '../../values/answer-fields.ts';
import { answerFields, tellFound } from './added-columns.ts';
import { answersOf, shownAnswer } from './shown-answer.ts';

/** More rows than these are compared by no one, and are told by their cost alone. */
const MOST_COMPARED = 1_000;

const MOST_NAMED = 5;

/**
 * How many rows a start has asked again, and which of them came back different from what the list had before:
 * `4 rows were asked again: 1 came back different (row 3).`
 */
export async function askedAgainWords(
  ledger: Pick<LedgerReader, 'batches' | 'recordsOf'>,
  batch: Batch,
): Promise<string | undefined> {
  const { only } = settingsKept(batch.settings).asked_anew ?? {};
  const rows = only === undefined ? [] : rowsIn(only);
  const before = rows.length === 0 ? undefined : await startBefore(ledger, batch);
  if (before === undefined) return undefined;
  const [now, then] = await Promise.all([batch, before].map(({ id }) => ledger.recordsOf(id, rows)));
  const askedRows = rows.filter((row) => now?.get(row)?.answers.some((answer) => answer.batch === batch.id));
  if (askedRows.length === 0) return undefined;
  const changed = askedRows.filter((row) => saysOf(batch, now?.get(row)) !== saysOf(before, then?.get(row)));
  const were = counted(askedRows.length, 'row was', 'rows were');
  return `${were} asked again: ${differentWords(changed)}.`;
}

function differentWords(rows: readonly RowNumber[]): string {
  if (rows.length === 0) return 'none came back different';
  const named = rows.slice(0, MOST_NAMED).map(grouped).join(', ');
  const more = rows.length > MOST_NAMED ? ' and others' : '';
  return `${grouped(rows.length)} came back different (row${rows.length === 1 ? '' : 's'} ${named}${more})`;
}

function rowsIn(only: string): readonly RowNumber[] {
  const ranges = readRowRanges(only) ?? [];
  const size = ranges.reduce((sum, { first, last }) => sum + last - first + 1, 0);
  if (size > MOST_COMPARED) return [];
  return ranges.flatMap(({ first, last }) => Array.from({ length: last - first + 1 }, (_, at) => first + at));
}

/** The start before over the same content. */
async function startBefore(ledger: Pick<LedgerReader, 'batches'>, batch: Batch): Promise<Batch | undefined> {
  const { starts = [] } = listsOf(await ledger.batches()).get(batch.inputPath) ?? {};
  return starts.find(
    (each) =>
      each.id !== batch.id &&
      each.operation === batch.operation &&
      each.inputSha256 === batch.inputSha256 &&
      startedMs(each) <= startedMs(batch),
  );
}

/** How a row has ended, and what its cells say, as one text. */
function saysOf({ settings }: Batch, record: RowRecord | undefined): string {
  if (record === undefined) return '';
  const { answer_at: place, add } = settingsKept(settings);
  const shown = shownAnswer(answersOf(record), place);
  const foundPairs: (readonly [path: string, value: string])[] = [];
  const fields = add === undefined ? shown && answerFields(shown, false) : undefined;
  const answer = add === undefined ? undefined : shown && saidIn(shown.body, shown.place);
  tellFound((...each) => foundPairs.push(each), add && new Set(Object.values(add)), answer, fields);
  return JSON.stringify([record.outcome?.kind, ...foundPairs]);
}
