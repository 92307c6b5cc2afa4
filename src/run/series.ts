import { hash } from 'node:crypto';
import type { Account } from '../client/account/account.ts';
import { answerPlaceOf, type Dialect } from '../client/dialect.ts';
import { factsShape, NO_FACTS, type OddAnswer, refusalShape, type Verdict } from '../client/judge.ts';
import { StopError } from '../core/errors.ts';
import type { Call } from '../core/operation.ts';
import { foreignWords } from '../core/plain-text.ts';
import { SO_ALREADY } from '../core/row.ts';
import type { AccountState, AttemptId, Batch, BatchId, LedgerReader, RawReply } from '../ledger/ledger.ts';
import { commandLine } from '../lib/command-line.ts';
import type { RunContext } from '../plan/context.ts';

/**
 * So many answers of one shape, and no other answer before or between them, stop a run: they speak of the account, or of what stands
 * before the vendor, and not of rows (protocol, rule 9). The rows that they ended wait again: what was free is asked again by the next
 * run, and what was charged stays bought. Answers that nobody can read are counted beside others, because each may have been charged,
 * and their rows stay in doubt.
 *
 * Only the series' own word behind `--accept` goes on with it. A note in the ledger keeps that a series stopped a run, and what a person
 * said of it. The ledger counts the answers of status 404 of an account, over all its lists. A crash loses the count of the others.
 */

type SeriesKind = 'refused' | 'same-answers' | 'doubts' | 'no-match';

const MOST: Readonly<Record<SeriesKind, number>> = {
  ...{ refused: 5, 'same-answers': 5, doubts: 5 },
  // So many first answers mean a wrong address rather than as many unknown companies.
  'no-match': 20,
};

/** So many that nobody can read, in a row, stop a run whatever their shapes are: some vendors write a text of its own into each. */
const MOST_IN_A_ROW = 20;

interface NamedSeries {
  readonly kind: SeriesKind;
  readonly shape: string;
}

const MISSES: NamedSeries = { kind: 'no-match', shape: 'first' };

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

type AnswerCounts = Pick<AccountState, 'answers' | 'answersNot404' | 'found' | 'misses'>;

/** What an account has answered: as the ledger had it when the session began, and to this process and others since. */
export interface AccountHistory extends Record<keyof AnswerCounts, number> {
  readonly foundBefore: number;
  /** Whether a person has said that its misses are the vendor's own answers. */
  kept: boolean;
  /** Play money, so that a wrong answer costs nothing. */
  readonly trusted: boolean;
}

export async function historyOf(
  ledger: LedgerReader,
  { identity, sandbox }: Pick<Account, 'identity' | 'sandbox'>,
): Promise<AccountHistory> {
  const { answers, answersNot404, found, misses } = await ledger.account(identity);
  const kept = misses > 0 && (await wordOn(ledger, identity, MISSES)) === 'accepted';
  return { ...{ answers, answersNot404, found, misses, foundBefore: found }, kept, trusted: sandbox };
}

