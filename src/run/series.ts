import { hash } from 'node:crypto';
import type { Account } from '../client/account/account.ts';
import { answerPlaceOf, type Dialect, type DialectOperation } from '../client/dialect.ts';
import {
  envelopeAdvice,
  factsShape,
  NO_FACTS,
  type OddAnswer,
  refusalShape,
  type Verdict,
} from '../client/judge.ts';
import { basePathOf } from '../client/request.ts';
import { StopError } from '../core/errors.ts';
import type { Call } from '../core/operation.ts';
import { counted, foreignWords } from '../core/plain-text.ts';
import { SO_ALREADY } from '../core/row.ts';
import type { AccountState, AttemptId, Batch, BatchId, LedgerReader, RawReply } from '../ledger/ledger.ts';
import { commandLine } from '../lib/command-line.ts';
import type { RunContext } from '../plan/context.ts';

/**
 * So many answers of one shape, and of no other meaning, stop a run: they speak of the account, or of what stands before the vendor,
 * and not of rows (protocol, rule 9).
 *
 * | series | ended by | at the stop |
 * |---|---|---|
 * | `refused`: free refusals | any other answer; those that speak of a key or of credits go on behind it | their rows wait, and they are asked again |
 * | `same-answers`: matches with the same facts, or with none | any other answer, for the whole run | their rows wait; they stay bought |
 * | `doubts`: answers that nobody can read | nothing, because each may have been charged | they are in doubt |
 * | `no-match`: the first answers of an account, all of status 404 | any other answer | they stay until their address is corrected or a person decides |
 *
 * Only the series' own word behind `--accept` goes on with it. A note in the ledger keeps that a series stopped a run, and what a person
 * said of it. The ledger counts the answers of an account, over all its lists. A crash loses the count of the others.
 */

type SeriesKind = 'refused' | 'same-answers' | 'doubts' | 'no-match';

/** What of a run a series looks at, and stops. */
interface SeriesRun extends Pick<RunContext, 'accept' | 'emit'> {
  readonly session: Pick<RunContext, 'ledger' | 'clock'> & {
    readonly account: Pick<Account, 'identity' | 'sandbox'>;
    readonly client: { readonly dialect: Dialect; readonly origin: string; readonly basePath: string };
    readonly history: AccountHistory;
    readonly series: AllSeries;
  };
  readonly batch: BatchId;
  stopAll(error: StopError): void;
}

interface Counted {
  readonly attempt: AttemptId;
  readonly call: Call;
  readonly operation: DialectOperation;
}

const MOST = 5;

/** So many first answers of status 404 mean a wrong address rather than as many unknown companies. */
const FIRST_MISSES = 20;

/** So many that nobody can read, in a row, stop a run whatever their shapes are: some vendors write a text of its own into each. */
const MOST_IN_A_ROW = 20;

type Told = Pick<AccountState, 'answers' | 'answersNot404' | 'found' | 'misses'>;

/** What an account has answered: as the ledger had it when the session began, and to this process and others since. */
export interface AccountHistory extends Record<keyof Told, number> {
  readonly foundBefore: number;
  /** Whether a person has said that its misses are the vendor's own answers. */
  readonly kept: boolean;
  /** Play money, so that a wrong answer costs nothing. */
  readonly trusted: boolean;
}

/** Takes in what the ledger has of the account by now; what came since is not in it. */
export function hearOfAnswers(history: AccountHistory, told: Told): void {
  for (const what of ['answers', 'answersNot404', 'found', 'misses'] as const)
    history[what] = Math.max(history[what], told[what]);
}

/**
 * Whether the account has given no other answer than 404 yet, so that its address may be wrong: then a 404 says nothing of
 * whom it was asked about.
 */
export function onlyMissesYet({ answersNot404, kept, trusted }: AccountHistory): boolean {
  return answersNot404 === 0 && !kept && !trusted;
}

/** The stop for misses that look like a wrong address. Answers to changes are never taken back. */
function missesStop(history: AccountHistory, isOfChanges: boolean): StopError | undefined {
  const { misses } = history;
  if (!onlyMissesYet(history) || misses < FIRST_MISSES) return undefined;
  const [corrected, ways, answers] = isOfChanges
    ? ['', 'to continue', ['no-match']]
    : [
        ' (a corrected one asks for all of them again)',
        'to keep them as no match, or with --accept take-back to ask for them again',
        ['no-match', 'take-back'],
      ];
  return new StopError({
    code: 'address',
    message: `The first ${misses} answers of this account were all status 404.`,
    next: `Check the account's base_url${corrected}; if it is right, run the same list with --accept no-match ${ways}.`,
    answers: [...answers],
  });
}

