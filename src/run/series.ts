import { hash } from 'node:crypto';
import type { Account } from '../client/account/account.ts';
import { answerPlaceOf, type Dialect } from '../client/dialect.ts';
import {
  factsShape,
  NO_FACTS,
  type OddAnswer,
  refusalShape,
  saysNoMatch,
  type Verdict,
} from '../client/judge.ts';
import { judgedToday } from '../client/kept-answers.ts';
import { StopError } from '../core/errors.ts';
import type { Call } from '../core/operation.ts';
import { foreignWords } from '../core/plain-text.ts';
import { SO_ALREADY } from '../core/row.ts';
import {
  type AccountState,
  type AttemptId,
  type AttemptRecord,
  type Batch,
  type BatchId,
  isAnswer,
  type LedgerReader,
  type RawReply,
} from '../ledger/ledger.ts';
import { commandLine } from '../lib/command-line.ts';
import type { RunContext } from '../plan/context.ts';

/**
 * A series of like answers of one operation, in the order in which they are kept and with no other answer between them, stops the
 * account: it speaks of the account, or of what stands before the vendor, and not of rows (protocol, rule 9). The rows that it ended
 * wait again: what was free is asked again by the next run, and what was charged stays bought. Answers that nobody can read are
 * counted beside others, because each may have been charged, and their rows stay in doubt.
 *
 * Only the series' own word behind `--accept` goes on with it. A note in the ledger keeps that a series stopped a run, what a person
 * said of it, and that a match came after a miss of its shape. A start counts the newest answers of the ledger again, so a kill and the end
 * of a list lose no count, but for what nobody can read and for changes.
 */

const MOST = {
  /** Free, and quoting nothing of their row. */
  refused: { first: 5, later: 10 },
  /** Matches: first those that show the same facts, later those that show none. */
  'same-answers': { first: 5, later: 10 },
  /** Misses that no rule and no word says, of a shape after which nothing was matched. */
  'no-match': { first: 20, later: 20 },
  /** Of one shape, whatever is between them. */
  doubts: { first: 5, later: 5 },
} as const;

type SeriesKind = keyof typeof MOST;

const KIND_OF = { refused: 'refused', found: 'same-answers', no_match: 'no-match' } as const;

/** So many that nobody can read, in a row, stop a run whatever their shapes are: some vendors write a text of its own into each. */
const MOST_IN_A_ROW = 20;

interface Heard {
  readonly kind: SeriesKind;
  readonly operation: string;
  /** Undefined for an answer that means what it says: it is in no series, and ends the one before it. */
  readonly shape: string | undefined;
}

interface Series extends Heard {
  /** Nothing was heard of its operation before. */
  readonly isFirst: boolean;
  /** What others had found when it began: their matches end it as well. */
  readonly others: number;
  count: number;
  isKept?: true;
}

const isSame = (one: Heard, { kind, operation, shape }: Heard): boolean =>
  shape !== undefined && one.shape === shape && one.kind === kind && one.operation === operation;

const isWhole = ({ kind, isFirst, count, isKept }: Series): boolean =>
  isKept !== true && count >= MOST[kind][isFirst ? 'first' : 'later'];

/** What of a run a series looks at, and stops. */
interface SeriesRun extends Pick<RunContext, 'accept' | 'emit'> {
  readonly session: NoteContext & {
    readonly account: Pick<Account, 'identity' | 'sandbox'>;
    readonly client: { readonly dialect: Dialect };
    readonly history: AccountHistory;
    readonly series: AllSeries;
  };
  readonly batch: BatchId;
  stopAll(error: StopError): void;
}

/** What an account has answered: as the ledger had it when the session began, and to this process and others since. */
export interface AccountHistory {
  answers: number;
  answersNot404: number;
  found: number;
  /** How many matches other processes have heard since. */
  foundByOthers: number;
  /** Play money, so that a wrong answer costs nothing. */
  readonly trusted: boolean;
}

