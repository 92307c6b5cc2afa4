import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type AttemptId,
  type BatchId,
  type Closure,
  credits,
  type DecisionKind,
  type Ledger,
} from '../../src/ledger.ts';
import memory from '../../src/stores/memory.ts';
import sqlite from '../../src/stores/sqlite.ts';
import { ACCOUNT, admit, batchSpec, DAY_MS, decide, keyNamed, NOON_MS, replyWith, settle } from './book.ts';
import { freshPlace, openStore } from './places.ts';

// Goal: SQLite with its triggers and totals says what the plain lists of the memory store say, whatever is asked of it.
// Method: random histories, written to both, every answer compared, and all that can be read compared at the end.

const WORDS = ['one', 'two', 'three'] as const;
const BATCHES = [0, 1] as const;

type Step =
  | {
      readonly do: 'admit';
      readonly batch: 0 | 1;
      readonly word: string;
      readonly reserve: number;
      readonly day: number;
      readonly decided: boolean;
    }
  | { readonly do: 'record'; readonly attempt: number; readonly status: number }
  | {
      readonly do: 'close';
      readonly attempt: number;
      readonly kind: 'found' | 'no_match' | 'not_sent' | 'paused' | 'in_doubt';
    }
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
  | { readonly do: 'retract' };

const batch = fc.constantFrom(...BATCHES);
const word = fc.constantFrom(...WORDS);
const attempt = fc.integer({ min: 1, max: 6 });

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('admit' as const),
      batch,
      word,
      reserve: fc.integer({ min: 0, max: 3 }),
      day: fc.integer({ min: 0, max: 1 }),
      decided: fc.boolean(),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant('record' as const), attempt, status: fc.constantFrom(200, 404) }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('close' as const),
      attempt,
      kind: fc.constantFrom('found', 'no_match', 'not_sent', 'paused', 'in_doubt'),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('decide' as const),
      batch,
      word,
      kind: fc.constantFrom('repeat', 'retry', 'skip', 'told', 'hold'),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('settle' as const),
      batch,
      row: fc.integer({ min: 2, max: 4 }),
      final: fc.boolean(),
      answers: fc.uniqueArray(attempt, { maxLength: 2 }),
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
);

/** One of the two ledgers, with its batches and the newest decision about each call. */
interface Side {
  readonly ledger: Ledger;
  readonly batches: readonly BatchId[];
}

test('SQLite and the lists agree after every step', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 15, maxLength: 60 }), async (steps) => {
      const [plain, real] = [await sideOf(memory), await sideOf(sqlite)];
      for (const each of steps)
        expect(await take(real, each), JSON.stringify(each)).toEqual(await take(plain, each));
      expect(await everything(real)).toEqual(await everything(plain));
      await Promise.all([real.ledger.close(), plain.ledger.close()]);
    }),
    { numRuns: 30 },
  );
});

async function sideOf(store: typeof sqlite): Promise<Side> {
  const ledger = await openStore(store, freshPlace(store));
  const batches: BatchId[] = [];
  for (const index of BATCHES) {
    const { batch } = await ledger.beginBatch(
      batchSpec({ key: `key-${index}`, lineage: `lineage-${index}` }),
    );
    batches.push(batch.id);
  }
  return { ledger, batches };
}

/** What the ledger answered, or that it refused; batches by their place, because their names are random. */
async function take(side: Side, step: Step): Promise<unknown> {
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
  async admit(side, { batch: index, word: asked, reserve, day, decided }) {
    const id = batchAt(side, index);
    const [state] = await side.ledger.find([keyNamed(asked)], id);
    const decision = state?.kind === 'in_doubt' && decided ? state.decision?.id : undefined;
    const options = { reserve, atMs: NOON_MS + day * DAY_MS, row: 9 };
    return admit(side.ledger, id, asked, decision === undefined ? options : { ...options, decision });
  },
  record: ({ ledger }, step) => ledger.record(step.attempt as AttemptId, replyWith('x', step.status)),
  close: ({ ledger }, step) => ledger.closeAttempt(step.attempt as AttemptId, closureOf(step.kind), NOON_MS),
  decide: (side, { batch: index, word: asked, kind }) =>
    decide(side.ledger, batchAt(side, index), asked, kind, kind === 'told' ? replyWith('told') : undefined),
  settle: (side, { batch: index, row, final, answers }) =>
    settle(
      side.ledger,
      batchAt(side, index),
      row,
      { kind: final ? 'no_match' : 'in_doubt', reason: 'r' },
      answers as readonly AttemptId[],
    ),
  change: (side, { batch: index, budget, extra, state }) =>
    side.ledger.changeBatch(batchAt(side, index), {
      budget: budget === null ? null : credits(budget),
      extraCredits: credits(extra),
      state,
    }),
  caps: ({ ledger }, { perDay }) => ledger.setAccountCaps(ACCOUNT, { perDay: credits(perDay) }),
  retract: ({ ledger }) => ledger.retractMisses(ACCOUNT),
};

function closureOf(kind: Extract<Step, { do: 'close' }>['kind']): Closure {
  if (kind !== 'found' && kind !== 'no_match') return { kind, why: 'w' };
  return { kind: 'settled', answer: kind, charged: credits(kind === 'found' ? 2 : 0), why: 'w' };
}

function batchAt({ batches }: Side, index: number): BatchId {
  const id = batches[index];
  if (id === undefined) throw new Error(`there is no batch ${index}`);
  return id;
}

async function everything(side: Side): Promise<unknown> {
  const { ledger, batches } = side;
  const keys = WORDS.map((each) => keyNamed(each));
  const ofBatch = async (id: BatchId) => ({
    batch: await ledger.batch(id),
    money: await ledger.batchMoney(id),
    counts: await ledger.counts(id),
    traffic: await ledger.traffic(id),
    rows: await ledger.rows(id, 0, 100),
    states: await ledger.find(keys, id),
    doubts: await ledger.doubts(id),
    histories: await Promise.all([2, 3, 4, 9].map((row) => ledger.history(id, row))),
  });
  return comparable(side, {
    batches: await Promise.all(batches.map(ofBatch)),
    day: await ledger.accountMoney(ACCOUNT, 'day', NOON_MS),
    month: await ledger.accountMoney(ACCOUNT, 'month', NOON_MS),
    account: await ledger.account(ACCOUNT),
    open: await ledger.openAttempts(),
    rate: await ledger.matchRate(ACCOUNT, 'enrich-company'),
    sends: await ledger.sendTimes(ACCOUNT, 0, 100),
  });
}

function comparable({ batches }: Side, value: unknown): unknown {
  const text = JSON.stringify(value) ?? 'null';
  return JSON.parse(batches.reduce((renamed, id, index) => renamed.replaceAll(id, `batch ${index}`), text));
}
