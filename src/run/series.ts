import { hash } from 'node:crypto';
import type { Account } from '../client/account/account.ts';
import type { Dialect } from '../client/dialect.ts';
import { factsShape, type Reply, refusalShape, speaksOfAccount } from '../client/judge.ts';
import type { AccountHistory } from '../client/misses.ts';
import { StopError } from '../core/errors.ts';
import type { Call } from '../core/operation.ts';
import { foreignWords } from '../core/plain-text.ts';
import type { AnswerKind, AttemptId, Batch, BatchId, Credits, RawReply } from '../ledger/ledger.ts';
import { commandLine } from '../lib/command-line.ts';
import type { RunContext } from '../plan/context.ts';

/**
 * Answers of one shape and of no other meaning stop a run: refusals, which then speak of the account's key, credits or plan and not of
 * rows, and matches that show the same facts for different questions. They are taken back: no row ends by them until a person accepts
 * their shape for the account. A refusal is asked again; a match that was paid for stays bought, and waits for that word.
 */

type SeriesKind = 'refused' | 'same-answers';

interface SeriesRun extends Pick<RunContext, 'accept' | 'emit'> {
  readonly session: Pick<RunContext, 'ledger' | 'clock'> & {
    readonly account: Pick<Account, 'identity'>;
    readonly client: { readonly dialect: Dialect };
    readonly history: AccountHistory;
    readonly series: { readonly refused: Series; readonly same: Series };
  };
  readonly batch: BatchId;
  stopAll(error: StopError): void;
}

export const MOST_OF_A_SERIES = 5;

/** Whoever says so many different things speaks of rows, which need not wait for more. */
const MOST_SHAPES = 20;

interface Shape {
  count: number;
  isAccepted: boolean;
  /** Whether an earlier stop has named it: nobody accepts what was not shown. */
  isNamed: boolean;
  readonly known: Promise<void>;
}

/** A series of one kind, counted over all runs of a session. A crash loses the count alone. */
export class Series {
  readonly kind: SeriesKind;
  readonly #shapes = new Map<string, Shape>();
  /** Answers that may turn out to belong to a series. A row that has one waits, see `workRows`. */
  readonly undecided = new Set<AttemptId>();
  isOver = false;
  #stopped: StopError | undefined;

  constructor(kind: SeriesKind) {
    this.kind = kind;
  }

  /** Another answer has come, so those before it mean what they say. Those of a series that has stopped the run do not. */
  end(): void {
    this.isOver = true;
    for (const shape of this.#shapes.values()) shape.count = 0;
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
    words: string,
  ): Promise<StopError | undefined> {
    const shape = this.#shapes.get(name) ?? this.#begun(run, name);
    if (shape.isAccepted) return undefined;
    if (this.#stopped === undefined && this.#shapes.size > MOST_SHAPES) this.end();
    shape.count += 1;
    this.undecided.add(attempt);
    await shape.known;
    if (this.#stopped === undefined && !shape.isAccepted && shape.count >= MOST_OF_A_SERIES)
      await this.#decide(run, name, shape, words);
    if (shape.isAccepted) this.undecided.delete(attempt);
    return this.#stopped;
  }

  #begun(run: SeriesRun, name: string): Shape {
    const known = knownOf(run.session.ledger, this.#named(run, name)).then((what) => {
      Object.assign(shape, what);
    });
    const shape: Shape = { count: 0, isAccepted: false, isNamed: false, known };
    this.#shapes.set(name, shape);
    return shape;
  }

  #named({ session: { account } }: SeriesRun, shape: string): Named {
    return { kind: this.kind, account: account.identity, shape };
  }

  async #decide(run: SeriesRun, name: string, shape: Shape, words: string): Promise<void> {
    const named = this.#named(run, name);
    if (run.accept === this.kind && shape.isNamed) {
      shape.isAccepted = true;
      this.undecided.clear();
      await accept(run.session, named, run.emit);
      return;
    }
    this.#stopped = seriesStop(this.kind, run.batch, words);
    // Nothing more is sent from here on; the note is only needed by whoever answers.
    run.stopAll(this.#stopped);
    for (const each of [{ ...named, shape: ANY }, named]) await note(run.session, 'named', each);
  }
}