export async function historyOf(
  ledger: LedgerReader,
  { identity, sandbox }: Pick<Account, 'identity' | 'sandbox'>,
): Promise<AccountHistory> {
  const { answers, answersNot404, found } = await ledger.account(identity);
  return { answers, answersNot404, found, foundByOthers: 0, trusted: sandbox };
}

/** Takes in what the ledger has of the account by now; what came since is not in it. */
export function hearOfAnswers(history: AccountHistory, told: AccountState): void {
  history.foundByOthers += Math.max(0, told.found - history.found);
  for (const what of ['answers', 'answersNot404', 'found'] as const)
    history[what] = Math.max(history[what], told[what]);
}

/**
 * Whether the account has given no other answer than 404 yet, so that its address may be wrong: then a 404 says nothing of
 * whom it was asked about.
 */
export function onlyMissesYet({ answersNot404, trusted }: AccountHistory): boolean {
  return answersNot404 === 0 && !trusted;
}

/** So many shapes of misses wait for a match: a vendor may write a text of its own into each. */
const MOST_MISSED = 100;

/** With many requests at once, answers of a series come before the last of another kind: its shape is looked for in so many. */
const MOST_RECENT = 1_000;

/** The series of a session, counted over all its runs. */
export class AllSeries {
  /** Settles when the newest answers of the ledger were heard. */
  begun: Promise<unknown> | undefined;
  /** The newest of each operation. */
  readonly newest = new Map<string, Series>();
  readonly #missed = new Map<string | undefined, Heard>();
  #recent: (Heard & { readonly attempt: AttemptId })[] = [];
  readonly #odd = new Map<string, number>();
  #oddInARow = 0;
  #stopped: { readonly series: Series; readonly by: StopError } | undefined;

