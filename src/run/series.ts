import { hash } from 'node:crypto';
import type { Account } from '../client/account/account.ts';
import { type Dialect, type DialectOperation, vendorReply } from '../client/dialect.ts';
import {
  envelopeAdvice,
  factsShape,
  isUnread,
  mayNameRoute,
  namesRoute,
  type OddAnswer,
  refusalShape,
  speaksOfAccount,
} from '../client/judge.ts';
import type { StopError } from '../core/errors.ts';
import type { Call } from '../core/operation.ts';
import type { AnswerKind, AttemptId, Batch, BatchId, Credits, RawReply } from '../ledger/ledger.ts';
import type { RunContext } from '../plan/context.ts';
import type { Gather } from './gather.ts';
import { type AccountHistory, missesStop, noteAnswer, requestAddress, settleMisses } from './misses.ts';
import { doubtsStop, refusedStop, ruleAdvice, sameStop, unreadStop } from './series-stops.ts';

/**
 * Answers of one shape and of no other meaning stop a run: refusals, which then speak of the account's key, credits or plan and not of
 * rows; matches that show the same facts for different questions; answers that nobody can read, each of which may have been charged;
 * matches without a field where the dialect expects it; and misses (`misses.ts`). No row ends by refusals or by the same
 * facts until a person accepts their shape for the account. A refusal is asked again; a match that was paid for stays bought, and
 * waits for that word. A crash loses a count at most.
 */

type SeriesKind = 'refused' | 'same-answers' | 'doubts';

/** What of a run a series looks at, and stops. */
interface SeriesRun extends Pick<RunContext, 'accept' | 'emit'> {
  readonly session: Pick<RunContext, 'ledger' | 'clock'> & {
    readonly account: Pick<Account, 'identity'>;
    readonly client: { readonly dialect: Dialect; readonly origin: string; readonly basePath: string };
    readonly history: AccountHistory;
    readonly gather: Pick<Gather, 'append'>;
    readonly series: AllSeries;
  };
  readonly batch: BatchId;
  stopAll(error: StopError): void;
}

export const MOST_OF_A_SERIES = 5;

/** This many that nobody can read, in a row, stop a run whatever their shapes are: some vendors write a text of its own into each. */
const MOST_IN_A_ROW = 20;

/** Whoever refuses in so many different words speaks of rows, which need not wait for more. */
const MOST_SHAPES = 20;

/** The series of a session, counted over all its runs. */
export class AllSeries {
  readonly refused = new Series('refused');
  readonly same = new Series('same-answers');
  readonly doubts = new Series('doubts');
  /** Matches in a row without a field where the dialect expects it. */
  unread = 0;
  hasAdvised = false;

  /** Whether the answer may yet be taken back. A row that has one waits, see `workRows`. */
  isUndecided(answer: AttemptId): boolean {
    return this.refused.undecided.has(answer) || this.same.undecided.has(answer);
  }
}

interface Shape {
  count: number;
  isAccepted: boolean;
  /** Whether an earlier stop has named it: nobody accepts what was not shown. */
  isNamed: boolean;
  readonly known: Promise<void>;
}

class Series {
  readonly kind: SeriesKind;
  readonly #shapes = new Map<string, Shape>();
  readonly undecided = new Set<AttemptId>();
  isOver = false;
  #inARow = 0;
  #stopped: StopError | undefined;

  constructor(kind: SeriesKind) {
    this.kind = kind;
  }

  /** Another answer has come, so those before it mean what they say. Those of a series that has stopped the run do not. */
  end(): void {
    this.isOver = true;
    this.#inARow = 0;
    // What nobody can read may have been charged, however much else is answered.
    if (this.kind !== 'doubts') for (const shape of this.#shapes.values()) shape.count = 0;
    if (this.#stopped === undefined) this.undecided.clear();
  }

  isAll(name: string): boolean {
    return this.#shapes.size === 0 || this.#shapes.has(name);
  }

  /** @returns the stop of the run at one too many, and at each that was under way then. */
  async count(
    run: SeriesRun,
    attempt: AttemptId,
    name: string,
    stopFor: (count: string) => StopError,
  ): Promise<StopError | undefined> {
    const shape = this.#shapes.get(name) ?? this.#begun(run, name);
    if (shape.isAccepted) return undefined;
    if (this.kind === 'refused' && this.#stopped === undefined && this.#shapes.size > MOST_SHAPES) this.end();
    shape.count += 1;
    this.#inARow += 1;
    this.undecided.add(attempt);
    await shape.known;
    const isShape = shape.count >= MOST_OF_A_SERIES;
    const isRow = this.kind === 'doubts' && this.#inARow >= MOST_IN_A_ROW;
    if (this.#stopped === undefined && !shape.isAccepted && (isShape || isRow))
      await this.#decide(
        run,
        name,
        shape,
        stopFor(isShape ? `${shape.count} answers of one shape` : `${this.#inARow} answers in a row`),
      );
    if (shape.isAccepted) this.undecided.delete(attempt);
    return this.#stopped;
  }

  #begun(run: SeriesRun, name: string): Shape {
    const shape = { count: 0, isAccepted: false, isNamed: false };
    const known = knownOf(run.session.ledger, this.#named(run, name)).then((what) => {
      // Where a run was stopped for the shape and nobody has decided, one more is bought, and not five.
      if (this.kind === 'doubts' && what.isNamed) shape.count += MOST_OF_A_SERIES - 1;
      Object.assign(shape, what);
    });
    const begun = Object.assign(shape, { known });
    this.#shapes.set(name, begun);
    return begun;
  }

  #named({ session: { account } }: SeriesRun, shape: string): Named {
    return { kind: this.kind, account: account.identity, shape };
  }

