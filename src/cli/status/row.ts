import { fieldsIn, fieldsOf, readBody } from '../../core/answer-body.ts';
import { PathSearch } from '../../core/answer-fields.ts';
import { isoTime } from '../../core/clock.ts';
import { commandLine } from '../../core/command-line.ts';
import { EXIT, type ExitCode, stop } from '../../core/errors.ts';
import { subjectWords } from '../../core/membership.ts';
import type { Call, JsonObject } from '../../core/operation.ts';
import { counted, plainText } from '../../core/plain-text.ts';
import type { RowNumber } from '../../core/row.ts';
import { shownBody } from '../../files/output/output.ts';
import { outputSettings } from '../../job/job-settings.ts';
import type {
  AttemptRecord,
  Batch,
  BatchId,
  Closure,
  Credits,
  Decision,
  LedgerReader,
  PlannedRow,
  RawReply,
  RowRecord,
} from '../../ledger/ledger.ts';
import { keptWork } from '../../operations/team/planned-work.ts';
import { dialectOfBatch } from '../../run/batch-account.ts';
import { changeFields } from '../../vendor/changes.ts';
import type { Dialect } from '../../vendor/dialect.ts';
import { answerPlaceOf, vendorReply } from '../../vendor/envelope.ts';
import { type Judged, judgedToday } from '../../vendor/readings.ts';
import { dialectOperationOf } from '../../vendor/request.ts';
import { callWords, lookObject, lookWords } from '../render/doubts.ts';
import type { Console } from '../shell/command.ts';

/** One row: how it ended, and every attempt of the calls that it used, with all that is known about it. */
export async function showRow(
  console: Console,
  ledger: LedgerReader,
  batch: Batch,
  text: string,
): Promise<ExitCode> {
  const row = Number(text);
  if (!Number.isInteger(row) || row < 2) {
    throw stop('usage', `${text} is not a row.`, "Give the spreadsheet's number; the header is 1.");
  }
  const [record] = (await ledger.rows(batch.id, row, 1)).filter((found) => found.row === row);
  const history = await ledger.history(batch.id, row);
  const planned = await plannedAt(ledger, batch, row);
  if (record === undefined && planned === undefined && history.length === 0) refuseRowPastTheEnd(batch, row);
  // The dialect names the header with the id of a request.
  const dialect = await dialectOfBatch(batch);
  const reason = record?.outcome.reason;
  console.print(
    plainText(`Row ${row}: ${record?.outcome.kind ?? 'pending'}${reason === undefined ? '' : `, ${reason}`}`),
  );
  if (planned?.kind === 'work') console.print(plainText(`  ${plannedWords(planned.work)}`));
  for (const attempt of history)
    for (const line of attemptLines(attempt, dialect, { batch: batch.id, row }))
      console.print(plainText(line));
  const fields = fieldsShown(batch, record);
  if (fields.length > 0) console.print(plainText(`  fields for add: ${fields.join(', ')}`));
  console.result({
    batch: batch.id,
    row,
    outcome: record?.outcome ?? null,
    ...(fields.length === 0 ? {} : { fields }),
    planned: planned?.kind === 'work' ? planned.work : null,
    attempts: history.map((attempt) => attemptObject(attempt, dialect)),
  });
  return EXIT.done;
}

/** Paths of the answer that the row's cells are read from. */
function fieldsShown({ settings }: Batch, record: RowRecord | undefined): readonly string[] {
  const body = shownBody(record?.answers ?? []);
  if (body === undefined) return [];
  const paths = new PathSearch([]);
  paths.look(fieldsOf(body, outputSettings(settings).answerPlace));
  return paths.paths;
}

/** Blank lines are no rows and keep their numbers, so a number past the count may be a row that is still to come. */
function refuseRowPastTheEnd({ id, state, inputRows }: Batch, row: number): void {
  if (state !== 'finished') return;
  throw stop(
    'usage',
    `Batch ${id} has no row ${row}: it has ${counted(inputRows, 'row')}, and this is none of them.`,
    "Give the spreadsheet's number; the header is 1.",
  );
}

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

