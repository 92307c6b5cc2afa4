import { type Dialect, dialectOperationOf, vendorReply } from '../../client/dialect.ts';
import { isExactCharge, type RuleFound, ruleOf } from '../../client/judge.ts';
import { isoTime } from '../../core/clock.ts';
import { stop } from '../../core/errors.ts';
import { otherIn } from '../../core/finding.ts';
import { sayAll } from '../../core/finding-words.ts';
import type { Findings } from '../../core/findings.ts';
import { subjectWords } from '../../core/membership.ts';
import { present } from '../../core/objects.ts';
import { reasonOf } from '../../core/outcome.ts';
import { atMost, counted, linesOf } from '../../core/plain-text.ts';
import type { Outcome } from '../../core/row.ts';
import { accountNameIn, answersOf, matchingOf, shownAnswer } from '../../files/output/output.ts';
import { settingsKept } from '../../job/job-settings.ts';
import type { AttemptRecord, Batch, Decision, LedgerReader, Reply, RowRecord } from '../../ledger/ledger.ts';
import { isJsonName } from '../../lib/file-name.ts';
import type { AttemptObject, RowObject } from '../../objects/row-object.ts';
import { type KeptWork, keptWorks } from '../../operations/team/change-action.ts';
import { callObject, decisionObject, lookObject } from '../../run/doubts.ts';
import { dialectOfBatch } from '../../run/known-account.ts';
import { PathSearch, saidIn } from '../../values/answer-fields.ts';
import type { Report } from '../shared/command.ts';
import {
  callWords,
  decisionWords,
  heldBesideWords,
  lookWords,
  replyObject,
  ruleName,
  ruleObject,
} from '../shared/doubts.ts';

/**
 * @param text the row's number in a spreadsheet.
 * @throws StopError `usage` when the batch has no such row.
 */
export async function rowReport(
  ledger: LedgerReader,
  batch: Batch,
  text: string,
): Promise<Report<RowObject>> {
  const object = await rowObject(ledger, batch, text);
  const { row, outcome, match, planned, attempts, fields } = object;
  const reason = outcome?.reason;
  const ofRow = new Set(attempts.map(({ attempt }) => attempt));
  const beside = (await ledger.beside(batch.id)).filter(({ attempt }) => ofRow.has(attempt));
  return {
    object,
    advice: linesOf(beside.length > 0 && heldBesideWords(batch.id, text, beside)),
    lines: linesOf(
      `Row ${row}: ${outcome?.kind ?? 'pending'}${reason === undefined ? '' : `, ${reason}`}`,
      match !== undefined && `  ${match}`,
      planned && keptWorks(planned).map((work) => `  ${plannedWords(work)}`),
      attempts.flatMap((each) => attemptLines(each, batch.accounts.length > 1)),
      fields && `  fields for add: ${fields.join(', ')}`,
    ),
  };
}

/**
 * Blank lines are no rows but have numbers. So a number above the count of rows may belong to a row that is
 * still to come.
 */
const WHICH_ROW =
  "Give the spreadsheet's number, where the header is 1; in JSON lines, the number of the line.";

async function rowObject(ledger: LedgerReader, batch: Batch, text: string): Promise<RowObject> {
  const row = Number(text);
  if (!Number.isInteger(row) || row < (isJsonName(batch.inputPath) ? 1 : 2)) {
    throw stop('usage', `${text} is not a row.`, WHICH_ROW);
  }
  const [there] = await ledger.rowsAt(batch.id, { from: row }, 1);
  if (there?.row !== row) {
    const fact = `Batch ${batch.id} has no row ${row}; its list has ${counted(batch.inputRows, 'row')}.`;
    throw stop('usage', fact, WHICH_ROW);
  }
  const record = (await ledger.recordsOf(batch.id, [row])).get(row);
  const [planned] = await ledger.plannedRows(batch.id, row, 1);
  const history = await ledger.history(batch.id, row);
  const attempts: AttemptObject[] = [];
  for (const each of history) {
    const dialect = await dialectOfBatch(batch, ledger, each.accountIdentity);
    attempts.push(attemptObject(batch, each, dialect, decidedAbout(each, batch, history)));
  }
  const fields = fieldsShown(batch, record);
  const [match] = record === undefined ? [] : await (await matchingOf(ledger, batch)).ofAll([record]);
  return {
    batch: batch.id,
    row,
    outcome: record?.outcome ? outcomeObject(record.outcome) : null,
    ...present({ match: match?.words || undefined, match_decision: match?.decision?.kind }),
    planned: (planned?.row === row ? planned.work : undefined) ?? null,
    attempts,
    ...(fields.length > 0 && { fields: [...fields] }),
  };
}

