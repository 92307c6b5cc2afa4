import { describe, expect, test } from 'vitest';
import {
  type AttemptId,
  type BatchId,
  type CallEntry,
  credits,
  type DecisionId,
  type Ledger,
  recordLook,
  recordReply,
} from '../../../src/ledger/ledger.ts';
import { keyBytes } from '../../../src/ledger/stores/postgres/session.ts';
import { some } from '../../combinations.ts';
import {
  admitted,
  answered,
  batchNamed,
  DAY_MS,
  decide,
  intentOf,
  keyNamed,
  lookAt,
  lost,
  NOON_MS,
  replyWith,
} from './book.ts';
import { booksOf, type Workplace, workplace } from './postgres-workers.ts';
import { type Happened, replayed } from './replayed.ts';

// Goal: whatever two workers do with one call at the same moment, one request leaves at most, nothing follows that may not, and the
// books add up. Method: every pair of moves from every place of a call, in both orders, over a real database. A third connection has
// the call's row until both wait for it.

/** What two workers know of one call. */
interface Known {
  readonly word: string;
  readonly batch: BatchId;
  /** Another batch, for which the answer is too old. */
  readonly later: BatchId;
  readonly attempt: AttemptId;
  readonly decision: DecisionId;
}

type Kind = keyof typeof MOVES;

const LATER_MS = NOON_MS + 3 * DAY_MS;
const FOUND = { kind: 'answered', answer: 'found', charged: credits(1), why: 'x' } as const;

const ending =
  (closure: Extract<CallEntry, { kind: 'end' }>['closure']) =>
  ({ attempt }: Known): CallEntry => ({
    ...{ kind: 'end', attempt, closure, atMs: NOON_MS },
  });

const MOVES = {
  intent: ({ batch, word }: Known): CallEntry => ({ kind: 'intent', intent: intentOf(batch, word) }),
  retry: ({ batch, word, decision }: Known): CallEntry => ({
    kind: 'intent',
    intent: intentOf(batch, word, { decision }),
  }),
  refresh: ({ later, word, attempt }: Known): CallEntry => ({
    kind: 'intent',
    intent: intentOf(later, word, { replaces: attempt, atMs: LATER_MS }),
  }),
  reply: ({ attempt, word }: Known): CallEntry => ({ kind: 'reply', attempt, reply: replyWith(word) }),
  answered: ending(FOUND),
  lost: ending({ kind: 'in_doubt', why: 'x' }),
  unsold: ending({ kind: 'not_sent', why: 'x' }),
  told: ({ batch, word }: Known): CallEntry => ({
    kind: 'decision',
    decision: { ...{ key: keyNamed(word), batch, kind: 'told', by: 'person', why: 'x', atMs: NOON_MS } },
    told: replyWith(word),
  }),
  decided: ({ batch, word }: Known): CallEntry => ({
    kind: 'decision',
    decision: { ...{ key: keyNamed(word), batch, kind: 'retry', by: 'person', why: 'x', atMs: NOON_MS } },
  }),
  released: ({ attempt }: Known): CallEntry => ({ kind: 'release', attempt, why: 'x', atMs: NOON_MS }),
  reading: ({ attempt }: Known): CallEntry => ({
    kind: 'reading',
    reading: { attempt, answer: 'found', charged: credits(2), why: 'x', dialect: 2, atMs: NOON_MS },
  }),
} as const;

/** How a call gets to its place, and which moves somebody makes there. */
const PLACES: Readonly<
  Record<string, { make(ledger: Ledger, known: Known): Promise<Partial<Known>>; kinds: readonly Kind[] }>
> = {
  nowhere: { make: async () => ({}), kinds: ['intent'] },
  sent: {
    make: async (ledger, { batch, word }) => ({ attempt: await admitted(ledger, batch, word) }),
    kinds: ['reply', 'lost', 'unsold', 'intent'],
  },
  back: {
    async make(ledger, { batch, word }) {
      const attempt = await admitted(ledger, batch, word);
      await recordReply(ledger, attempt, replyWith(word));
      return { attempt };
    },
    kinds: ['answered', 'lost', 'unsold', 'reply', 'intent'],
  },
  answered: {
    make: async (ledger, { batch, word }) => ({ attempt: await answered(ledger, batch, word) }),
    kinds: ['intent', 'refresh', 'reading'],
  },
  doubt: {
    async make(ledger, { batch, word }) {
      const attempt = await lost(ledger, batch, word);
      await recordLook(ledger, lookAt(attempt, 'not_happened'));
      return { attempt, decision: await decide(ledger, batch, word, 'retry') };
    },
    kinds: ['retry', 'told', 'released', 'decided', 'reply', 'intent'],
  },
  'doubt, sent again': {
    async make(ledger, { batch, word }) {
      await lost(ledger, batch, word);
      const decision = await decide(ledger, batch, word, 'retry');
      return { attempt: await admitted(ledger, batch, word, { decision }), decision };
    },
    kinds: ['reply', 'lost', 'unsold', 'told', 'decided', 'retry'],
  },
};