  async #decide(run: SeriesRun, name: string, shape: Shape, stopped: StopError): Promise<void> {
    const named = this.#named(run, name);
    if (run.accept === this.kind && shape.isNamed) {
      shape.isAccepted = true;
      this.undecided.clear();
      await accept(run.session, named, run.emit);
      return;
    }
    this.#stopped = stopped;
    // Nothing more is sent from here on; the note is only needed by whoever answers.
    run.stopAll(stopped);
    await note(run.session, 'named', named);
  }
}

// ------------------------------------------------------------------------------------------------ what is counted

interface Counted {
  readonly attempt: AttemptId;
  readonly call: Call;
  readonly operation: DialectOperation;
}

interface Said {
  readonly answer: AnswerKind;
  readonly charged: Credits;
  readonly projectRefused?: true;
}

/** Counts an answer for its account. @returns the stop that follows from it; a promise where the ledger is asked, or told. */
export function countAnswer(
  run: SeriesRun,
  counted: Counted,
  raw: RawReply,
  said: Said,
): Promise<StopError | undefined> | undefined {
  const { series, history } = run.session;
  const isFound = said.answer === 'found';
  series.doubts.end();
  const misses = countMiss(run, counted, raw, isFound);
  if (isFound) countUnread(run, counted, raw);
  // A project that is closed to the key refuses its rows, and others go on.
  if (misses !== undefined || history.trusted || said.projectRefused === true) return misses;
  if (said.answer === 'refused') return countRefusal(run, counted, raw, said);
  series.refused.end();
  return countFacts(run, counted, raw, isFound);
}

function countRefusal(
  run: SeriesRun,
  { attempt, call }: Counted,
  raw: RawReply,
  { charged }: Said,
): Promise<StopError | undefined> | undefined {
  const { series, history, client } = run.session;
  // Where others spend as well, what they found counts.
  const isOver = series.refused.isOver || history.found > history.foundBefore;
  if (charged > 0 || (isOver && !speaksOfAccount(raw, client.dialect))) return undefined;
  const shape = refusalShape(raw, client.dialect, call);
  if (shape === undefined) return undefined;
  return series.refused.count(run, attempt, shape, () => refusedStop(MOST_OF_A_SERIES, raw));
}

function countFacts(
  run: SeriesRun,
  { attempt, call }: Counted,
  raw: RawReply,
  isFound: boolean,
): Promise<StopError | undefined> | undefined {
  const { series, client } = run.session;
  if (series.same.isOver) return undefined;
  const shape = isFound ? factsShape(raw.body, client.dialect, call) : undefined;
  if (shape !== undefined && series.same.isAll(shape))
    return series.same.count(run, attempt, shape, () => sameStop(MOST_OF_A_SERIES, run.batch, raw));
  series.same.end();
  return undefined;
}

/** Counts an answer that came whole and that nobody can read. Its vendor is not broken, so it is not probed. */
export function countOdd(
  run: SeriesRun,
  { attempt, call }: Counted,
  raw: RawReply,
  { shape, rule, isOuter }: OddAnswer,
  why: string,
): Promise<StopError | undefined> {
  const { client, series } = run.session;
  const advice = isOuter ? envelopeAdvice(raw, client.dialect)?.replace(/\.$/, '') : undefined;
  const next =
    rule === undefined ? (advice ?? 'Check at the vendor what became of them') : ruleAdvice(rule, call);
  return series.doubts.count(run, attempt, shape, (count) => doubtsStop(count, run.batch, why, next));
}

/** Stops the run at misses first; then the ledger keeps the address that was asked, behind the misses themselves. */
function countMiss(
  run: SeriesRun,
  { call, operation }: Counted,
  raw: RawReply,
  isFound: boolean,
): Promise<StopError> | undefined {
  const { ledger, account, history, client, gather } = run.session;
  const saysSo = history.answersNot404 === 0 ? mayNameRoute : namesRoute;
  const isOfRoute = raw.status === 404 && saysSo((vendorReply(raw, client.dialect) ?? raw).body);
  noteAnswer(history, raw.status, isFound, isOfRoute);
  const stopped = missesStop(history, call.change !== undefined);
  if (stopped === undefined) return undefined;
  run.stopAll(stopped);
  const place = requestAddress(client, operation);
  gather.append();
  return ledger.markMisses(account.identity, { place, kept: false }).then(() => stopped);
}

