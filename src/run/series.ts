import { hash } from 'node:crypto';
import type { Account } from '../client/account/account.ts';
import { answerPlaceOf, type Dialect, dialectOperationOf } from '../client/dialect.ts';
import {
  factsShape,
  isBareNotFound,
  isNoMatchByLack,
  isNotYet,
  type LaterLack,
  laterLackOf,
  NO_FACTS,
  namesAtTop,
  type OddAnswer,
  refusalShape,
  saysNoMatch,
  takenLackOf,
  type Verdict,
} from '../client/judge.ts';
import { type Judgment, judgedToday } from '../client/kept-answers.ts';
import { accepting, StopError } from '../core/errors.ts';
import { isSoAlready } from '../core/finding.ts';
import { isTaking } from '../core/given.ts';
import type { Call } from '../core/operation.ts';
import {
  AGAIN,
  asCommand,
  asField,
  byFlag,
  faces,
  type Phrase,
  phrase,
  typing,
  type Words,
} from '../core/phrase.ts';
import { counted, foreignName, foreignWords } from '../core/plain-text.ts';
import type { Acceptable } from '../core/stops.ts';
import {
  type AttemptId,
  type AttemptRecord,
  type Batch,
  type BatchId,
  isAnswer,
  type LedgerReader,
  type Reply,
} from '../ledger/ledger.ts';
import { commandLine } from '../lib/command-line.ts';
import type { RunContext } from '../plan/context.ts';
import { accountsOf } from '../walk/resolved-job.ts';

/**
 * Answers of one operation that are alike form a series. They follow each other in the order in which they
 * are kept, with no other answer between them. A whole series stops the account: it says something about the
 * account, or about a proxy before the vendor, and not about rows (protocol, rule 9). The rows that it ended
 * wait again: free calls are asked again by the next run, and charged calls stay bought. Answers that cannot
 * be read are counted beside others, because each may have been charged, and their rows stay in doubt.
 *
 * Only `--accept` with the word of the series goes on with it. A note in the ledger keeps that a series
 * stopped a run, what a person said of it, and that a match came after a miss of its shape. A start counts
 * the newest answers of the ledger again, so a kill or the end of a list loses no count, except of answers
 * that cannot be read and of changes. Those that are still to come are counted by the doubts in the ledger.
 */

const MOST = {
  /** Free answers that quote nothing of their row. */
  refused: { first: 5, later: 10 },
  /** Matches: the first ones if they show the same facts, later ones if they show none. */
  'same-answers': { first: 5, later: 10 },
  /** Misses that neither a rule nor a word calls one, with a shape after which nothing was matched. */
  'no-match': { first: 20, later: 20 },
  /** 404s with nothing but the words of a framework, before the account has answered anything else. */
  'bare-404': { first: 5, later: 5 },
  /**
   * Misses without the place of what was looked for, beside other things, whatever is between them: until a
   * match with the same names at its top has come.
   */
  lack: { first: 20, later: 20 },
  /** Misses with an id that is not where `then` says: the first ones whatever is between them. */
  taken: { first: 5, later: 20 },
  /** Unreadable answers of one shape, whatever is between them. */
  doubts: { first: 5, later: 5 },
  /** Answers that come later, and for which cannot be asked: the first ones whatever is between them. */
  later: { first: 5, later: 5 },
} as const;

type SeriesKind = keyof typeof MOST;

type SeriesWord = Exclude<SeriesKind, 'taken' | 'bare-404' | 'lack'> & Acceptable;

/** The word of `--accept` that goes on with a series. */
const wordFor = (kind: SeriesKind): SeriesWord =>
  kind === 'taken' || kind === 'bare-404' || kind === 'lack' ? 'no-match' : kind;

const KIND_OF = { refused: 'refused', found: 'same-answers', no_match: 'no-match' } as const;

/**
 * This many unreadable answers in a row stop a run whatever their shapes are: some vendors write a different
 * text into each.
 */
const MOST_IN_A_ROW = 20;

interface Heard {
  readonly kind: SeriesKind;
  readonly operation: string;
  /**
   * Undefined for an answer that means what it says: it belongs to no series, and ends the series before it.
   */
  readonly shape: string | undefined;
  /** The names at the top of a match, where a miss waits for one. */
  readonly names?: string;
}

