import { hash } from 'node:crypto';
import { type Dialect, type Through, vendorReply } from '../client/dialect.ts';
import { type OddAnswer, oddAnswerIn, type Reply } from '../client/judge.ts';
import { readBody, valueAt, WHOLE_BODY } from '../core/answer-body.ts';
import { StopError } from '../core/errors.ts';
import { isObject } from '../core/objects.ts';
import type { Call, JsonValue, RuleReads } from '../core/operation.ts';
import { counted, foreignWords } from '../core/plain-text.ts';
import type { AttemptId, Batch, BatchId, Doubt, LedgerReader } from '../ledger/ledger.ts';
import { commandLine } from '../lib/command-line.ts';
import type { RunContext } from '../plan/context.ts';
import { MOST_OF_A_SERIES } from './series.ts';
import type { OddShape, Run } from './session.ts';

/**
 * This file counts answers that came whole and that nobody can read. Their vendor is not broken, so it is not probed. But each
 * of them may have been charged, so after a few of one shape a person looks at them before more are bought.
 */

/** This many in a row stop a run whatever their shapes are: some vendors write a text of its own into each. */
const MOST_IN_A_ROW = 20;

export interface OddReply {
  readonly call: Call;
  readonly attempt: AttemptId;
  readonly reply: Reply;
  readonly odd: OddAnswer;
  readonly why: string;
}

/** Counts an odd answer, and stops the run at one too many. A crash here loses only the count. */
export async function applyOdd(run: Run, reply: OddReply): Promise<void> {
  const { session, batch, stopAll } = run;
  const { history, oddShapes } = session;
  const { shape: name } = reply.odd;
  const known = oddShapes.get(name) ?? shapeBefore(run, reply);
  oddShapes.set(name, known);
  const shape = await known;
  if (shape.isAccepted) return;
  shape.count += 1;
  history.odd = (history.odd ?? 0) + 1;
  if (shape.count >= MOST_OF_A_SERIES)
    stopAll(oddStop(session.client.dialect, batch, reply, `${counted(shape.count, 'answer')} of one shape`));
  else if (history.odd >= MOST_IN_A_ROW)
    stopAll(oddStop(session.client.dialect, batch, reply, `${counted(history.odd, 'answer')} in a row`));
}

async function shapeBefore(
  { session: { ledger, account, client }, batch }: Run,
  { attempt, odd: { shape } }: OddReply,
): Promise<OddShape> {
  const isAccepted = (await ledger.agreement(agreementTo(account.identity, shape))) !== undefined;
  const before = await oddDoubts(ledger, batch, client.dialect);
  // Those that the batch had before count, all but the last of them.
  const alike = before.filter(({ doubt, odd }) => doubt.attempt !== attempt && odd.shape === shape);
  return { isAccepted, count: Math.min(alike.length, MOST_OF_A_SERIES - 1) };
}

/** Accepts the shapes of all odd answers that the batch has by now, skipped or not: they no longer stop a run of the account. */
export async function acceptOdd(
  {
    ledger,
    account,
    dialect,
    clock,
    emit,
  }: Pick<RunContext, 'ledger' | 'account' | 'dialect' | 'clock' | 'emit'>,
  { id }: Pick<Batch, 'id'>,
): Promise<void> {
  const odd = await oddDoubts(ledger, id, dialect, { withSkipped: true });
  const shapes = new Set(odd.map(({ odd: { shape } }) => shape));
  for (const shape of shapes) {
    const shown = `answers of the shape ${shape} are left in doubt, and do not stop the run`;
    await ledger.noteAgreement({
      sha256: agreementTo(account.identity, shape),
      shown,
      agreedAtMs: clock.wallMs(),
    });
  }
  const message =
    shapes.size > 0
      ? `Answers of ${counted(shapes.size, 'shape')} that cannot be read no longer stop a run.`
      : `--accept doubts had nothing to accept: every answer of batch ${id} that came whole can be read so far.`;
  emit({ kind: 'note', message });
}

function agreementTo(accountIdentity: string, shape: string): string {
  return hash('sha256', JSON.stringify(['odd answers', accountIdentity, shape]), 'hex');
}

export interface OddDoubt {
  readonly doubt: Doubt;
  readonly odd: OddAnswer;
}

/** Replies are read in groups, because each may be large. */
const GROUP = 100;

export async function oddDoubts(
  ledger: Pick<LedgerReader, 'doubts' | 'attempts'>,
  batch: BatchId,
  dialect: Dialect,
  options?: { readonly withSkipped: boolean },
): Promise<readonly OddDoubt[]> {
  const doubts = await ledger.doubts(batch, options);
  const odd: OddDoubt[] = [];
  for (let from = 0; from < doubts.length; from += GROUP) {
    const group = doubts.slice(from, from + GROUP);
    const records = await ledger.attempts(group.map(({ attempt }) => attempt));
    const replies = new Map(records.map(({ attempt, reply }) => [attempt, reply]));
    for (const doubt of group) {
      const reply = replies.get(doubt.attempt);
      const answer = reply === undefined ? undefined : oddAnswerIn(reply, dialect, doubt.call);
      if (answer !== undefined) odd.push({ doubt, odd: answer });
    }
  }
  return odd;
}