// ---------------------------------------------------------------------------------------------------- for a person

/** `planned: jo@x.com in Sales, viewer → editor`, as it was when the batch began. */
function plannedWords(work: JsonObject): string {
  const { subject, email, project, from, to } = keptWork(work);
  const whom = subjectWords({
    name: email ?? subject.name,
    ...(subject.project === undefined && project === undefined
      ? {}
      : { project: project ?? subject.project ?? '' }),
  });
  return `planned: ${whom}, ${from === undefined ? to : `${from} → ${to}`}`;
}

/** The row that is shown. Its call may have been sent for an earlier row. */
interface Shown {
  readonly batch: BatchId;
  readonly row: RowNumber;
}

function attemptLines(record: AttemptRecord, dialect: Dialect | undefined, shown: Shown): readonly string[] {
  const { attempt, batch, call, reserved, intentAtMs, reply, closure } = record;
  return [
    `  ${isoTime(intentAtMs)}  attempt ${attempt} of batch ${batch}: ${askedWords(call, reserved)}`,
    ...reasonLines(record).map((line) => `    ${line}`),
    ...(reply === undefined ? [] : [`    ${replyWords(reply, dialect)}`]),
    `    ${closure === undefined ? 'still open' : closureWords(closure)}`,
    ...afterwardsLines(record).map((line) => `    ${line}`),
    ...readingLines(record, dialect, shown).map((line) => `    ${line}`),
  ];
}

/** How the answer was read later, and how the dialect of today reads it if that differs from the last reading. */
function readingLines(
  record: AttemptRecord,
  dialect: Dialect | undefined,
  { batch, row }: Shown,
): readonly string[] {
  const { readings, call } = record;
  const kept = readings.map(
    ({ answer, charged, why, atMs }) =>
      `read as ${answer}, ${counted(charged, 'credit')}, at ${isoTime(atMs)} by another dialect (${why})`,
  );
  const today = readOtherwiseToday(record, dialect);
  if (today === undefined || dialect === undefined) return kept;
  const { answer, charged, why } = today;
  const words = `reads as ${answer}, ${counted(charged, 'credit')}, by the dialect of today (${why})`;
  if (call.change === undefined) return [...kept, words];
  const apply = settleWords(call, record, answer, dialect);
  return [
    ...kept,
    `${words}, which is never applied to a change by itself`,
    ...(apply === undefined ? [] : [`to apply it: ${commandLine(['settle', batch, String(row), ...apply])}`]),
  ];
}

/** The reading of the dialect of today; undefined when it agrees with the last one or cannot read the answer. */
function readOtherwiseToday(record: AttemptRecord, dialect: Dialect | undefined): Judged | undefined {
  const { closure, decision, readings } = record;
  if (dialect === undefined || closure === undefined || decision?.kind === 'told') return undefined;
  const today = judgedToday(record, dialect);
  const taken = readings.at(-1)?.answer ?? (closure.kind === 'settled' ? closure.answer : undefined);
  return today?.answer === taken ? undefined : today;
}

/** The flags of `settle` that apply the reading of today's dialect to a change in doubt. */
function settleWords(
  call: Call,
  { closure, reply }: AttemptRecord,
  answer: Judged['answer'],
  dialect: Dialect,
): readonly string[] | undefined {
  if (closure?.kind !== 'in_doubt' || reply === undefined) return undefined;
  if (answer !== 'found') return ['--not-done'];
  const read = readBody(reply.body);
  const fields = read.kind === 'json' ? fieldsIn(read.value, answerPlaceOf(dialect)) : undefined;
  const { accepted: _, ...told } = changeFields(dialectOperationOf(dialect, call), fields);
  const pairs = Object.entries(told).map(([name, value]) => `${name}=${value}`);
  if (pairs.length > 0) return ['--answer', ...pairs];
  return ['--answer', call.change?.leaves.state === 'invited' ? 'user_id=ID' : 'done=yes'];
}

