import type { Dialect } from '../../client/dialect.ts';
import { dialectOperationOf, vendorReply } from '../../client/dialect.ts';
import { isExactCharge, type RuleFound, ruleOf } from '../../client/judge.ts';
import { fieldsOf } from '../../core/answer-body.ts';
import { PathSearch } from '../../core/answer-fields.ts';
import { callKeyOf } from '../../core/call-key.ts';
import { stop } from '../../core/errors.ts';
import { counted } from '../../core/plain-text.ts';
import type { RowNumber } from '../../core/row.ts';
import { shownBody } from '../../files/output/output.ts';
import { settingsKept } from '../../job/job-settings.ts';
import {
  type AttemptId,
  type AttemptRecord,
  type Batch,
  type Decision,
  type LedgerReader,
  type PlannedRow,
  type RawReply,
  type RowRecord,
  standingDecision,
} from '../../ledger/ledger.ts';
import { isJsonLinesName } from '../../lib/file-name.ts';
import { dialectOfBatch } from './batch-account.ts';

export interface RowStory {
  readonly batch: Batch;
  readonly row: RowNumber;
  readonly outcome: RowRecord['outcome'] | undefined;
  readonly planned: (PlannedRow & { readonly kind: 'work' })['work'] | undefined;
  readonly attempts: readonly AttemptStory[];
  readonly fields: readonly string[];
}

/** One attempt. The call of a row may have been sent for an earlier row. */
export interface AttemptStory {
  readonly record: AttemptRecord;
  /** What the batch was told to do about its lost answer, and no attempt has done yet. */
  readonly decided: Decision | undefined;
  readonly requestId: string | undefined;
  /** Whether its answer surely cost just what it was booked at, by the dialect of today. */
  readonly isExact: boolean;
  /** What decides by the dialect of today how the answer is read. */
  readonly rule: RuleFound | undefined;
}

/** @param text the row's number in a spreadsheet. @throws StopError `usage` when the batch has no such row. */
export async function rowStory(ledger: LedgerReader, batch: Batch, text: string): Promise<RowStory> {
  const row = Number(text);
  if (!Number.isInteger(row) || row < (isJsonLinesName(batch.inputPath) ? 1 : 2)) {
    throw stop('usage', `${text} is not a row.`, WHICH_ROW);
  }
  const [there] = await ledger.rowKinds(batch.id, { from: row }, 1);
  if (there?.row !== row) {
    const fact = `Batch ${batch.id} has no row ${row}; its list has ${counted(batch.inputRows, 'row')}.`;
    throw stop('usage', fact, WHICH_ROW);
  }
  const [record] = (await ledger.rows(batch.id, row, 1)).filter((found) => found.row === row);
  const history = await ledger.history(batch.id, row);
  const planned = await plannedAt(ledger, batch, row);
  const dialect = await dialectOfBatch(batch);
  const decided = await decidedAbout(ledger, batch, history);
  return {
    batch,
    row,
    outcome: record?.outcome,
    planned: planned?.kind === 'work' ? planned.work : undefined,
    attempts: history.map((each) => attemptStory(each, dialect, decided.get(each.attempt))),
    fields: fieldsShown(batch, record),
  };
}

async function decidedAbout(
  ledger: LedgerReader,
  { id, accountIdentity }: Batch,
  history: readonly AttemptRecord[],
): Promise<ReadonlyMap<AttemptId, Decision>> {
  const lost = history.filter(({ closure }) => closure?.kind === 'in_doubt');
  const keys = [...new Set(lost.map(({ call }) => callKeyOf(accountIdentity, call)))];
  const states = keys.length === 0 ? [] : await ledger.find(keys, { batch: id });
  return new Map(
    states.flatMap((state) => {
      const decision = standingDecision(state);
      return state.kind === 'in_doubt' && decision !== undefined
        ? [[state.doubt.attempt, decision] as const]
        : [];
    }),
  );
}

function attemptStory(
  record: AttemptRecord,
  dialect: Dialect | undefined,
  decided: Decision | undefined,
): AttemptStory {
  return {
    record,
    decided,
    requestId: record.reply && requestIdIn(record.reply, dialect),
    isExact: dialect !== undefined && isExactlyBooked(record, dialect),
    rule: dialect && ruleBehind(record, dialect),
  };
}

function ruleBehind({ call, reply, decision }: AttemptRecord, dialect: Dialect): RuleFound | undefined {
  const isRead = reply !== undefined && decision?.kind !== 'told' && call.erasedAtMs === undefined;
  if (!isRead || !Object.hasOwn(dialect.operations, call.operation)) return undefined;
  return ruleOf(reply, dialect, dialectOperationOf(dialect, call), call);
}

function isExactlyBooked({ call, closure, reply }: AttemptRecord, dialect: Dialect): boolean {
  if (closure?.kind !== 'answered' || reply === undefined) return false;
  if (!Object.hasOwn(dialect.operations, call.operation)) return closure.charged === 0;
  return isExactCharge(closure.charged, reply, dialect, dialectOperationOf(dialect, call));
}

function fieldsShown({ settings }: Batch, record: RowRecord | undefined): readonly string[] {
  const { answer_at: answerPlace } = settingsKept(settings);
  const body = shownBody(record?.answers ?? [], answerPlace);
  if (body === undefined) return [];
  const paths = new PathSearch([]);
  paths.look(fieldsOf(body, answerPlace));
  return paths.paths;
}

/** Blank lines are no rows and keep their numbers, so a number past the count may be a row that is still to come. */
const WHICH_ROW =
  "Give the spreadsheet's number, where the header is 1; in JSON lines, the number of the line.";

async function plannedAt(
  ledger: LedgerReader,
  { id }: Batch,
  row: RowNumber,
): Promise<PlannedRow | undefined> {
  const [planned] = await ledger.plannedRows(id, row, 1);
  return planned?.row === row ? planned : undefined;
}

function requestIdIn(reply: RawReply, dialect: Dialect | undefined): string | undefined {
  const replies = dialect === undefined ? [reply] : [vendorReply(reply, dialect) ?? reply, reply];
  const headers = replies.flatMap((each) => Object.entries(each.headers));
  const named = (dialect?.request_id ?? []).flatMap((name) => headers.filter((header) => header[0] === name));
  return [...named, ...headers.filter(([name]) => /request-id|correlation-id/.test(name))][0]?.[1];
}