function outcomeObject(outcome: Outcome): RowObject['outcome'] {
  const { kind, matchedBy, findings } = outcome;
  const words = present({ matched_by: matchedBy, reason: reasonOf(outcome) });
  return { kind, ...words, findings: [...findings] };
}

/**
 * The decision about a lost answer that no attempt has carried out yet. A decision of a rule that no attempt
 * has used is made anew, so it is not shown.
 */
function decidedAbout(
  { end, released, decisions }: AttemptRecord,
  { id }: Batch,
  history: readonly AttemptRecord[],
): Decision | undefined {
  const last = decisions.findLast(({ batch }) => batch === id);
  const isDone = history.some(({ decision }) => decision?.id === last?.id);
  const isLeft = end?.kind === 'in_doubt' && released === undefined && !isDone;
  return isLeft && last?.kind !== 'repeat' ? last : undefined;
}

/**
 * @param dialect today's dialect of its account, which says how an answer is read, and whether it surely cost
 * exactly the booked credits.
 */
function attemptObject(
  batch: Batch,
  record: AttemptRecord,
  dialect: Dialect | undefined,
  decided: Decision | undefined,
): AttemptObject {
  const { call, reply, released, request, decision } = record;
  return {
    attempt: record.attempt,
    batch: record.batch,
    account: accountNameIn(batch, record),
    ...callObject(call),
    after: call.after ?? null,
    reserved: record.reserved,
    intent_at: isoTime(record.sentAtMs),
    replaces: record.replaces ?? null,
    idempotency_key: request?.idempotencyKey ?? null,
    decision: decision ? decisionObject(decision) : null,
    decided: decided ? decisionObject(decided) : null,
    reply: reply ? { ...replyObject(reply), request_id: requestIdIn(reply, dialect) ?? null } : null,
    closure: closureObject(record, dialect),
    looks: record.looks.map(lookObject),
    rule: ruleObject(dialect && ruleBehind(record, dialect)),
    released: released ? { ...whyObject(released.why), at: isoTime(released.atMs) } : null,
  };
}

function closureObject(record: AttemptRecord, dialect: Dialect | undefined): AttemptObject['closure'] {
  const { end, toldAnswer } = record;
  if (end === undefined) return null;
  const { kind, why } = end;
  const exact = dialect !== undefined && isExactlyBooked(record, dialect);
  const answered =
    toldAnswer ?? (kind === 'answered' ? { answer: end.answer, charged: end.charged } : undefined);
  const settled = answered && { ...answered, exact };
  const other = answered?.answer === 'no_match' ? otherIn(why) : undefined;
  const sold = other && sayAll(other, 'terminal');
  return {
    kind,
    ...whyObject(why),
    ...present({ sold }),
    ...settled,
    closed_at: isoTime(end.endedAtMs),
  };
}

const whyObject = (why: Findings) => ({ why: sayAll(why, 'terminal'), findings: [...why] });

function ruleBehind({ call, reply, decision }: AttemptRecord, dialect: Dialect): RuleFound | undefined {
  const isRead = reply !== undefined && decision?.kind !== 'told' && call.erasedAtMs === undefined;
  if (!isRead || !Object.hasOwn(dialect.operations, call.operation)) return undefined;
  return ruleOf(reply, dialect, dialectOperationOf(dialect, call), call);
}