interface Series extends Heard {
  /** Whether the series has the first answers of its operation. */
  readonly isFirst: boolean;
  count: number;
  /** What a person said of the series, once it was long enough. */
  decided?: Promise<StopError | undefined>;
}

const isSame = (one: Heard, { kind, operation, shape }: Heard): boolean =>
  shape !== undefined && one.shape === shape && one.kind === kind && one.operation === operation;

const isWhole = ({ kind, isFirst, count }: Series): boolean =>
  count >= MOST[kind][isFirst ? 'first' : 'later'];

/** `shared`: the vendor gave its id to another call, too. */
type NotYetCause = LaterLack['cause'] | 'shared';

/** What was heard of calls of an operation that the vendor answers later, and for which cannot be asked. */
interface NotYet {
  /** With no other answer between. */
  inARow: number;
  /** Before anything was found, without those that a rule of the dialect calls so. */
  first: number;
  /** Misses with an id in another place, before anything was found. */
  lacks: number;
  isFound: boolean;
  last: { readonly call: Call; readonly raw: Reply; readonly cause: NotYetCause } | undefined;
}

/** The parts of a run that a series looks at, and stops. */
interface SeriesRun extends Pick<RunContext, 'accept' | 'emit'> {
  readonly session: NoteContext & {
    readonly account: Pick<Account, 'identity' | 'sandbox' | 'name'>;
    readonly client: { readonly dialect: Dialect };
    readonly history: AccountHistory;
    readonly series: AllSeries;
  };
  readonly batch: BatchId;
  stopAll(error: StopError): void;
}

/**
 * What an account has answered: before the session, as the ledger had it, and since then, to this process and
 * others.
 */
export interface AccountHistory {
  hasAnswered: boolean;
  hasAnsweredNot404: boolean;
  /** True for play money, with which a wrong answer costs nothing. */
  readonly trusted: boolean;
}

export async function historyOf(
  ledger: LedgerReader,
  { identity, sandbox }: Pick<Account, 'identity' | 'sandbox'>,
): Promise<AccountHistory> {
  const { hasAnswered, hasAnsweredNot404 } = await ledger.account(identity);
  return { hasAnswered, hasAnsweredNot404, trusted: sandbox };
}

/**
 * Whether the account has given no other answer than 404 yet. Then its address may be wrong, and a 404 says
 * nothing about the person or company that was asked for.
 */
export function hasAnsweredOnly404({ hasAnsweredNot404, trusted }: AccountHistory): boolean {
  return !hasAnsweredNot404 && !trusted;
}

/**
 * With many requests at once, answers of a series come before the last answer of another kind. So this many
 * answers are searched for the shape of a series.
 */
const MOST_RECENT = 1_000;

type Answered = Extract<Verdict, { readonly kind: 'answered' }>;

/** The series of a session, counted over all its runs. */
export class AllSeries {
  /** The newest series of each operation. */
  readonly #newest = new Map<string, Series>();
  /** Misses that lack the place of what was looked for, by operation and names. */
  readonly #lacks = new Map<string, Series>();
  /** Misses by their shapes, and whether a match came after them. */
  readonly #missed = new Map<string, Heard & { isMatched?: 'now' | 'noted' }>();
  #hasMissed = false;
  #recent: (Heard & { readonly attempt: AttemptId })[] = [];
  readonly #odd = new Map<string, number>();
  #oddInARow = 0;
  readonly #notYet = new Map<string, NotYet>();
  /** Since the end of the last run. */
  #unasked = 0;
  #stopped: { readonly series: Series; readonly by: StopError } | undefined;
  #begun: Promise<void> | undefined;

  /**
   * Goes on from the newest answers of the ledger that are not too old for the batch. A trial counts none,
   * since a person looks into the matter with it.
   */
  begin(run: SeriesRun, { job }: RunContext, { freshSince }: Batch): Promise<void> {
    const isTrial = job.origin !== undefined && 'trial' in job.origin;
    if (!run.session.history.trusted && !isTrial) this.#begun ??= this.#begin(run, freshSince?.foundMs ?? 0);
    return this.#begun ?? Promise.resolve();
  }