/** What was asked and what it could cost; for a change also its number among the changes of its subject. */
function askedWords(call: Call, reserved: Credits): string {
  if (call.change === undefined) return `${call.operation}, ${callWords(call)}; ${reserved} reserved`;
  const money = reserved === 0 ? '' : `; ${reserved} reserved`;
  return `${callWords(call)}; change ${(call.after ?? 0) + 1} of it${money}`;
}

/** Says why the attempt was made, and its idempotency key. */
function reasonLines({ decision, replaces, request }: AttemptRecord): readonly string[] {
  const sentAgain = decision !== undefined && decision.kind !== 'told';
  return [
    ...(replaces === undefined ? [] : [`bought anew, because the answer of attempt ${replaces} is too old`]),
    ...(sentAgain ? [`sent again: ${decision.why}`] : []),
    ...(request === undefined ? [] : [`under idempotency key ${request.idempotencyKey}`]),
  ];
}

/** Says what became of the attempt after its answer was lost. */
function afterwardsLines({ decision, looks, released }: AttemptRecord): readonly string[] {
  return [
    ...looks.map((look) => `the vendor was ${lookWords(look)}`),
    ...(released === undefined
      ? []
      : [`its credits were freed at ${isoTime(released.atMs)}: ${released.why}`]),
    ...(decision?.kind === 'told' ? [`answered at ${isoTime(decision.atMs)}: ${decision.why}`] : []),
  ];
}

function replyWords(reply: RawReply, dialect: Dialect | undefined): string {
  const id = requestIdIn(reply, dialect);
  return `status ${reply.status}${id === undefined ? '' : `, request id ${id}`}: ${reply.body.toString('utf8')}`;
}

function closureWords(closure: Closure & { readonly closedAtMs: number }): string {
  const ended =
    closure.kind === 'settled' ? `${closure.answer}, ${counted(closure.charged, 'credit')}` : closure.kind;
  return `${ended} at ${isoTime(closure.closedAtMs)} (${closure.why})`;
}

// ---------------------------------------------------------------------------------------------------- for a program

function attemptObject(record: AttemptRecord, dialect: Dialect | undefined): object {
  const { attempt, batch, call, reserved, intentAtMs, decision, replaces, request, looks, released } = record;
  return {
    attempt,
    batch,
    operation: call.operation,
    parameters: call.parameters,
    project: call.project ?? null,
    subject: call.change === undefined ? null : subjectWords(call.change.subject),
    after: call.after ?? null,
    reserved,
    intent_at: isoTime(intentAtMs),
    replaces: replaces ?? null,
    idempotency_key: request?.idempotencyKey ?? null,
    decision: decision === undefined ? null : decisionObject(decision),
    reply: record.reply === undefined ? null : replyObject(record.reply, dialect),
    closure: record.closure === undefined ? null : closureObject(record.closure),
    looks: looks.map(lookObject),
    ...readingObjects(record, dialect),
    released: released === undefined ? null : { why: released.why, at: isoTime(released.atMs) },
  };
}

/** The later readings for `--json`; no members when there is none. */
function readingObjects(record: AttemptRecord, dialect: Dialect | undefined): object {
  const readings = record.readings.map(({ answer, charged, why, atMs }) => ({
    answer,
    charged,
    why,
    at: isoTime(atMs),
  }));
  const today = readOtherwiseToday(record, dialect);
  return {
    ...(readings.length === 0 ? {} : { readings }),
    ...(today === undefined
      ? {}
      : { today: { answer: today.answer, charged: today.charged, why: today.why } }),
  };
}

function decisionObject({ kind, by, why, atMs }: Decision): object {
  return { kind, by, why, at: isoTime(atMs) };
}

function replyObject(reply: RawReply, dialect: Dialect | undefined): object {
  return {
    status: reply.status,
    headers: reply.headers,
    body: reply.body.toString('utf8'),
    received_at: isoTime(reply.receivedAtMs),
    request_id: requestIdIn(reply, dialect) ?? null,
  };
}

function closureObject({ closedAtMs, ...closure }: Closure & { readonly closedAtMs: number }): object {
  return { ...closure, closed_at: isoTime(closedAtMs) };
}