export function stopAtSeries(
  run: SeriesRun,
  { attempt, call, reply }: { readonly attempt: AttemptId; readonly call: Call; readonly reply: Reply },
  { answer, charged }: { readonly answer: AnswerKind; readonly charged: Credits },
): Promise<StopError | undefined> | undefined {
  const { series, history, client } = run.session;
  const { refused, same } = series;
  if (history.trusted || reply.kind !== 'answered') return undefined;
  const { raw } = reply;
  if (answer === 'refused') {
    // Where others spend as well, what they found counts.
    const isOver = refused.isOver || history.found > history.foundBefore;
    if (charged > 0 || (isOver && !speaksOfAccount(raw, client.dialect))) return undefined;
    const shape = refusalShape(raw, client.dialect, call);
    return shape === undefined ? undefined : refused.count(run, attempt, shape, wordsOf(raw));
  }
  refused.end();
  if (same.isOver) return undefined;
  const shape = answer === 'found' ? factsShape(raw.body, client.dialect, call) : undefined;
  if (shape !== undefined && same.isAll(shape)) return same.count(run, attempt, shape, wordsOf(raw));
  same.end();
  return undefined;
}

/**
 * Stops a run before it ends a row by matches for which an earlier run was stopped, and which nobody has accepted since. A corrected
 * dialect that reads other facts in them is an answer as well.
 * A new batch that buys older answers again does not use them.
 */
export async function heldMatches(
  context: Pick<RunContext, 'ledger' | 'account' | 'dialect' | 'accept' | 'refresh' | 'clock' | 'emit'>,
  { id, createdAtMs }: Pick<Batch, 'id' | 'createdAtMs'>,
): Promise<StopError | undefined> {
  const { ledger, account, dialect } = context;
  const any: Named = { kind: 'same-answers', account: account.identity, shape: ANY };
  if ((await ledger.agreement(hashOf('named', any))) === undefined) return undefined;
  const [newest] = await ledger.newestFound(account.identity, 1);
  if (newest === undefined || !Object.hasOwn(dialect.operations, newest.call.operation)) return undefined;
  const shape = factsShape(newest.reply.body, dialect, newest.call);
  const isTooOld = context.refresh === true && newest.reply.receivedAtMs < createdAtMs;
  if (shape === undefined || isTooOld) return undefined;
  const named: Named = { ...any, shape };
  const { isAccepted, isNamed } = await knownOf(ledger, named);
  if (isAccepted || !isNamed) return undefined;
  if (context.accept !== 'same-answers') return seriesStop('same-answers', id, wordsOf(newest.reply));
  await accept(context, named, context.emit);
  return undefined;
}

export function isSeries({ answers = [] }: Pick<StopError, 'answers'>): boolean {
  return answers.includes('refused') || answers.includes('same-answers');
}

/** Takes back the refusals of a series at which the run was stopped. Their attempts are closed, and no row has ended by them. */
export async function takeBack({ session: { series, ledger, account } }: SeriesRun): Promise<void> {
  const { undecided } = series.refused;
  if (undecided.size > 0) await ledger.retractRefusals(account.identity, [...undecided]);
}

// ------------------------------------------------------------------------------------------------ what a person has said

interface Named {
  readonly kind: SeriesKind;
  readonly account: string;
  readonly shape: string;
}

/** In the place of a shape: that a run of the account was ever stopped by a series of that kind. */
const ANY = 'any';

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
  emit({ kind: 'note', message: 'Answers of this shape are kept, and stop no further run of the account.' });
}

// ---------------------------------------------------------------------------------------------------------- the stop

const QUOTED_CHARACTERS = 200;

function wordsOf({ status, body }: RawReply): string {
  return `status ${status}, ${foreignWords(body.toString('utf8').slice(0, QUOTED_CHARACTERS))}`;
}

function seriesStop(kind: SeriesKind, batch: BatchId, last: string): StopError {
  const [fact, next] = kind === 'refused' ? REFUSED : sameAnswers(batch);
  const message = `${MOST_OF_A_SERIES} ${fact}; the last: ${last}.`;
  return new StopError({ code: 'address', message, next, answers: [kind] });
}

const REFUSED = [
  'answers of this account are refusals of one shape, with no other answer between them',
  "Put right what they speak of, such as the account's key, credits or plan, then run the same command again: they are taken back, and asked again; if they are about the rows, run the same list with --accept refused to keep them.",
] as const;

const sameAnswers = (batch: BatchId) =>
  [
    'matches of this account show the same facts for different questions, and it has answered nothing else',
    `If they are right, run the same list with --accept same-answers to keep them; if they are misread, correct the dialect of the account: what was bought is read again, and not bought again; to buy them again, once the vendor answers otherwise, type ${commandLine(['cancel', batch])}, then run the same list with --refresh.`,
  ] as const;