function isExactlyBooked({ call, end, reply }: AttemptRecord, dialect: Dialect): boolean {
  if (end?.kind !== 'answered' || reply === undefined) return false;
  if (!Object.hasOwn(dialect.operations, call.operation)) return end.charged === 0;
  return isExactCharge(end.charged, reply, dialect, dialectOperationOf(dialect, call));
}

function fieldsShown({ settings }: Batch, record: RowRecord | undefined): readonly string[] {
  const { answer_at: answerPlace } = settingsKept(settings);
  const shown = shownAnswer(record === undefined ? [] : answersOf(record), answerPlace);
  if (shown === undefined) return [];
  const paths = new PathSearch([]);
  paths.look(saidIn(shown.body, shown.place));
  return paths.paths;
}

function requestIdIn(reply: Reply, dialect: Dialect | undefined): string | undefined {
  const replies = dialect === undefined ? [reply] : [vendorReply(reply, dialect) ?? reply, reply];
  const headers = replies.flatMap((each) => Object.entries(each.headers));
  const named = (dialect?.request_id ?? []).flatMap((name) => headers.filter((header) => header[0] === name));
  return [...named, ...headers.filter(([name]) => /request-id|correlation-id/.test(name))][0]?.[1];
}

// ---------------------------------------------------------------------------------------------- for a person

/** `planned: jo@x.com in Sales, viewer → editor`, as planned when the batch began. */
function plannedWords({ subject, email, project, from, to }: KeptWork): string {
  const where = project ?? subject.project;
  const whom = subjectWords({ name: email ?? subject.name, ...present({ project: where }) });
  return `planned: ${whom}, ${from === undefined ? to : `${from} → ${to}`}`;
}

function attemptLines(of: AttemptObject, hasSeveralAccounts: boolean): readonly string[] {
  const { account, batch, intent_at: at, replaces, decision, decided, reply, closure, rule } = of;
  const id = reply?.request_id ? `, request id ${reply.request_id}` : '';
  const toldDecision = decision?.kind === 'told' ? decision : undefined;
  return [
    `  ${at}  batch ${batch}: ${hasSeveralAccounts ? `${account}, ` : ''}${askedWords(of)}`,
    ...linesOf(
      replaces !== null && 'bought again, in place of an earlier answer',
      decision && toldDecision === undefined && `sent again: ${decision.why}`,
      of.idempotency_key !== null && `under idempotency key ${of.idempotency_key}`,
      reply && `status ${reply.status}${id}: ${reply.body}`,
      closure === null ? 'still open' : closureWords(closure, toldDecision),
      rule && `read as ${rule.means} by ${ruleName(rule)}`,
      of.looks.map(lookWords),
      of.released && `its credits were freed at ${of.released.at}: ${of.released.why}`,
      decided && decisionWords(decided),
      toldDecision &&
        closure?.answer &&
        `${answerWords(closure)} at ${toldDecision.at} (${toldDecision.why})`,
    ).map((line) => `    ${line}`),
  ];
}

function askedWords(of: AttemptObject): string {
  const { operation, subject, reserved, after } = of;
  if (subject === null) return `${operation}, ${callWords(of)}; ${reserved} reserved`;
  return `${callWords(of)}; change ${(after ?? 0) + 1} of it${reserved === 0 ? '' : `; ${reserved} reserved`}`;
}

type Closure = NonNullable<AttemptObject['closure']>;

/** @param toldDecision the decision that ended the doubt, which has words of its own. */
function closureWords(of: Closure, toldDecision: AttemptObject['decision'] | undefined): string {
  const { kind, answer, closed_at: at, why } = of;
  return `${answer === undefined || toldDecision ? kind : answerWords(of)} at ${at} (${why})`;
}

const answerWords = ({ answer, sold, charged = 0, exact }: Closure): string =>
  `${sold === undefined ? answer : 'sold, and none of its kind'}, ${atMost(charged, !exact, counted(charged, 'credit'))}`;