/** The series of a session, counted over all its runs. */
export class AllSeries {
  readonly refused = new Series('refused');
  readonly same = new Series('same-answers');
  readonly doubts = new Series('doubts');
}

class Series {
  readonly kind: SeriesKind;
  /** The answers that are taken back when they stop the run. */
  readonly answers = new Set<AttemptId>();
  isOver = false;
  stopped: StopError | undefined;
  readonly #accepted = new Set<string>();
  readonly #counts = new Map<string, number>();
  #inARow = 0;

  constructor(kind: SeriesKind) {
    this.kind = kind;
  }

  /** Another answer has come, so those before it mean what they say. Those of a series that has stopped the run do not. */
  end(): void {
    this.isOver = true;
    this.#inARow = 0;
    // What nobody can read may have been charged, however much else is answered.
    if (this.kind !== 'doubts') for (const shape of this.#counts.keys()) this.#counts.set(shape, 0);
    if (this.stopped === undefined) this.answers.clear();
  }

  /** Whether no other shape has come. */
  isAll(shape: string): boolean {
    return this.#counts.size === 0 || this.#counts.has(shape);
  }

  /** Counts an answer. @returns the stop of the run at one too many, and at each that was under way then. */
  async count(
    run: SeriesRun,
    attempt: AttemptId,
    shape: string,
    stopFor: (count: string) => StopError,
  ): Promise<StopError | undefined> {
    if (this.#accepted.has(shape)) return undefined;
    const count = (this.#counts.get(shape) ?? 0) + 1;
    this.#counts.set(shape, count);
    this.#inARow += 1;
    this.answers.add(attempt);
    if (this.stopped !== undefined || (count < MOST && this.kind !== 'doubts')) return this.stopped;
    const { session } = run;
    const series = { kind: this.kind, account: session.account.identity, shape };
    const word = await wordOn(session.ledger, series);
    // Where a run was stopped for such doubts and nobody has decided, one more is bought, and not five.
    const isShape = count >= MOST || word !== undefined;
    if (await this.#isAccepted(run, series, word)) return undefined;
    if (this.stopped === undefined && (isShape || this.#inARow >= MOST_IN_A_ROW)) {
      this.stopped = stopFor(
        isShape ? `${Math.max(count, MOST)} answers of one shape` : `${this.#inARow} answers in a row`,
      );
      run.stopAll(this.stopped);
      if (word === undefined) await note(session, series, 'stopped');
    }
    return this.stopped;
  }

  /** Nobody accepts what was not shown. */
  async #isAccepted(run: SeriesRun, series: Named, word: Word | undefined): Promise<boolean> {
    const isNew = word?.state === 'stopped' && run.accept === this.kind;
    if (!isNew && word?.state !== 'accepted') return false;
    if (isNew) await accept({ ...run.session, emit: run.emit }, series);
    this.#accepted.add(series.shape);
    this.answers.clear();
    return true;
  }
}

// ------------------------------------------------------------------------------------------------ what is counted

/** Counts an answer for its account. @returns the stop that follows from it; a promise where the ledger is asked. */
export function countAnswer(
  run: SeriesRun,
  replied: Counted,
  raw: RawReply,
  said: Extract<Verdict, { readonly kind: 'answered' }>,
): StopError | Promise<StopError | undefined> | undefined {
  const { series, history, client } = run.session;
  const { dialect } = client;
  const { attempt, call } = replied;
  const isFound = said.answer === 'found';
  series.doubts.end();
  const misses = countMiss(run, replied, raw, isFound);
  // A project that is closed to the key refuses its rows, and others go on; who is there already is no refusal of the account.
  const isOfRow = said.projectRefused === true || said.why.endsWith(SO_ALREADY);
  if (misses !== undefined || history.trusted || isOfRow) return misses;
  if (said.answer === 'refused') {
    // Where others spend as well, what they found counts.
    const isOver = series.refused.isOver || history.found > history.foundBefore;
    const isCounted = said.charged === 0 && !isOver;
    const shape = isCounted ? refusalShape(raw, dialect, call) : undefined;
    return shape === undefined
      ? undefined
      : series.refused.count(run, attempt, shape, () => refusedStop(raw));
  }
  series.refused.end();
  const facts = isFound && !series.same.isOver ? factsShape(raw.body, dialect, call) : undefined;
  if (facts !== undefined && series.same.isAll(facts))
    return series.same.count(run, attempt, facts, () => sameStop(run.batch, raw, call, dialect));
  series.same.end();
  return undefined;
}

/** Counts an answer that came whole and that nobody can read. Its vendor is not broken, so it is not probed. */
export function countOdd(
  run: SeriesRun,
  { attempt }: Pick<Counted, 'attempt'>,
  raw: RawReply,
  { shape, rule, isOuter }: OddAnswer,
  why: string,
): Promise<StopError | undefined> {
  const { client, series } = run.session;
  const advice = isOuter ? envelopeAdvice(raw, client.dialect)?.replace(/\.$/, '') : undefined;
  const next = rule === undefined ? (advice ?? 'Check at the vendor what became of them') : ruleAdvice(rule);
  return series.doubts.count(run, attempt, shape, (count) => doubtsStop(count, run.batch, why, next));
}

function countMiss(
  { session, stopAll }: SeriesRun,
  { call, operation }: Counted,
  { status }: RawReply,
  isFound: boolean,
): Promise<StopError> | undefined {
  const { history, client } = session;
  history.answers += 1;
  history[status === 404 ? 'misses' : 'answersNot404'] += 1;
  if (isFound) history.found += 1;
  const stopped = missesStop(history, call.change !== undefined);
  if (stopped === undefined) return undefined;
  stopAll(stopped);
  const where = `${client.origin}${client.basePath}${operation.path}`;
  return note(session, missesOf(session.account.identity), 'stopped', where).then(() => stopped);
}

const missesOf = (account: string): Named => ({ kind: 'no-match', account, shape: 'first' });

/** Takes back the answers by which a run was stopped, once all its rows are written: those rows wait, and what was charged stays bought. */
export async function takeSeriesBack({ session: { series, ledger, account } }: SeriesRun): Promise<void> {
  for (const { stopped, answers } of [series.refused, series.same])
    if (stopped !== undefined) await ledger.takeBack(account.identity, [...answers]);
}

// ------------------------------------------------------------------------------------------- stops of earlier runs

/** What the account has answered, and what was said of its misses where it has answered nothing else. */
export async function missesNow(
  ledger: LedgerReader,
  { identity, sandbox }: Pick<Account, 'identity' | 'sandbox'>,
) {
  const { answers, answersNot404, found, misses } = await ledger.account(identity);
  const word = misses === 0 ? undefined : await wordOn(ledger, missesOf(identity));
  const history: AccountHistory = {
    ...{ answers, answersNot404, found, misses, foundBefore: found },
    ...{ kept: word?.state === 'accepted', trusted: sandbox },
  };
  return { history, word };
}

/** Settles the series at which an earlier run was stopped. @returns the stop when no person has decided. */
export async function settleSeries(
  context: RunContext,
  batch: Pick<Batch, 'id' | 'createdAtMs' | 'state'>,
): Promise<StopError | undefined> {
  const { account, job } = context;
  // A sandbox has another port at every start, and no money is at stake there. By a trial a person looks into the matter.
  if (account.baseUrl === undefined || job.origin?.kind === 'trial') return undefined;
  const misses = await settleMisses(context, account.baseUrl);
  return misses ?? (batch.state === 'finished' ? undefined : heldMatches(context, batch));
}

/**
 * Takes misses back when the address was corrected or a person says so, and keeps them when a person says that. Rows whose answers are
 * taken back are pending again, so this has to happen before finished rows are counted.
 */
async function settleMisses(context: RunContext, baseUrl: URL): Promise<StopError | undefined> {
  const { ledger, account, dialect, accept, emit } = context;
  const { history, word } = await missesNow(ledger, account);
  const series = missesOf(account.identity);
  const stopped = missesStop(history, account.vendor === 'service');
  if (stopped === undefined) return undefined;
  const say = (misses: number, what: string): void => {
    const they = `${counted(misses, 'answer')} of status 404 ${misses === 1 ? 'is' : 'are'}`;
    emit({ kind: 'note', message: `${they} ${what}.` });
  };
  const addressOf = ({ path }: DialectOperation): string => `${baseUrl.origin}${basePathOf(baseUrl)}${path}`;
  const isCorrected =
    word?.state === 'stopped' &&
    Object.values(dialect.operations).every((each) => addressOf(each) !== word.where);
  if (isCorrected || accept === 'take-back') {
    const takenBack = await ledger.takeBack(account.identity, 'misses');
    if (takenBack > 0) say(takenBack, 'taken back and requested again');
    // What was charged, or may have changed something, stays: then only `no-match` goes on with it.
    if (isCorrected || takenBack > 0) return note(context, series, 'taken back');
  }
  if (accept !== 'no-match') return stopped;
  await note(context, series, 'accepted');
  say(history.misses, 'kept as no match');
  return undefined;
}

/**
 * Stops a run before it ends a row by matches for which an earlier run was stopped, and which nobody has accepted since. A corrected
 * dialect that reads other facts in them is an answer as well. A new batch that buys older answers again does not use them.
 */
async function heldMatches(
  context: RunContext,
  { id, createdAtMs }: Pick<Batch, 'id' | 'createdAtMs'>,
): Promise<StopError | undefined> {
  const { ledger, account, dialect } = context;
  const newest = await ledger.newestFound(account.identity);
  if (newest === undefined || !Object.hasOwn(dialect.operations, newest.call.operation)) return undefined;
  const shape = factsShape(newest.reply.body, dialect, newest.call);
  const isTooOld = context.refresh === true && newest.reply.receivedAtMs < createdAtMs;
  if (shape === undefined || isTooOld) return undefined;
  const series: Named = { kind: 'same-answers', account: account.identity, shape };
  if ((await wordOn(ledger, series))?.state !== 'stopped') return undefined;
  if (context.accept !== 'same-answers') return sameStop(id, newest.reply, newest.call, dialect);
  await accept(context, series);
  return undefined;
}

// ------------------------------------------------------------------------------- what a person has seen, and said

interface Named {
  readonly kind: SeriesKind;
  readonly account: string;
  readonly shape: string;
}

/** The newest word about a series; `where` is what a stop was about. */
interface Word {
  readonly state: 'stopped' | 'accepted' | 'taken back';
  readonly where: string;
}

type Noting = Pick<RunContext, 'ledger' | 'clock'>;

const hashOf = ({ kind, account, shape }: Named): string =>
  hash('sha256', JSON.stringify(['series', kind, account, shape]), 'hex');

async function wordOn(ledger: LedgerReader, series: Named): Promise<Word | undefined> {
  const [state, where = ''] = (await ledger.agreement(hashOf(series)))?.split(`: ${series.kind} `) ?? [];
  return state === undefined ? undefined : { state: state as Word['state'], where };
}

async function note(
  { ledger, clock }: Noting,
  series: Named,
  state: Word['state'],
  where = series.shape,
): Promise<undefined> {
  const shown = `${state}: ${series.kind} ${where}`;
  await ledger.noteAgreement(hashOf(series), shown, clock.wallMs());
}

async function accept(context: Noting & Pick<RunContext, 'emit'>, series: Named): Promise<void> {
  await note(context, series, 'accepted');
  context.emit({ kind: 'note', message: 'Answers of this shape stop no further run of the account.' });
}

// ------------------------------------------------------------------------------------------------ what a stop says

const QUOTED_CHARACTERS = 200;

const quoted = ({ status, body }: RawReply): string =>
  `status ${status}, ${foreignWords(body.toString('utf8').slice(0, QUOTED_CHARACTERS))}`;

function refusedStop(last: RawReply): StopError {
  return new StopError({
    code: 'address',
    message: `${MOST} answers of this account are refusals of one shape, with no other answer between them; the last: ${quoted(last)}.`,
    next: "Put right what they speak of, such as the account's key, credits or plan, then run the same command again: they are taken back, and asked again; if they are about the rows, run the same list with --accept refused to keep them.",
    answers: ['refused'],
  });
}

function sameStop(batch: BatchId, last: RawReply, call: Call, dialect: Dialect): StopError {
  const isNothing = factsShape(last.body, dialect, call) === NO_FACTS;
  const { results, fields: place = results } = answerPlaceOf(dialect, call.operation);
  const at = place === undefined ? '' : ` at \`${place}\``;
  const show = isNothing
    ? `hold no ${results === undefined ? 'field' : 'list'}${at}`
    : 'show the same facts for different questions';
  const rule = `- { status: [${last.status}], body: { path: …, matches: … }, means: no_match }`;
  const advice = isNothing
    ? `say in the dialect where the ${results === undefined ? 'fields are, as `fields_at`' : `list is, as operations.${call.operation}.results`}, or, if such answers mean "no match", add the rule \`${rule}\` to its \`answers\``
    : 'correct the dialect of the account';
  return new StopError({
    code: 'address',
    message: `${MOST} matches of this account ${show}, and it has answered nothing else; the last: ${quoted(last)}.`,
    next: `If they are right, run the same list with --accept same-answers to keep them; if they are misread: ${advice}; what was bought is read again, and not bought again; to buy them again, once the vendor answers otherwise, type ${commandLine(['cancel', batch])}, then run the same list with --refresh.`,
    answers: ['same-answers'],
  });
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
  return answers.includes('refused') || answers.includes('same-answers');
}