/** Matches without a field are kept, and can be read anew once the dialect is corrected. */
function countUnread({ session, stopAll }: SeriesRun, { call }: Counted, raw: RawReply): void {
  const { series, client } = session;
  series.unread = isUnread(client.dialect, call, raw) ? series.unread + 1 : 0;
  if (series.unread >= MOST_OF_A_SERIES) stopAll(unreadStop(client.dialect, call, raw, series.unread));
}

/** Says once where the answers of a service hold none of the vendor's. */
export function noteEnvelope({ session: { client, series }, emit }: SeriesRun, raw: RawReply): void {
  const message = series.hasAdvised ? undefined : envelopeAdvice(raw, client.dialect);
  if (message === undefined) return;
  series.hasAdvised = true;
  emit({ kind: 'note', message });
}

/** Takes back the refusals of a series at which the run was stopped. Their attempts are closed, and no row has ended by them. */
export async function takeBack({ session: { series, ledger, account } }: SeriesRun): Promise<void> {
  const { undecided } = series.refused;
  if (undecided.size > 0) await ledger.retractRefusals(account.identity, [...undecided]);
}

// ------------------------------------------------------------------------------------------- stops of earlier runs

/** Settles the series at which an earlier run was stopped. @returns the stop when no person has decided. */
export async function settleSeries(
  context: Pick<
    RunContext,
    'ledger' | 'account' | 'job' | 'dialect' | 'accept' | 'refresh' | 'clock' | 'emit'
  >,
  batch: Pick<Batch, 'id' | 'createdAtMs' | 'state'>,
): Promise<StopError | undefined> {
  const { account, job } = context;
  // A sandbox has another port at every start, and no money is at stake there. By a trial a person looks into the matter.
  if (account.baseUrl === undefined || account.sandbox || job.origin?.kind === 'trial') return undefined;
  const misses = await settleMisses(context, account.baseUrl);
  return misses ?? (batch.state === 'finished' ? undefined : heldMatches(context, batch));
}

/**
 * Stops a run before it ends a row by matches for which an earlier run was stopped, and which nobody has accepted since. A corrected
 * dialect that reads other facts in them is an answer as well. A new batch that buys older answers again does not use them.
 */
async function heldMatches(
  context: Pick<RunContext, 'ledger' | 'account' | 'dialect' | 'accept' | 'refresh' | 'clock' | 'emit'>,
  { id, createdAtMs }: Pick<Batch, 'id' | 'createdAtMs'>,
): Promise<StopError | undefined> {
  const { ledger, account, dialect } = context;
  const [newest] = await ledger.newestFound(account.identity, 1);
  if (newest === undefined || !Object.hasOwn(dialect.operations, newest.call.operation)) return undefined;
  const shape = factsShape(newest.reply.body, dialect, newest.call);
  const isTooOld = context.refresh === true && newest.reply.receivedAtMs < createdAtMs;
  if (shape === undefined || isTooOld) return undefined;
  const named: Named = { kind: 'same-answers', account: account.identity, shape };
  const { isAccepted, isNamed } = await knownOf(ledger, named);
  if (isAccepted || !isNamed) return undefined;
  if (context.accept !== 'same-answers') return sameStop(MOST_OF_A_SERIES, id, newest.reply);
  await accept(context, named, context.emit);
  return undefined;
}

interface Named {
  readonly kind: SeriesKind;
  readonly account: string;
  readonly shape: string;
}

type Noting = Pick<RunContext, 'ledger' | 'clock'>;

const hashOf = (what: 'named' | 'accepted', { kind, account, shape }: Named): string =>
  hash('sha256', JSON.stringify(['series', what, kind, account, shape]), 'hex');

async function knownOf(
  ledger: RunContext['ledger'],
  named: Named,
): Promise<Pick<Shape, 'isAccepted' | 'isNamed'>> {
  const [accepted, shown] = await Promise.all([
    ledger.agreement(hashOf('accepted', named)),
    ledger.agreement(hashOf('named', named)),
  ]);
  return { isAccepted: accepted !== undefined, isNamed: shown !== undefined };
}

async function note({ ledger, clock }: Noting, what: 'named' | 'accepted', named: Named): Promise<void> {
  const shown = `${what === 'named' ? 'a stop of a run by' : '--accept'} ${named.kind} ${named.shape}`;
  await ledger.noteAgreement({ sha256: hashOf(what, named), shown, agreedAtMs: clock.wallMs() });
}

async function accept(noting: Noting, named: Named, emit: RunContext['emit']): Promise<void> {
  await note(noting, 'accepted', named);
  emit({ kind: 'note', message: 'Answers of this shape stop no further run of the account.' });
}
