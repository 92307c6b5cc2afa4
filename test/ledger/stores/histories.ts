import fc from 'fast-check';
import { present } from '../../../src/core/objects.ts';
import {
  type Admission,
  type BatchId,
  type CallState,
  type Closure,
  credits,
  type DecisionKind,
  type KeyedRequest,
  type Look,
  type ReadAs,
  type RowRecord,
} from '../../../src/ledger/ledger.ts';
import {
  ACCOUNT,
  admit,
  DAY_MS,
  decide,
  type IntentOptions,
  keyNamed,
  lookAt,
  NOON_MS,
  released,
  replyWith,
  requestUnder,
  settle,
  stateOf,
  withBytes,
} from './book.ts';
import { attemptAt, BATCHES, batchAt, comparable, type Side } from './sides.ts';

/** Random histories of two batches that share calls: their steps, how each is taken, and all that can be read afterwards. */

/** The calls: few, which have long stories. */
const WORDS = ['one', 'two', 'three'] as const;

/** How a request is asked for. */
interface Asked {
  readonly batch: 0 | 1;
  readonly word: string;
  readonly reserve: number;
  readonly day: number;
  readonly decided: boolean;
  readonly refresh: boolean;
  readonly under: Key;
}

type Ending = 'found' | 'no_match' | 'not_sent' | 'paused' | 'in_doubt';

export type Step =
  | ({ readonly do: 'admit' } & Asked)
  /** From the decision and the intent to the end in one go, so that histories get somewhere. */
  | ({ readonly do: 'ask' } & Asked & {
        readonly first: 'repeat' | 'retry' | 'nothing';
        readonly kind: Ending;
        readonly status: number;
      })
  /** Looks at what the call is in doubt about, and releases it. */
  | { readonly do: 'free'; readonly word: string }
  | { readonly do: 'record'; readonly attempt: number; readonly status: number; readonly day: number }
  | { readonly do: 'close'; readonly attempt: number; readonly kind: Ending }
  | { readonly do: 'decide'; readonly batch: 0 | 1; readonly word: string; readonly kind: DecisionKind }
  | {
      readonly do: 'settle';
      readonly batch: 0 | 1;
      readonly row: number;
      readonly final: boolean;
      readonly answers: readonly number[];
    }
  | {
      readonly do: 'change';
      readonly batch: 0 | 1;
      readonly budget: number | null;
      readonly extra: number;
      readonly state: 'open' | 'finished';
    }
  | { readonly do: 'caps'; readonly perDay: number }
  | { readonly do: 'retract' }
  | { readonly do: 'look'; readonly attempt: number; readonly said: Look['said'] }
  | { readonly do: 'release'; readonly attempt: number }
  | { readonly do: 'read'; readonly attempt: number; readonly answer: ReadAs; readonly charged: number };

/** Which idempotency key a request has: its call's own, one that calls share by mistake, or that of the lost attempt. */
type Key = 'none' | 'own' | 'shared' | 'lost';

const batch = fc.constantFrom(...BATCHES);
const word = fc.constantFrom<string>(...WORDS);
const MOST_ATTEMPTS = 20;
const ATTEMPTS = Array.from({ length: MOST_ATTEMPTS }, (_, index) => index + 1);
const attempt = fc.integer({ min: 1, max: MOST_ATTEMPTS });
/** One that most histories get to. */
const early = fc.integer({ min: 1, max: 6 });

const asked = {
  batch,
  word,
  reserve: fc.integer({ min: 0, max: 3 }),
  day: fc.integer({ min: 0, max: 1 }),
  decided: fc.constantFrom(true, true, false),
  refresh: fc.boolean(),
  under: fc.constantFrom<Key>('none', 'none', 'none', 'own', 'shared', 'lost', 'lost', 'lost'),
};