/** Takes in what the ledger has of the account by now; what came since is not in it. */
export function hearOfAnswers(history: AccountHistory, told: AnswerCounts): void {
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

/** The series of a session, counted over all its runs. */
export class AllSeries {
  /** The shape of all that was answered yet. */
  #first: NamedSeries | undefined;
  #isOver = false;
  readonly #taken = new Set<AttemptId>();
  readonly #odd = new Map<string, number>();
  #oddInARow = 0;
  #stopped: (NamedSeries & { readonly by: StopError }) | undefined;

  /** Counts an answer. @param of undefined for one that means what it says: it ends what was counted before it. */
  count(
    run: SeriesRun,
    attempt: AttemptId,
    of: NamedSeries | undefined,
    stopFor: () => StopError,
  ): Promise<StopError | undefined> | undefined {
    this.#oddInARow = 0;
    const first = this.#first ?? of;
    if (this.#isOver || of === undefined || first?.kind !== of.kind || first.shape !== of.shape) {
      this.#isOver = true;
      return undefined;
    }
    this.#first = of;
    this.#taken.add(attempt);
    // The ledger knows misses of other runs.
    const count = of === MISSES ? run.session.history.misses : this.#taken.size;
    return count < MOST[of.kind] ? undefined : this.#stop(run, of, stopFor);
  }

  /** Counts an answer that nobody can read. Where a run was stopped for such and nobody has decided, one more is bought, and not five. */
  async countOdd(
    run: SeriesRun,
    shape: string,
    stopFor: (count: string) => StopError,
  ): Promise<StopError | undefined> {
    const count = (this.#odd.get(shape) ?? 0) + 1;
    this.#odd.set(shape, count);
    this.#oddInARow += 1;
    const of: NamedSeries = { kind: 'doubts', shape };
    const wasStopped = (await wordOn(run.session.ledger, run.session.account.identity, of)) !== undefined;
    if (count >= MOST.doubts || wasStopped)
      return this.#stop(run, of, () => stopFor(`${Math.max(count, MOST.doubts)} answers of one shape`));
    if (this.#oddInARow < MOST_IN_A_ROW) return undefined;
    return this.#stop(run, of, () => stopFor(`${this.#oddInARow} answers in a row`));
  }

  /** Stops the run, and each whose answer was under way then, unless a person has accepted what was shown. */
  async #stop(run: SeriesRun, of: NamedSeries, stopFor: () => StopError): Promise<StopError | undefined> {
    const { session, accept, emit, stopAll } = run;
    if (this.#stopped?.kind === of.kind) return this.#stopped.by;
    const { identity } = session.account;
    const word = await wordOn(session.ledger, identity, of);
    if (word === 'accepted' || (word === 'stopped' && accept === of.kind)) {
      if (word === 'stopped') await acceptSeries({ ...session, emit }, identity, of);
      session.history.kept ||= of === MISSES;
      this.#isOver ||= of.kind !== 'doubts';
      return undefined;
    }
    this.#stopped ??= { ...of, by: stopFor() };
    stopAll(this.#stopped.by);
    // An earlier program has noted that misses were taken back.
    if (word !== 'stopped') await note(session, identity, of, 'stopped');
    return this.#stopped.by;
  }

  /** Takes back the answers by which a run was stopped, once all its rows are written. */
  async takeBack({ session: { ledger, account } }: SeriesRun): Promise<void> {
    const { kind } = this.#stopped ?? {};
    if (kind === undefined || kind === 'doubts') return;
    await ledger.takeBack(account.identity, kind === 'no-match' ? 'misses' : [...this.#taken]);
  }
}

// ------------------------------------------------------------------------------------------------ what is counted

/** Counts an answer for its account. @returns the stop that follows from it. */
export function countAnswer(
  run: SeriesRun,
  { attempt, call }: { readonly attempt: AttemptId; readonly call: Call },
  raw: RawReply,
  said: Extract<Verdict, { readonly kind: 'answered' }>,
): Promise<StopError | undefined> | undefined {
  const { history, client, series } = run.session;
  const { dialect } = client;
  const isFirstMiss = raw.status === 404 && said.answer === 'no_match' && onlyMissesYet(history);
  history.answers += 1;
  history[raw.status === 404 ? 'misses' : 'answersNot404'] += 1;
  if (said.answer === 'found') history.found += 1;
  // A project that is closed to the key refuses its rows, and others go on; who is there already is no refusal of the account.
  if (history.trusted || said.projectRefused === true || said.why.endsWith(SO_ALREADY)) return undefined;
  if (isFirstMiss) return series.count(run, attempt, MISSES, () => missesStop(history.misses));
  if (said.answer === 'refused') {
    // Where others spend as well, what they found counts.
    const isOfAccount = said.charged === 0 && history.found === history.foundBefore;
    const shape = isOfAccount ? refusalShape(raw, dialect, call) : undefined;
    return series.count(run, attempt, shape === undefined ? undefined : { kind: 'refused', shape }, () =>
      refusedStop(raw),
    );
  }
  const shape = said.answer === 'found' ? factsShape(raw.body, dialect, call) : undefined;
  return series.count(run, attempt, shape === undefined ? undefined : { kind: 'same-answers', shape }, () =>
    sameStop(run.batch, raw, call, dialect),
  );
}

/** Counts an answer that came whole and that nobody can read. Its vendor is not broken, so it is not probed. */
export function countOdd(
  run: SeriesRun,
  { shape, rule }: OddAnswer,
  why: string,
): Promise<StopError | undefined> {
  const next = rule === undefined ? 'Check at the vendor what became of them' : ruleAdvice(rule);
  return run.session.series.countOdd(run, shape, (count) => doubtsStop(count, run.batch, why, next));
}

// ------------------------------------------------------------------------------------------- stops of earlier runs

/** Takes back as many misses as stop a run, where that one was killed before it could: their rows would not wait for a corrected address. */
export async function takeLeftMisses({
  ledger,
  account,
}: Pick<RunContext, 'ledger' | 'account'>): Promise<void> {
  const history = await historyOf(ledger, account);
  if (onlyMissesYet(history) && history.misses >= MOST['no-match'])
    await ledger.takeBack(account.identity, 'misses');
}

/**
 * Stops a run before it ends a row by matches for which an earlier run was stopped, and which nobody has accepted since. A corrected
 * dialect that reads other facts in them is an answer as well. A new batch that buys older answers again does not use them.
 */
export async function heldMatches(
  context: RunContext,
  { id, createdAtMs, state }: Pick<Batch, 'id' | 'createdAtMs' | 'state'>,
): Promise<StopError | undefined> {
  const { ledger, account, dialect, job } = context;
  // By a trial a person looks into the matter.
  if (account.sandbox || (job.origin && 'trial' in job.origin) || state === 'finished') return undefined;
  const newest = await ledger.newestFound(account.identity);
  if (newest === undefined || !Object.hasOwn(dialect.operations, newest.call.operation)) return undefined;
  const shape = factsShape(newest.reply.body, dialect, newest.call);
  const isTooOld = context.refresh === true && newest.reply.receivedAtMs < createdAtMs;
  if (shape === undefined || isTooOld) return undefined;
  const series: NamedSeries = { kind: 'same-answers', shape };
  if ((await wordOn(ledger, account.identity, series)) !== 'stopped') return undefined;
  if (context.accept !== 'same-answers') return sameStop(id, newest.reply, newest.call, dialect);
  await acceptSeries(context, account.identity, series);
  return undefined;
}

/** The newest word about a series. */
type Word = 'stopped' | 'accepted';

type NoteContext = Pick<RunContext, 'ledger' | 'clock'>;

const hashOf = (account: string, { kind, shape }: NamedSeries): string =>
  hash('sha256', JSON.stringify(['series', kind, account, shape]), 'hex');

async function wordOn(ledger: LedgerReader, account: string, series: NamedSeries): Promise<Word | undefined> {
  return (await ledger.agreement(hashOf(account, series)))?.split(':')[0] as Word | undefined;
}

async function note(
  { ledger, clock }: NoteContext,
  account: string,
  series: NamedSeries,
  word: Word,
): Promise<void> {
  const shown = `${word}: ${series.kind} ${series.shape}`;
  await ledger.noteAgreement(hashOf(account, series), shown, clock.wallMs());
}

async function acceptSeries(
  context: NoteContext & Pick<RunContext, 'emit'>,
  account: string,
  series: NamedSeries,
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

const missesStop = (misses: number): StopError =>
  addressStop(
    'no-match',
    `The first ${misses} answers of this account were all status 404.`,
    "Check the account's base_url, and run the same command again: what was free is asked again; if the address is right, run the same list with --accept no-match to keep such answers.",
  );

const refusedStop = (last: RawReply): StopError =>
  addressStop(
    'refused',
    `${MOST.refused} answers of this account are refusals of one shape, with no other answer between them; the last: ${quoted(last)}.`,
    "Put right what they speak of, such as the account's key, credits or plan, then run the same command again: they are taken back, and asked again; if they are about the rows, run the same list with --accept refused to keep them.",
  );

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
  return addressStop(
    'same-answers',
    `${MOST['same-answers']} matches of this account ${show}, and it has answered nothing else; the last: ${quoted(last)}.`,
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