  async #begin(run: SeriesRun, sinceMs: number): Promise<void> {
    const { ledger, account, client } = run.session;
    const stops = new Map<Series, () => StopError>();
    for (const record of await ledger.attempts(await ledger.newestHeard(account.identity))) {
      const { attempt, call, reply, decision, end } = record;
      const judgment = judgedToday(record, client.dialect);
      if (reply === undefined || call.change || decision?.kind === 'told') continue;
      if (judgment === undefined || reply.receivedAtMs < sinceMs) continue;
      if (end?.kind === 'in_doubt') this.#hearDoubt(run, record, judgment, reply);
      if (end?.kind === 'in_doubt' || !isAnswer(judgment.answer)) continue;
      const { answer, charged } = judgment;
      const series = this.#addAnswer(this.#heardOf(run, call, reply, { answer, charged }), attempt);
      stops.set(series, () => stopOf(run, series, reply, call, 'earlier matches of this account'));
    }
    for (const series of new Set([...this.#newest.values(), ...this.#lacks.values()]))
      await this.#goOn(run, series, stops.get(series));
    for (const operation of this.#notYet.keys()) await this.#stopLater(run, operation);
  }

  /**
   * Takes back the series that a killed run could not take back. Matches for which a run was stopped end no
   * row before a person accepts them.
   */
  async #goOn(run: SeriesRun, series: Series, stopFor: (() => StopError) | undefined): Promise<void> {
    const { ledger, account } = run.session;
    const word = await this.#wordOn(run, series);
    if (series.kind === 'same-answers' || series.kind === 'taken') {
      const isLeft = series.kind === 'taken' && isWhole(series) && !isGood(word);
      if ((word !== 'stopped' && !isLeft) || stopFor === undefined) return;
      series.decided = this.#stop(run, series, stopFor);
      await series.decided;
    } else if (isWhole(series) && !isGood(word)) {
      await ledger.takeBack(account.identity, this.#like(series));
      this.#newest.delete(series.operation);
      this.#lacks.delete(lackKey(series));
    }
  }

  async #wordOn({ session: { ledger, account } }: SeriesRun, series: Series): Promise<Word | undefined> {
    const isMatched = this.#missed.get(series.shape ?? '')?.isMatched !== undefined;
    return isMatched ? 'matched' : wordOn(ledger, account.identity, series);
  }

  /** Counts an answer for its account. @returns the stop that follows from it. */
  count(
    run: SeriesRun,
    { attempt, call }: { readonly attempt: AttemptId; readonly call: Call },
    raw: Reply,
    judgment: Answered,
  ): Promise<StopError | undefined> | undefined {
    const { history } = run.session;
    history.hasAnswered = true;
    history.hasAnsweredNot404 ||= raw.status !== 404;
    // A project that is closed to the key refuses its own rows, and others go on. A person who is a member
    // already is no refusal of the account.
    if (history.trusted || judgment.projectRefused === true || isSoAlready(judgment.why)) return undefined;
    this.#oddInARow = 0;
    const answerKind = this.#heardOf(run, call, raw, judgment);
    const series = this.#addAnswer(answerKind, attempt);
    if (this.#stopped !== undefined && isSame(this.#stopped.series, answerKind))
      return Promise.resolve(this.#stopped.by);
    if (isWhole(series)) {
      series.decided ??= this.#stop(run, series, () => stopOf(run, series, raw, call));
      return series.decided;
    }
    return undefined;
  }

  #heardOf(
    { session: { client, history } }: SeriesRun,
    call: Call,
    raw: Reply,
    { answer, charged }: Pick<Answered, 'answer' | 'charged'>,
  ): Heard {
    const { dialect } = client;
    // An answer that takes what was found is like others of its kind, and not like the one that found it.
    const operation = operationOf(call);
    const answerKind = { kind: KIND_OF[answer], operation };
    // Facts are compared until two matches differ.
    const isFirst = this.#newest.get(operation)?.isFirst ?? true;
    if (answer === 'found') {
      const found = { ...answerKind, shape: factsShape(raw.body, dialect, call, isFirst) };
      return this.#hasMissed ? { ...found, names: namesAtTop(raw, dialect) } : found;
    }
    if (answer === 'no_match' && takenLackOf(raw, dialect, call) !== undefined)
      return { kind: 'taken', operation, shape: `${dialect.operations[call.operation]?.then?.id}` };
    const mayBeLost = hasAnsweredOnly404(history);
    if (answer === 'no_match' && isNoMatchByLack(raw, dialect, dialectOperationOf(dialect, call), call))
      return { kind: 'lack', operation, shape: namesAtTop(raw, dialect) };
    if (call.change === undefined && mayBeLost && isBareNotFound(raw, dialect, call))
      return { kind: 'bare-404', operation, shape: refusalShape(raw, dialect, call) };
    // The row of a change reports what the change did not find, unless the address may be wrong.
    const isMeant =
      answer === 'refused'
        ? charged > 0
        : (call.change !== undefined && !mayBeLost) || saysNoMatch(raw, dialect, call);
    return { ...answerKind, shape: isMeant ? undefined : refusalShape(raw, dialect, call) };
  }

  /** @returns the series to which the answer belongs. */
  #addAnswer(answerKind: Heard, attempt: AttemptId): Series {
    const { kind, operation, shape } = answerKind;
    const notYet = this.#notYetOf(operation);
    notYet.inARow = 0;
    notYet.isFound ||= kind === 'same-answers';
    if (shape !== undefined) this.#recent.push({ ...answerKind, attempt });
    if (this.#recent.length > 2 * MOST_RECENT) this.#recent = this.#recent.slice(-MOST_RECENT);
    const isMiss = kind !== 'same-answers' && kind !== 'refused';
    if (isMiss && shape !== undefined && this.#missed.size < MOST_RECENT) {
      this.#hasMissed ||= !this.#missed.has(shape);
      this.#missed.set(shape, this.#missed.get(shape) ?? { ...answerKind });
    }
    if (kind === 'same-answers' && this.#hasMissed) this.#match(operation, answerKind.names);
    const last = kind === 'lack' ? this.#lacks.get(lackKey(answerKind)) : this.#newest.get(operation);
    const isOn = last !== undefined && isSame(last, answerKind);
    const isEarly = kind === 'taken' && !notYet.isFound;
    const series: Series = isOn ? last : { ...answerKind, isFirst: isEarly || last === undefined, count: 0 };
    series.count += 1;
    if (isEarly) {
      notYet.lacks += 1;
      series.count = notYet.lacks;
    }
    this.#newest.set(operation, series);
    if (kind === 'lack') this.#lacks.set(lackKey(answerKind), series);
    return series;
  }

  /** The newest answers with the shape of the series. */
  #like(series: Series): readonly AttemptId[] {
    return this.#recent.filter((each) => isSame(each, series)).map(({ attempt }) => attempt);
  }

  #match(operation: string, names: string | undefined): void {
    const waiting = [...this.#missed.values()].filter(({ isMatched }) => isMatched === undefined);
    for (const missed of waiting)
      if (missed.operation === operation && (missed.kind !== 'lack' || missed.shape === names))
        missed.isMatched = 'now';
    this.#hasMissed = waiting.some(({ isMatched }) => isMatched === undefined);
  }

  /**
   * Counts an answer that came whole and that cannot be read. Where such answers stopped a run and no one has
   * decided, one more is bought, and not five.
   */
  async countOdd(
    run: SeriesRun,
    operation: string,
    { shape, rule, verdict }: OddAnswer,
    why: string,
  ): Promise<StopError | undefined> {
    const { first: most } = MOST.doubts;
    this.#notYetOf(operation).inARow = 0;
    const count = (this.#odd.get(shape) ?? 0) + 1;
    this.#odd.set(shape, count);
    this.#oddInARow += 1;
    const series: Series = { kind: 'doubts', operation, shape, isFirst: true, count };
    const wasStopped = (await wordOn(run.session.ledger, run.session.account.identity, series)) !== undefined;
    const isOfShape = count >= most || wasStopped;
    if (!isOfShape && this.#oddInARow < MOST_IN_A_ROW) return undefined;
    const counted = isOfShape
      ? `${Math.max(count, most)} answers of one shape`
      : `${this.#oddInARow} answers in a row`;
    const read = rule === undefined ? 'Check at the vendor what happened to them' : ruleAdvice(rule);
    const place = `operations.${operation}.verdicts in the dialect`;
    const next = verdict === undefined ? read : `Add ${foreignName(verdict)} to ${place}`;
    return this.#stop(run, series, () => doubtsStop(counted, run.batch, why, next));
  }

  #notYetOf(operation: string): NotYet {
    const known = this.#notYet.get(operation);
    if (known !== undefined) return known;
    const none: NotYet = { inARow: 0, first: 0, lacks: 0, isFound: false, last: undefined };
    this.#notYet.set(operation, none);
    return none;
  }

  /** The dialect says rightly how an answer that comes later is asked for. */
  accepted(call: Call): void {
    const notYet = this.#notYetOf(operationOf(call));
    notYet.inARow = 0;
    notYet.isFound = true;
  }

  /** Counts a call that the vendor answers later, without a way to ask for the result. */
  async countLater(run: SeriesRun, call: Call, raw: Reply, cause?: 'shared'): Promise<void> {
    if (run.session.history.trusted) return;
    this.#hearLater(run, call, raw, cause);
    this.#unasked += 1;
    await this.#stopLater(run, operationOf(call));
  }

  /** A doubt of an earlier run that today's dialect can read. */
  #hearDoubt(run: SeriesRun, record: AttemptRecord, judgment: Judgment, raw: Reply): void {
    const isOpen = !record.decisions.some(({ by }) => by === 'person');
    if (record.sharesId === true && isOpen) this.#hearLater(run, record.call, raw, 'shared');
    else if (judgment.answer === 'accepted') this.accepted(record.call);
    if (isLeftLater(record, judgment)) this.#hearLater(run, record.call, raw);
  }

  #hearLater({ session: { client } }: SeriesRun, call: Call, raw: Reply, by?: 'shared'): void {
    const cause = by ?? laterLackOf(raw, client.dialect, call).cause;
    const notYet = this.#notYetOf(operationOf(call));
    notYet.inARow += 1;
    if (!notYet.isFound && cause !== 'rule') notYet.first += 1;
    notYet.last = { call, raw, cause };
  }

  async #stopLater(run: SeriesRun, operation: string): Promise<void> {
    const { inARow, first, isFound, last } = this.#notYetOf(operation);
    if (last === undefined) return;
    const isFirst = !isFound && last.cause !== 'rule';
    const count = isFirst ? Math.max(first, inARow) : inARow;
    const series: Series = { kind: 'later', operation, shape: last.cause, isFirst, count };
    if (!isWhole(series)) return;
    const stopped = await this.#stop(run, series, () => stopOf(run, series, last.raw, last.call));
    if (stopped !== undefined) this.#unasked = 0;
  }

  /**
   * Stops the run, and with it each call whose answer was under way, unless a person has accepted the answers
   * shown.
   */
  async #stop(run: SeriesRun, series: Series, stopFor: () => StopError): Promise<StopError | undefined> {
    const { session, accept, emit, stopAll } = run;
    if (this.#stopped?.series.kind === series.kind) return this.#stopped.by;
    const { identity } = session.account;
    const word = await this.#wordOn(run, series);
    if (isGood(word) || (word === 'stopped' && accept?.includes(wordFor(series.kind)))) {
      if (word === 'stopped') {
        await note(session, identity, series, 'accepted');
        emit({ kind: 'note', message: 'Answers of this shape stop no further run of the account.' });
      }
      return undefined;
    }
    this.#stopped ??= { series, by: stopFor() };
    stopAll(this.#stopped.by);
    if (word !== 'stopped') await note(session, identity, series, 'stopped');
    return this.#stopped.by;
  }

  /**
   * Takes back the answers that stopped a run, once all its rows are written, and notes which misses a match
   * has followed.
   */
  async end({ session, batch, emit }: SeriesRun): Promise<void> {
    const { ledger, account } = session;
    if (this.#unasked > 0) emit({ kind: 'note', message: unaskedWords(this.#unasked, batch) });
    this.#unasked = 0;
    if (this.#missed.size > 0 && hasAnsweredOnly404(session.history))
      emit({ kind: 'note', message: only404Words(account.name) });
    if (this.#stopped !== undefined) {
      const { series } = this.#stopped;
      await ledger.takeBack(account.identity, this.#like(series), series.kind === 'taken');
    }
    for (const missed of this.#missed.values()) {
      if (missed.isMatched !== 'now') continue;
      missed.isMatched = 'noted';
      if (!isGood(await wordOn(ledger, account.identity, missed)))
        await note(session, account.identity, missed, 'matched');
    }
  }
}

const only404Words = (account: string): string =>
  `Account ${account} has answered nothing but 404 so far, so its address may be wrong. If so, ` +
  'correct base_url and run the same list: it asks for these rows again.';

/** Answers that take what was found are like others of their kind, and not like those that found it. */
const operationOf = (call: Call): string => (isTaking(call) ? `${call.operation}.then` : call.operation);

const lackKey = ({ operation, shape }: Heard): string => `${operation} ${shape}`;

/** Whether a doubt is still to come by today's dialect, and no one has decided about it. */
const isLeftLater = ({ vendorId, decisions }: AttemptRecord, { answer, why }: Judgment): boolean =>
  answer === 'in_doubt' &&
  isNotYet(why) &&
  vendorId === undefined &&
  !decisions.some(({ by }) => by === 'person');

/**
 * The stop of a list with rows that all ended by what the ledger knows, where no one has accepted the matches
 * for which a run was stopped. The rows that these matches ended wait again.
 */
export async function stopOfKnown(context: RunContext, batch: Batch): Promise<StopError | undefined> {
  const { ledger, clock, accept, emit } = context;
  if (!(await ledger.hasStopped())) return undefined;
  let stopped: StopError | undefined;
  for (const { account, dialect } of accountsOf(context)) {
    const series = new AllSeries();
    const history = await historyOf(ledger, account);
    const run: SeriesRun = {
      session: { ledger, account, clock, client: { dialect }, history, series },
      batch: batch.id,
      accept,
      emit,
      stopAll: (error) => {
        stopped ??= error;
      },
    };
    await series.begin(run, context, batch);
    await series.end(run);
  }
  return stopped;
}

// ----------------------------------------------------------------------------------------- words on a series

/** The newest word about a series: `matched` where a match came after a miss of its shape. */
type Word = 'stopped' | 'accepted' | 'matched';

const isGood = (word: Word | undefined): boolean => word === 'accepted' || word === 'matched';

type NoteContext = Pick<RunContext, 'ledger' | 'clock'>;

/** What was accepted of a 404 without a word is accepted, whatever else was heard. */
const hashOf = (account: string, { kind, operation, shape }: Heard): string => {
  const wordKind = kind === 'bare-404' ? 'no-match' : kind;
  return hash('sha256', JSON.stringify(['series', wordKind, account, operation, shape]), 'hex');
};

async function wordOn(ledger: LedgerReader, account: string, series: Heard): Promise<Word | undefined> {
  return (await ledger.agreement(hashOf(account, series)))?.split(':')[0] as Word | undefined;
}

async function note(context: NoteContext, account: string, series: Heard, word: Word): Promise<void> {
  const { ledger, clock } = context;
  const shown = `${word}: ${series.kind} ${series.shape}`;
  await ledger.noteAgreement(hashOf(account, series), shown, clock.wallMs());
}

// ------------------------------------------------------------------------------------------ what a stop says

const QUOTED_CHARACTERS = 200;

const quoted = ({ status, body }: Reply): string =>
  `status ${status}, ${foreignWords(body.toString('utf8').slice(0, QUOTED_CHARACTERS))}`;

/** What a person says by accepting a series of answers that are alike. */
const SAYS_ALIKE = {
  refused: 'they are right: leave such rows out',
  'no-match': 'they mean that nothing was found',
  'same-answers': 'they are right: keep them',
} as const;

/** What a person says by leaving calls in doubt. */
const WITHOUT_THEM = 'go on without them';

const alikeStop = (answer: keyof typeof SAYS_ALIKE, message: string, next: Words): StopError =>
  new StopError({ code: 'answers_alike', message, next, choices: [accepting(answer, SAYS_ALIKE[answer])] });

/** The texts for series of free answers: their meaning, the advice, and the other explanation. */
const FREE = {
  refused: [
    'are refusals of one shape',
    "Correct what they name, such as the account's key, credits or plan",
    'they are about the rows',
  ],
  'no-match': [
    'count as no match, and none says that nothing was found',
    phrase`Check the account's ${asField('base_url', 'address')} and key`,
    'nothing was found indeed',
  ],
  'bare-404': [
    'say no more than "Not Found", and the account has given no other answer',
    phrase`Check the account's ${asField('base_url', 'address')} and the paths of its dialect`,
    'nothing was found indeed',
  ],
  lack: [
    'lack the wanted place, and no match had the same names',
    'Correct the paths under `gives` in the dialect',
    'nothing was found indeed',
  ],
} as const;

function stopOf(run: SeriesRun, series: Series, last: Reply, call: Call, matches = 'matches'): StopError {
  const { kind, count } = series;
  if (kind === 'later') return laterSeriesStop(run, series, call, last);
  if (kind === 'taken') return takenStop(run, series, call, last);
  if (kind === 'same-answers' || kind === 'doubts')
    return sameStop(run.batch, `${count} ${matches}`, last, call, run.session.client.dialect);
  const [fact, advice, other] = FREE[kind];
  const word = kind === 'refused' ? kind : 'no-match';
  return alikeStop(
    word,
    `${count} answers${kind === 'lack' ? '' : ' in a row'} ${fact}; the last: ${quoted(last)}.`,
    phrase`${advice}, then ${AGAIN}: they are taken back, and asked again; if ${other}, ${keeping(word)}.`,
  );
}

function sameStop(batch: BatchId, matches: string, last: Reply, call: Call, dialect: Dialect): StopError {
  const isNothing = factsShape(last.body, dialect, call) === NO_FACTS;
  const { results, fields: place = results } = answerPlaceOf(dialect, call.operation);
  const at = place === undefined ? '' : ` at \`${place}\``;
  const show = isNothing
    ? `hold no ${results === undefined ? 'field' : 'list'}${at} but the question`
    : 'show the same facts for different rows';
  const rule = `- { status: [${last.status}], body: { path: …, matches: … }, means: no_match }`;
  const advice = isNothing
    ? `say in the dialect where the ${results === undefined ? 'fields are, as `fields_at`' : `list is, as operations.${call.operation}.results`}, or, if such answers mean "no match", add the rule \`${rule}\` to its \`answers\``
    : 'correct the dialect of the account';
  const cancel = commandLine(['cancel', batch]);
  const once = typing`once the vendor answers otherwise, type ${asCommand(cancel)}`;
  const anew = typing`; to buy them again, ${once}, then run the same list ${byFlag('--refresh')}`;
  return alikeStop(
    'same-answers',
    `${matches} in a row ${show}; the last: ${quoted(last)}.`,
    phrase`If they are right, ${keeping('same-answers')}; if they are misread: ${advice}; ${KEPT}${anew}.`,
  );
}

/** A person keeps a series of answers as they are. */
const keeping = (word: keyof typeof SAYS_ALIKE): Phrase =>
  faces(phrase`run the same list ${byFlag('--accept', word)} to keep them`, 'keep them');

/** A person leaves calls in doubt. */
const onWithout = (word: 'doubts' | 'later'): Phrase =>
  phrase`${typing`run the same command again ${byFlag('--accept', word)} to`} continue without them`;

function settling(batch: BatchId): Phrase {
  const settle = asCommand(commandLine(['settle', batch]));
  return phrase`settle those that are in doubt${typing`, as ${settle} lists them`}`;
}

const KEPT = 'what was bought is read again, and not bought again';

/** @param advice a sentence without its full stop. */
function doubtsStop(count: string, batch: BatchId, why: string, advice: Words): StopError {
  return new StopError({
    code: 'doubts',
    message: `${count} cannot be read; the last: ${why}.`,
    next: phrase`${advice}; or ${settling(batch)}, or ${onWithout('doubts')}.`,
    choices: [accepting('doubts', WITHOUT_THEM)],
  });
}

/** What is said of misses with an id that is not where `then` of the dialect says. */
function takenStop(run: SeriesRun, { count, shape }: Series, call: Call, last: Reply): StopError {
  const { dialect } = run.session.client;
  const place = shownPlace(takenLackOf(last, dialect, call) ?? '');
  const id = phrase`\`id: ${place}\` in ${asField(`operations.${call.operation}.then`, 'its operation')}`;
  const read = 'what was answered is read again, and not bought again';
  return alikeStop(
    'no-match',
    `${count} answers count as no match, because nothing at \`${shape}\` can be used as the id ` +
      `for the second call; the last: ${quoted(last)}.`,
    phrase`An id-like value stands at \`${place}\`: if that is it, write ${id} of the dialect, and ${AGAIN}:
      ${read}; if the vendor found nothing, ${keeping('no-match')}.`,
  );
}

/** The names are the vendor's: what is more than a name is quoted. */
const shownPlace = (path: string): string => (/^[\w.-]+$/.test(path) ? path : foreignName(path));

/** What is said of answers that are still to come, and for which the dialect does not say how to ask. */
function laterSeriesStop(run: SeriesRun, series: Series, call: Call, last: Reply): StopError {
  const { dialect } = run.session.client;
  const lack = laterLackOf(last, dialect, call);
  const { later } = dialectOperationOf(dialect, call);
  const fact =
    later === undefined
      ? `the dialect ${dialect.name} does not say how to ask for the answer`
      : `nothing at \`${later.id}\` can be used as the id by which it is asked`;
  const isShared = series.shape === 'shared';
  const advice = isShared ? sharedAdvice(call.operation) : laterAdvice(call.operation, lack, later?.id);
  return new StopError({
    code: 'doubts',
    message:
      `The vendor answers later, and ${isShared ? GAVE_ONE_ID : fact}: ${series.count} calls have no answer, ` +
      `and each may have been charged; the last: ${quoted(last)}.`,
    next: phrase`${advice}; or ${settling(run.batch)}, or ${onWithout('later')}.`,
    choices: [accepting('later', WITHOUT_THEM)],
  });
}

const GAVE_ONE_ID = 'gave one id to several calls, so the id does not tell which call an answer belongs to';

const sharedAdvice = (operation: string): string =>
  'Look at the last answer: where another value of it tells the calls apart, ' +
  `write its place as \`id\` in operations.${operation}.later of the dialect; else ask the vendor`;

/** @returns a sentence without its full stop. */
function laterAdvice(operation: string, { idAt, isPushed }: LaterLack, id: string | undefined): Words {
  const hook = 'results that come by a webhook alone cannot be taken';
  if (idAt === undefined) {
    const fact = 'No value of the answer looks like an id by which it could be asked';
    return isPushed ? `${fact}, and ${hook}` : `${fact}: ask the vendor for one`;
  }
  const place = shownPlace(idAt);
  const entry =
    id === undefined
      ? `add \`later: { id: ${place}, path: "/RESULTS/{id}", every: 10s, gives_up: 2h }\` ` +
        `to operations.${operation} in the dialect, with the vendor's own path of results`
      : `write \`id: ${place}\` in operations.${operation}.later of the dialect`;
  const asks = phrase`and ${AGAIN}: it asks for what was accepted, and sends none of it again`;
  return phrase`An id-like value stands at \`${place}\`: ${entry}, ${asks}${isPushed ? `; ${hook}` : ''}`;
}

const unaskedWords = (calls: number, batch: BatchId): string =>
  `${counted(calls, 'call')} of this run will be answered later, and the dialect does not say how to ask for that. ` +
  `What is in doubt is listed by ${commandLine(['settle', batch])}.`;

function ruleAdvice(rule: string): string {
  const means = /means: (\w+) \}$/.exec(rule)?.[1] ?? '';
  return `If such answers mean ${means}, add the rule \`${rule}\` to the \`answers\` of the dialect`;
}
