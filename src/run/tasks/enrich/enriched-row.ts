import { type AnswerPlace, fieldsOf, valueAt } from '../../../core/answer-body.ts';
import { isoTime } from '../../../core/clock.ts';
import type { PositionedRow } from '../../../core/format.ts';
import { isObject, present } from '../../../core/objects.ts';
import type { JsonObject, JsonValue } from '../../../core/operation.ts';
import type { OutcomeKind, RowNumber } from '../../../core/row.ts';
import { ourCells, shownBody, textCells } from '../../../files/output/output.ts';
import type { Job } from '../../../job/job.ts';
import type { Batch, RowRecord } from '../../../ledger/ledger.ts';
import { isPaidBy } from '../../../ledger/tally.ts';
import { CellSafety } from '../../../lib/formulas.ts';

/** What was asked for a row, as the ledger has it. */
export interface EnrichedCall {
  /** The logical operation, as the dialect has it. */
  readonly operation: string;
  readonly parameters: Readonly<Record<string, JsonValue>>;
  readonly answer: 'found' | 'no_match' | 'refused';
  /** What the answer cost. Rows that ask the same share one, and the lowest of them pays for it. */
  readonly credits: number;
  /** Whether this row pays for it. */
  readonly isPaidHere: boolean;
  /** When the vendor answered, as an ISO 8601 time. */
  readonly asOf: string;
}

/** A row and what came of it. */
export interface EnrichedRow<Row> {
  /** The first of given rows is 1, as the first line of JSON lines is; in a table the first below the header is 2. */
  readonly row: RowNumber;
  /** The row as JSON has it; of a table the texts of its cells by their columns. */
  readonly input: Row;
  readonly status: OutcomeKind;
  readonly reason?: string;
  /** The identifiers by which it matched. */
  readonly matchedBy?: string;
  /** What was found: the values by the names of the job's `add`, else the fields of the answer. */
  readonly cells: JsonObject;
  /** The credits that this row paid. */
  readonly credits: number;
  /** Where the answer came from: `bought`, `sent`, `ledger`, `row N` or `sandbox`; blank where there is none. */
  readonly source: string;
  /** When the vendor answered, as an ISO 8601 time. */
  readonly asOf?: string;
  /** The calls that led there, the first one first. */
  readonly calls: readonly EnrichedCall[];
}

const AS_IT_IS = textCells(new CellSafety('raw'));

/** @param header the names of the list's columns. */
export function enrichedRow<Row>(
  { batch, job, answerPlace, header }: EnrichedList,
  given: PositionedRow,
  record: RowRecord,
): EnrichedRow<Row> {
  const { row } = given;
  const [status, reason, matchedBy, credits, source = '', asOf] = ourCells(
    batch,
    given,
    record,
    undefined,
    undefined,
    AS_IT_IS,
  );
  return {
    row,
    input: inputOf(given, header) as Row,
    status: status as OutcomeKind,
    ...present({ reason: reason || undefined, matchedBy: matchedBy || undefined }),
    cells: cellsOf(record, job, answerPlace),
    credits: Number(credits),
    source,
    ...present({ asOf: asOf || undefined }),
    calls: record.answers.map((answer) => ({
      operation: answer.call.operation,
      parameters: answer.call.parameters,
      answer: answer.kind,
      credits: answer.charged,
      isPaidHere: isPaidBy(batch, row, answer),
      asOf: isoTime(answer.answeredAtMs),
    })),
  };
}

/** What the rows of a list have in common. */
export interface EnrichedList {
  readonly batch: Batch;
  readonly job: Pick<Job, 'add'>;
  readonly answerPlace: AnswerPlace;
  readonly header: readonly string[];
}

/** Nobody knows below which names the cells of a row belong that cannot be read. */
function inputOf({ cells, object, unreadable }: PositionedRow, header: readonly string[]): JsonObject {
  if (object !== undefined) return object;
  if (unreadable !== undefined) return { _cells: cells };
  return Object.fromEntries(header.map((name, at) => [name, cells[at] ?? '']));
}

function cellsOf({ answers }: RowRecord, { add }: Pick<Job, 'add'>, place: AnswerPlace): JsonObject {
  const body = shownBody(answers);
  const fields = body === undefined ? undefined : fieldsOf(body, place);
  if (add !== undefined)
    return Object.fromEntries(
      Object.entries(add).map(([name, path]) => [name, valueAt(fields, path) ?? null]),
    );
  if (fields === undefined || fields === null) return {};
  return isObject(fields) ? (fields as JsonObject) : { value: fields };
}