// ---------------------------------------------------------------------------------------------------- what to do

function oddStop(dialect: Dialect, batch: BatchId, reply: OddReply, count: string): StopError {
  const settle = commandLine(['settle', batch]);
  const ways = `settle those that are in doubt, as ${settle} lists them, or run the same command again with --accept doubts to continue without them`;
  return new StopError({
    code: 'doubts',
    message: `${count} cannot be read; the last: ${reply.why}.`,
    next: `${adviceOn(dialect, reply)}; or ${ways}.`,
    answers: ['doubts'],
  });
}

export function ruleReads({ change, ifLost }: Call): RuleReads {
  if (change === undefined) return 'what_is_kept';
  return ifLost === 'hold' ? 'later_answers' : 'what_a_repeat_brings';
}

const WHAT_FOLLOWS: Readonly<Record<RuleReads, string>> = {
  what_is_kept: 'and the rule reads what is kept',
  what_a_repeat_brings:
    'and the next run asks each of them again, which does no harm, and the rule reads what comes',
  later_answers: 'for later answers: only you can say what was done for those that are in doubt',
};

/** What to write into the dialect, so that such answers are read, and what that does for those that are in doubt by now. */
function adviceOn({ through }: Dialect, { call, reply, odd: { rule, isOuter } }: OddReply): string {
  if (rule !== undefined) {
    const means = /means: (\w+) \}$/.exec(rule)?.[1] ?? '';
    return `If such answers mean ${means}, add the rule \`${rule}\` to the \`answers\` of the dialect, ${WHAT_FOLLOWS[ruleReads(call)]}`;
  }
  const body = reply.kind === 'answered' ? readBody(reply.raw.body) : undefined;
  if (isOuter && through !== undefined && body?.kind === 'json')
    return placeAdvice(through, body.value).replace(/\.$/, '');
  return 'Check at the vendor what became of them';
}

// ------------------------------------------------------------- successes of a service without the vendor's answer

export function noteUnwrapped({ session: { client, history }, emit }: Run, reply: Reply): void {
  if (history.unwrapped || reply.kind !== 'answered') return;
  const { dialect } = client;
  const { through } = dialect;
  if (through === undefined || vendorReply(reply.raw, dialect) !== undefined) return;
  const body = readBody(reply.raw.body);
  if (Math.floor(reply.raw.status / 100) !== 2 || body.kind !== 'json') return;
  history.unwrapped = true;
  emit({ kind: 'note', message: placeAdvice(through, body.value) });
}

function placeAdvice({ envelope: { answer } }: Pick<Through, 'envelope'>, body: JsonValue): string {
  const isStatusMissing = answer.status !== undefined && valueAt(body, answer.body) !== undefined;
  const [missing, part, correction] = isStatusMissing
    ? ([answer.status, 'status', 'if it names none, `answer: { status: null }`'] as const)
    : ([answer.body, 'body', bodyCorrection(answer, body)] as const);
  return [
    `An answer from the service has no vendor's answer at \`${missing}\`, where api_call.answer.${part} of its dialect says; it has ${namesIn(body)}.`,
    `Write under api_call in the dialect of the service account, ${correction}.`,
    'The next run then reads lookups in doubt from the ledger, and does not buy them again.',
  ].join(' ');
}

function bodyCorrection({ status }: Through['envelope']['answer'], body: JsonValue): string {
  const [place] = placesIn(body);
  const whole = `if all of it is the vendor's answer, \`answer: { body: ${WHOLE_BODY} }\``;
  if (place === undefined) return whole;
  const isStatusMissing = status !== undefined && valueAt(body, status) === undefined;
  const entries = `${isStatusMissing ? 'status: null, ' : ''}body: ${place}`;
  return `${whole}, or if that is ${place}, \`answer: { ${entries} }\``;
}

const NAMES_SHOWN = 8;

function namesIn(body: JsonValue): string {
  if (!isObject(body)) return Array.isArray(body) ? `a list of ${body.length}` : 'a value without names';
  const names = Object.keys(body).slice(0, NAMES_SHOWN);
  return names.length === 0 ? 'nothing' : names.map((name) => foreignWords(name)).join(', ');
}

/** Members that may be the answer of the vendor: objects and lists, and of these first what services call it. */
function placesIn(body: JsonValue): readonly string[] {
  if (!isObject(body)) return [];
  const members = Object.entries(body as Readonly<Record<string, JsonValue>>);
  const places = members.flatMap(([name, value]) =>
    typeof value === 'object' && value !== null ? [foreignWords(name)] : [],
  );
  return places.toSorted((a, b) => Number(USUAL.has(b)) - Number(USUAL.has(a)));
}

const USUAL: ReadonlySet<string> = new Set(['body', 'response', 'result', 'output', 'data', 'payload']);