export const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ do: fc.constant('admit' as const), ...asked }) },
  {
    weight: 20,
    arbitrary: fc.record({
      do: fc.constant('ask' as const),
      ...asked,
      first: fc.constantFrom('repeat', 'repeat', 'retry', 'nothing'),
      kind: fc.constantFrom<Ending>('found', 'no_match', 'in_doubt', 'in_doubt', 'in_doubt'),
      status: fc.constantFrom(200, 404, 404),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('record' as const),
      attempt,
      status: fc.constantFrom(200, 404),
      day: fc.integer({ min: 0, max: 1 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('close' as const),
      attempt,
      kind: fc.constantFrom<Ending>('found', 'no_match', 'not_sent', 'paused', 'in_doubt'),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('decide' as const),
      batch,
      word,
      kind: fc.constantFrom<DecisionKind>('repeat', 'repeat', 'retry', 'retry', 'skip', 'told', 'hold'),
    }),
  },
  {
    weight: 10,
    arbitrary: fc.record({
      do: fc.constant('settle' as const),
      batch,
      row: fc.integer({ min: 2, max: 4 }),
      final: fc.boolean(),
      answers: fc.uniqueArray(early, { maxLength: 2 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('change' as const),
      batch,
      budget: fc.option(fc.integer({ min: 0, max: 6 })),
      extra: fc.integer({ min: 0, max: 3 }),
      state: fc.constantFrom('open', 'finished'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('caps' as const), perDay: fc.integer({ min: 2, max: 8 }) }),
  },
  { weight: 1, arbitrary: fc.constant({ do: 'retract' as const }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('look' as const),
      attempt,
      said: fc.constantFrom('not_happened', 'not_happened', 'happened', 'unclear'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('release' as const), attempt }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('free' as const), word }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('read' as const),
      attempt: early,
      answer: fc.constantFrom<ReadAs>('found', 'no_match', 'paused', 'paused', 'in_doubt'),
      charged: fc.integer({ min: 0, max: 3 }),
    }),
  },
);

/** What the ledger answered, or that it refused; batches by their place, because their names are random. */
export async function take(side: Side, step: Step): Promise<unknown> {
  try {
    return comparable(
      side,
      await (TAKE[step.do] as (side: Side, step: Step) => Promise<unknown>)(side, step),
    );
  } catch {
    return 'refused';
  }
}

/** How each kind of step is taken. */
const TAKE: {
  readonly [Kind in Step['do']]: (side: Side, step: Extract<Step, { do: Kind }>) => Promise<unknown>;
} = {
  admit: ask,
  async ask(side, step) {
    const [state] = await side.ledger.find([keyNamed(step.word)]);
    if (step.first !== 'nothing' && state?.kind === 'in_doubt')
      await decide(side.ledger, batchAt(side, step.batch), step.word, step.first);
    const admission = await ask(side, step);
    if (admission.kind !== 'admitted') return admission;
    const { attempt: id } = admission;
    const answeredAtMs = NOON_MS + step.day * DAY_MS;
    if (step.kind !== 'in_doubt') await side.ledger.keep(id, replyWith('x', step.status, answeredAtMs));
    await side.ledger.end(id, closureOf(step.kind), answeredAtMs);
    return admission;
  },
  record: (side, { attempt: id, status, day }) =>
    side.ledger.keep(attemptAt(side, id), replyWith('x', status, NOON_MS + day * DAY_MS)),
  close: (side, step) => side.ledger.end(attemptAt(side, step.attempt), closureOf(step.kind), NOON_MS),
  async decide(side, { batch: index, word: asked, kind }) {
    const told = kind === 'told' ? replyWith('told') : undefined;
    return { id: await decide(side.ledger, batchAt(side, index), asked, kind, told) };
  },
  settle: (side, { batch: index, row, final, answers }) =>
    settle(
      side.ledger,
      batchAt(side, index),
      row,
      { kind: final ? 'no_match' : 'in_doubt', reason: 'r' },
      answers.map((place) => attemptAt(side, place)),
    ),
  change: (side, { batch: index, budget, extra, state }) =>
    side.ledger.changeBatch(batchAt(side, index), {
      budget: budget === null ? null : credits(budget),
      extraCredits: credits(extra),
      state,
    }),
  caps: ({ ledger }, { perDay }) => ledger.setAccountCaps(ACCOUNT, { perDay: credits(perDay) }),
  retract: ({ ledger }) => ledger.takeBack(ACCOUNT, 'misses'),
  look: (side, { attempt: id, said }) => side.ledger.look(lookAt(attemptAt(side, id), said)),
  release: (side, { attempt: id }) => side.ledger.release(attemptAt(side, id), 'not charged', NOON_MS),
  read: (side, { attempt: id, answer, charged }) =>
    side.ledger.readAgain({
      ...{ attempt: attemptAt(side, id), answer, charged: credits(charged) },
      ...{ why: 'r', dialect: 7, atMs: NOON_MS },
    }),
  async free({ ledger }, { word: asked }) {
    const state = await stateOf(ledger, asked);
    if (state.kind === 'in_doubt') await released(ledger, state.doubt.attempt);
    return state;
  },
};

async function ask(side: Side, step: Asked): Promise<Admission> {
  const id = batchAt(side, step.batch);
  const [state] = await side.ledger.find([keyNamed(step.word)], { batch: id });
  return admit(side.ledger, id, step.word, intentOf(step, state));
}

function intentOf(step: Asked, state: CallState | undefined): IntentOptions {
  const { reserve, day, decided, refresh, under } = step;
  const decision = state?.kind === 'in_doubt' && decided ? state.decision?.id : undefined;
  const isAnswered = state?.kind === 'answered' || state?.kind === 'unanswered';
  const replaces = isAnswered && refresh ? state.answer.attempt : undefined;
  const request = requestOf(under, step.word, state);
  return {
    reserve: under === 'lost' && request !== undefined ? 0 : reserve,
    atMs: NOON_MS + day * DAY_MS,
    row: 9,
    ...present({ decision, replaces, request }),
  };
}

function requestOf(under: Key, asked: string, state: CallState | undefined): KeyedRequest | undefined {
  switch (under) {
    case 'none':
      return undefined;
    case 'lost':
      return state?.kind === 'in_doubt' ? state.doubt.request : requestUnder(`${asked}'s`);
    case 'own':
      return requestUnder(`${asked}'s`);
    case 'shared':
      return requestUnder('shared');
  }
}

function closureOf(kind: Ending): Closure {
  if (kind !== 'found' && kind !== 'no_match') return { kind, why: 'w' };
  return { kind: 'answered', answer: kind, charged: credits(kind === 'found' ? 2 : 0), why: 'w' };
}

/** A page of rows promises these of an answer. */
function withPromised({ answers, ...row }: RowRecord): unknown {
  const promised = answers.map(
    ({ attempt, batch, kind, why, call, charged, answeredAtMs, paidRow, body }) => ({
      ...{ attempt, batch, kind, why, call, charged, answeredAtMs, paidRow },
      body,
    }),
  );
  return { ...row, answers: promised };
}

export async function everything(side: Side): Promise<unknown> {
  const { ledger, batches } = side;
  const keys = WORDS.map((each) => keyNamed(each));
  const ofBatch = async (id: BatchId) => ({
    batch: await ledger.batch(id),
    money: await ledger.batchMoney(id),
    counts: await ledger.counts(id),
    metrics: await ledger.metrics(id),
    rows: (await ledger.rows(id, 0, 100)).map(withPromised),
    states: (await ledger.find(keys, { batch: id })).map(withBytes),
    doubts: await ledger.doubts(id),
    unanswered: await ledger.rowsUnanswered(id),
    otherwise: (await ledger.rowsReadOtherwise(id, 7, 0, 100)).map(({ row }) => row),
    older: await ledger.hasOlderThan(id, { foundMs: NOON_MS + 1, noMatchMs: NOON_MS + DAY_MS }),
    activity: await ledger.activity(id, 5),
    histories: await Promise.all([2, 3, 4, 9].map((row) => ledger.history(id, row))),
  });
  return comparable(side, {
    batches: await Promise.all(batches.map(ofBatch)),
    day: await ledger.accountMoney(ACCOUNT, 'day', NOON_MS),
    month: await ledger.accountMoney(ACCOUNT, 'month', NOON_MS),
    ever: await ledger.accountMoney(ACCOUNT, 'ever', NOON_MS),
    account: await ledger.account(ACCOUNT),
    refreshes: await Promise.all(ATTEMPTS.map((id) => ledger.lostRefresh(attemptAt(side, id)))),
    rate: await ledger.matchRate(ACCOUNT, 'enrich-company'),
    sends: await ledger.sends(ACCOUNT, 0, 100),
    found: await ledger.newestFound(ACCOUNT),
  });
}