const WAITING = `SELECT count(*) AS waiting FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;

/** Lets both wait for the call's row, one after the other, unless they are refused before. Who waits for a new row has no turn. */
async function atOnce(
  place: Workplace,
  word: string,
  moves: readonly (() => Promise<unknown>)[],
): Promise<readonly unknown[]> {
  const key = keyBytes(keyNamed(word));
  const running: Promise<unknown>[] = [];
  const done: unknown[] = [];
  const gone = new Error("the row is nobody's any more");
  await place.database
    .write(async (sql) => {
      const taken = await sql.rows('SELECT FROM calls WHERE key = $1 FOR UPDATE', [key]);
      if (taken.length === 0) await sql.rows(MADE, [key]);
      for (const move of moves) {
        running.push(move().finally(() => done.push(move)));
        const waiting = async () => (await place.database.row<{ waiting: number }>(WAITING))?.waiting ?? 0;
        while ((await waiting()) + done.length < running.length)
          await new Promise((resolve) => setImmediate(resolve));
      }
      throw gone;
    })
    .catch((error: unknown) => {
      if (error !== gone) throw error;
    });
  return Promise.all(running);
}

const MADE = `INSERT INTO calls (key, account, operation, parameters, kind, over_at) VALUES ($1, '', '', '{}', 'intent', now())`;

/** Where the call stands, and its entries, replies among them. */
async function historyOf({ database }: Workplace, word: string) {
  const key = keyBytes(keyNamed(word));
  const call = await database.row('SELECT state, stands, phase, open FROM calls WHERE key = $1', [key]);
  const entries = await database.rows<Happened>(
    'SELECT e.id, e.kind, e.of, e.sees FROM entries e JOIN calls c ON c.id = e.call WHERE c.key = $1 ORDER BY e.id',
    [key],
  );
  return { call, entries };
}

describe.each(some(Object.entries(PLACES), 2))('of a call that stands %s', (name, { make, kinds }) => {
  test('every two moves that are made at once', async () => {
    const place = await workplace();
    const [one, other] = [await place.worker(), await place.worker()];
    const batch = await batchNamed(one, 'a');
    const later = await batchNamed(one, 'later', {
      ...{ createdAtMs: LATER_MS, freshSince: { foundMs: NOON_MS + DAY_MS } },
    });
    for (const first of kinds) {
      for (const second of kinds) {
        const word = `${name} ${first} ${second}`;
        const unmade = { word, batch, later, attempt: 0 as AttemptId, decision: 0 as DecisionId };
        const known = { ...unmade, ...(await make(one, unmade)) };
        const outcomes = (
          await atOnce(place, word, [
            () => one.append([MOVES[first](known)]),
            () => other.append([MOVES[second](known)]),
          ])
        ).flat() as readonly { readonly kind: string }[];
        const kindsOf = outcomes.map(({ kind }) => kind);
        expect(
          kindsOf.filter((kind) => kind === 'admitted').length,
          `${word}: ${kindsOf}`,
        ).toBeLessThanOrEqual(1);
        if (first !== second)
          expect(kindsOf, `${word}: one of them is made`).not.toEqual(['refused', 'refused']);
        if (first === second && kindsOf.includes('admitted'))
          expect(kindsOf.toSorted(), word).toEqual(['admitted', 'in_flight']);
        const { call, entries } = await historyOf(place, word);
        expect(replayed(entries), word).toEqual(call);
        const ends = entries.filter(({ kind, of }) => of === known.attempt && ENDS.has(kind));
        expect(ends.length, `${word}: an attempt ends once`).toBeLessThanOrEqual(1);
      }
    }
    const { entries, purses } = await booksOf(place);
    expect(purses).toEqual(entries);
  });
});

const ENDS: ReadonlySet<string> = new Set(['answered', 'lost', 'lost_beside', 'unsold']);