  /** @returns the series that the answer is in. */
  hear(heard: Heard, attempt: AttemptId, others = 0): Series {
    const { kind, operation, shape } = heard;
    if (shape !== undefined) this.#recent.push({ ...heard, attempt });
    if (this.#recent.length > 2 * MOST_RECENT) this.#recent = this.#recent.slice(-MOST_RECENT);
    const last = this.newest.get(operation);
    if (last !== undefined && isSame(last, heard) && last.others === others) {
      last.count += 1;
      return last;
    }
    const series: Series = { ...heard, isFirst: last === undefined, count: 1, others };
    this.newest.set(operation, series);
    if (kind === 'no-match' && shape !== undefined && this.#missed.size < MOST_MISSED)
      this.#missed.set(shape, heard);
    return series;
  }

  /** The newest answers of its shape. */
  like(series: Series): readonly AttemptId[] {
    return this.#recent.filter((heard) => isSame(heard, series)).map(({ attempt }) => attempt);
  }

  count(
    run: SeriesRun,
    attempt: AttemptId,
    heard: Heard,
    stopFor: (count: number) => StopError,
  ): Promise<StopError | undefined> | undefined {
    this.#oddInARow = 0;
    const isMatch = heard.kind === 'same-answers';
    const series = this.hear(heard, attempt, isMatch ? 0 : run.session.history.foundByOthers);
    if (this.#stopped !== undefined && isSame(this.#stopped.series, heard))
      return Promise.resolve(this.#stopped.by);
    if (isWhole(series)) return this.#stop(run, series, () => stopFor(series.count));
    return isMatch && this.#missed.size > 0 ? this.#matched(run, heard.operation) : undefined;
  }

  /** Keeps that misses of a shape are the vendor's word, as a match came after them. */
  async #matched({ session: { ledger, clock, account } }: SeriesRun, operation: string): Promise<undefined> {
    for (const [shape, missed] of this.#missed) {
      if (missed.operation !== operation) continue;
      this.#missed.delete(shape);
      if (!isGood(await wordOn(ledger, account.identity, missed)))
        await note({ ledger, clock }, account.identity, missed, 'matched');
    }
  }

  /** Counts an answer that nobody can read. Where a run was stopped for such and nobody has decided, one more is bought, and not five. */
  async countOdd(
    run: SeriesRun,
    operation: string,
    shape: string,
    stopFor: (count: string) => StopError,
  ): Promise<StopError | undefined> {
    const { first: most } = MOST.doubts;
    const count = (this.#odd.get(shape) ?? 0) + 1;
    this.#odd.set(shape, count);
    this.#oddInARow += 1;
    const series: Series = { kind: 'doubts', operation, shape, isFirst: false, count, others: 0 };
    const wasStopped = (await wordOn(run.session.ledger, run.session.account.identity, series)) !== undefined;
    if (count >= most || wasStopped)
      return this.#stop(run, series, () => stopFor(`${Math.max(count, most)} answers of one shape`));
    if (this.#oddInARow < MOST_IN_A_ROW) return undefined;
    return this.#stop(run, series, () => stopFor(`${this.#oddInARow} answers in a row`));
  }

  /** Stops the run, and each whose answer was under way then, unless a person has accepted what was shown. */
  async #stop(run: SeriesRun, series: Series, stopFor: () => StopError): Promise<StopError | undefined> {
    const { session, accept, emit, stopAll } = run;
    if (this.#stopped?.series.kind === series.kind) return this.#stopped.by;
    const { identity } = session.account;
    const word = await wordOn(session.ledger, identity, series);
    if (isGood(word) || (word === 'stopped' && accept === series.kind)) {
      if (word === 'stopped') await acceptSeries({ ...session, emit }, identity, series);
      series.isKept = true;
      return undefined;
    }
    this.#stopped ??= { series, by: stopFor() };
    stopAll(this.#stopped.by);
    if (word !== 'stopped') await note(session, identity, series, 'stopped');
    return this.#stopped.by;
  }

  /** Takes back the answers by which a run was stopped, once all its rows are written. */
  async takeBack({ session: { ledger, account } }: SeriesRun): Promise<void> {
    if (this.#stopped !== undefined) await ledger.takeBack(account.identity, this.like(this.#stopped.series));
  }
}

// ------------------------------------------------------------------------------------------------ what is counted

type Answered = Extract<Verdict, { readonly kind: 'answered' }>;

/** Counts an answer for its account. @returns the stop that follows from it. */
export function countAnswer(
  run: SeriesRun,
  { attempt, call }: { readonly attempt: AttemptId; readonly call: Call },
  raw: RawReply,
  said: Answered,
): Promise<StopError | undefined> | undefined {
  const { history, client, series } = run.session;
  history.answers += 1;
  if (raw.status !== 404) history.answersNot404 += 1;
  if (said.answer === 'found') history.found += 1;
  // A project that is closed to the key refuses its rows, and others go on; who is there already is no refusal of the account.
  if (history.trusted || said.projectRefused === true || said.why.endsWith(SO_ALREADY)) return undefined;
  const heard = heardOf({ series, history, dialect: client.dialect }, call, raw, said);
  return series.count(run, attempt, heard, (count) =>
    heard.kind === 'same-answers'
      ? sameStop(run.batch, count, raw, call, client.dialect)
      : freeStop(heard.kind, count, raw),
  );
}

interface Hearing extends Pick<SeriesRun['session'], 'series' | 'history'> {
  readonly dialect: Dialect;
}

function heardOf(
  { series, history, dialect }: Hearing,
  call: Call,
  raw: RawReply,
  { answer, charged }: Pick<Answered, 'answer' | 'charged'>,
) {
  const { operation } = call;
  // Facts are compared until two matches differ.
  const isFirst = series.newest.get(operation)?.isFirst ?? true;
  const mayBeLost = onlyMissesYet(history);
  const isOfRow =
    answer === 'refused'
      ? charged > 0
      : // What a change does not find is told by its row, unless the address may be wrong.
        (call.change !== undefined && !mayBeLost) || saysNoMatch(raw, dialect, call, mayBeLost);
  const ofFree = () => (isOfRow ? undefined : refusalShape(raw, dialect, call));
  const shape = answer === 'found' ? factsShape(raw.body, dialect, call, isFirst) : ofFree();
  return { kind: KIND_OF[answer], operation, shape };
}

/** Counts an answer that came whole and that nobody can read. Its vendor is not broken, so it is not probed. */
export function countOdd(
  run: SeriesRun,
  operation: string,
  { shape, rule }: OddAnswer,
  why: string,
): Promise<StopError | undefined> {
  const next = rule === undefined ? 'Check at the vendor what became of them' : ruleAdvice(rule);
  return run.session.series.countOdd(run, operation, shape, (count) =>
    doubtsStop(count, run.batch, why, next),
  );
}

// ------------------------------------------------------------------------------------------- series of earlier runs

/** Hears the newest answers of the account again, as today's dialect reads them. What a new batch buys anew is not among them. */
export async function hearAgain(
  series: AllSeries,
  { ledger, account, dialect, job, refresh }: RunContext,
  { createdAtMs }: Batch,
): Promise<readonly AttemptRecord[]> {
  // By a trial a person looks into the matter.
  if (account.sandbox || (job.origin && 'trial' in job.origin)) return [];
  const hearing = { series, dialect, history: await historyOf(ledger, account) };
  const records = await ledger.attempts(await ledger.newestAnswers(account.identity));
  for (const record of records) {
    const { attempt, call, reply, decision } = record;
    const said = judgedToday(record, dialect);
    if (reply === undefined || said === undefined || call.change || decision?.kind === 'told') continue;
    const { answer, charged } = said;
    if (isAnswer(answer) && !(refresh === true && reply.receivedAtMs < createdAtMs))
      series.hear(heardOf(hearing, call, reply, { answer, charged }), attempt);
  }
  return records;
}

/**
 * Takes back the series of a run that was killed before it could. Stops a run before it ends a row by matches for which an earlier run
 * was stopped, and which nobody has accepted since: a corrected dialect that reads other facts in them is an answer as well.
 */
export async function leftSeries(context: RunContext, batch: Batch): Promise<StopError | undefined> {
  const { ledger, account, dialect, accept } = context;
  const series = new AllSeries();
  const records = await hearAgain(series, context, batch);
  for (const newest of series.newest.values()) {
    const like = series.like(newest);
    const last = records.find(({ attempt }) => attempt === like.at(-1));
    if (last?.reply === undefined) continue;
    const word = await wordOn(ledger, account.identity, newest);
    const isMatch = newest.kind === 'same-answers';
    if (!isMatch && isWhole(newest) && !isGood(word)) await ledger.takeBack(account.identity, like);
    if (!isMatch || word !== 'stopped' || batch.state === 'finished') continue;
    if (accept !== newest.kind) return sameStop(batch.id, newest.count, last.reply, last.call, dialect);
    await acceptSeries(context, account.identity, newest);
  }
  return undefined;
}

/** The newest word about a series: `matched` where a match came after a miss of its shape. */
type Word = 'stopped' | 'accepted' | 'matched';

const isGood = (word: Word | undefined): boolean => word === 'accepted' || word === 'matched';

type NoteContext = Pick<RunContext, 'ledger' | 'clock'>;

const hashOf = (account: string, { kind, operation, shape }: Heard): string =>
  hash('sha256', JSON.stringify(['series', kind, account, operation, shape]), 'hex');

async function wordOn(ledger: LedgerReader, account: string, series: Heard): Promise<Word | undefined> {
  return (await ledger.agreement(hashOf(account, series)))?.split(':')[0] as Word | undefined;
}

async function note(
  { ledger, clock }: NoteContext,
  account: string,
  series: Heard,
  word: Word,
): Promise<void> {
  const shown = `${word}: ${series.kind} ${series.shape}`;
  await ledger.noteAgreement(hashOf(account, series), shown, clock.wallMs());
}

async function acceptSeries(
  context: NoteContext & Pick<RunContext, 'emit'>,
  account: string,
  series: Heard,
): Promise<void> {
  await note(context, account, series, 'accepted');
  context.emit({ kind: 'note', message: 'Answers of this shape stop no further run of the account.' });
}

// ------------------------------------------------------------------------------------------------ what a stop says

const QUOTED_CHARACTERS = 200;

const quoted = ({ status, body }: RawReply): string =>
  `status ${status}, ${foreignWords(body.toString('utf8').slice(0, QUOTED_CHARACTERS))}`;

const addressStop = (answer: SeriesKind, message: string, next: string): StopError =>
  new StopError({ code: 'address', message, next, answers: [answer] });

/** What free answers say, what to do, and what the rows are else. */
const FREE = {
  refused: [
    'are refusals of one shape',
    "Put right what they speak of, such as the account's key, credits or plan",
    'they are about the rows',
  ],
  'no-match': [
    'count as no match, and none says that nothing was found',
    "Check the account's base_url and key",
    'nothing was found indeed',
  ],
} as const;

function freeStop(kind: keyof typeof FREE, count: number, last: RawReply): StopError {
  const [fact, advice, other] = FREE[kind];
  return addressStop(
    kind,
    `${count} answers in a row ${fact}; the last: ${quoted(last)}.`,
    `${advice}, then run the same command again: they are taken back, and asked again; if ${other}, run the same list with --accept ${kind} to keep them.`,
  );
}

function sameStop(batch: BatchId, count: number, last: RawReply, call: Call, dialect: Dialect): StopError {
  const isNothing = factsShape(last.body, dialect, call) === NO_FACTS;
  const { results, fields: place = results } = answerPlaceOf(dialect, call.operation);
  const at = place === undefined ? '' : ` at \`${place}\``;
  const show = isNothing
    ? `hold no ${results === undefined ? 'field' : 'list'}${at} but what was asked`
    : 'show the same facts for different questions';
  const rule = `- { status: [${last.status}], body: { path: …, matches: … }, means: no_match }`;
  const advice = isNothing
    ? `say in the dialect where the ${results === undefined ? 'fields are, as `fields_at`' : `list is, as operations.${call.operation}.results`}, or, if such answers mean "no match", add the rule \`${rule}\` to its \`answers\``
    : 'correct the dialect of the account';
  return addressStop(
    'same-answers',
    `${count} matches in a row ${show}; the last: ${quoted(last)}.`,
    `If they are right, run the same list with --accept same-answers to keep them; if they are misread: ${advice}; what was bought is read again, and not bought again; to buy them again, once the vendor answers otherwise, type ${commandLine(['cancel', batch])}, then run the same list with --refresh.`,
  );
}

/** @param advice a sentence without its end. */
function doubtsStop(count: string, batch: BatchId, why: string, advice: string): StopError {
  const settle = commandLine(['settle', batch]);
  return new StopError({
    code: 'doubts',
    message: `${count} cannot be read; the last: ${why}.`,
    next: `${advice}; or settle those that are in doubt, as ${settle} lists them, or run the same command again with --accept doubts to continue without them.`,
    answers: ['doubts'],
  });
}

function ruleAdvice(rule: string): string {
  const means = /means: (\w+) \}$/.exec(rule)?.[1] ?? '';
  return `If such answers mean ${means}, add the rule \`${rule}\` to the \`answers\` of the dialect`;
}

/** Whether no row has ended by the answers at which a run was stopped. */
export function isSeries({ answers = [] }: Pick<StopError, 'answers'>): boolean {
  return (['refused', 'same-answers', 'no-match'] as const).some((kind) => answers.includes(kind));
}
