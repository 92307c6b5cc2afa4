import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { AttemptId, BatchId, DecisionId, Ledger } from '../../../src/ledger/ledger.ts';
import sqlite from '../../../src/ledger/stores/sqlite.ts';
import { times } from '../../combinations.ts';
import { everything, type Step, stepOf, take } from './histories.ts';
import { postgresOfTests } from './postgres-server.ts';
import { comparable, expectSound, type Side, sideOf } from './sides.ts';

// Goal: SQLite and PostgreSQL say the same whatever is asked of them, and what a commit holds of many writes is what each of them
// would have written alone. Method: random histories, written to both sides, every answer compared, all that can be read compared
// at the end, and the books added up anew.

/** Where a cap is passed already, PostgreSQL admits what reserves nothing and SQLite does not, so nothing is capped here. */
const uncapped = stepOf(3).filter((step) => step.do !== 'caps' && step.do !== 'change');

test('SQLite and PostgreSQL agree after every step', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(uncapped, { minLength: 15, maxLength: 60 }), async (steps) => {
      const [plain, real] = [await sideOf(postgresOfTests), await sideOf(sqlite)];
      for (const each of steps)
        expect(await take(real, each), JSON.stringify(each)).toEqual(await take(plain, each));
      expect(await everything(real)).toEqual(await everything(plain));
      await Promise.all([real.ledger.close(), plain.ledger.close()]);
      await expectSound(sqlite, real.place);
    }),
    { numRuns: Number(process.env.HISTORIES ?? times(3, 80)) },
  );
});

/** Steps that are taken side by side, so that one commit has writes of many of them. */
const together = fc
  .constantFrom(3, 10, 10)
  .chain((calls) =>
    fc.array(fc.array(stepOf(calls), { minLength: 1, maxLength: 10 }), { minLength: 3, maxLength: 12 }),
  );

test('what one commit has written together is what is there when each is written alone, in the same order', async () => {
  await fc.assert(
    fc.asyncProperty(together, async (turns) => {
      const done: Done[] = [];
      const real = await sideOf({
        ...sqlite,
        open: async (...where) => noting(await sqlite.open(...where), done),
      });
      const plain = await sideOf(sqlite);
      for (const steps of turns) await Promise.all(steps.map((each: Step) => take(real, each)));
      for (const each of done)
        expect(await again(plain, real, each), `${each.method} ${JSON.stringify(each.asked)}`).toEqual(
          comparable(real, each.said),
        );
      expect(await everything(real)).toEqual(await everything(plain));
      await Promise.all([real.ledger.close(), plain.ledger.close()]);
      await expectSound(sqlite, real.place);
    }),
    { numRuns: Number(process.env.HISTORIES ?? times(5, 40)) },
  );
});

/** A write of a history, in the order in which the ledger wrote them. */
interface Done {
  readonly method: (typeof WRITES)[number];
  readonly asked: readonly unknown[];
  readonly said: unknown;
}

const WRITES = [
  ...(['append', 'finishRows', 'changeBatch', 'setAccountCaps', 'retractMisses', 'markMisses'] as const),
] as const satisfies readonly (keyof Ledger)[];

const REFUSED = 'refused';

/** The ledger, which notes each write with what came of it as soon as that is told. */
function noting(ledger: Ledger, done: Done[]): Ledger {
  const methods = ledger as unknown as Record<string, (...asked: readonly unknown[]) => Promise<unknown>>;
  for (const method of WRITES) {
    const write = methods[method]?.bind(ledger);
    methods[method] = (...asked) => {
      const writing = write?.(...asked) ?? Promise.reject(new Error(method));
      writing.then(
        (said) => done.push({ method, asked, said: outcomeOf(said) }),
        () => done.push({ method, asked, said: REFUSED }),
      );
      return writing;
    };
  }
  return ledger;
}

/** What is compared: not why an entry was refused. */
const outcomeOf = (said: unknown): unknown =>
  Array.isArray(said) ? said.map((each) => (each.kind === REFUSED ? REFUSED : each)) : said;

/** Writes on one side what the other has written, under the names that batches, attempts and decisions have there. */
async function again(side: Side, other: Side, { method, asked }: Done): Promise<unknown> {
  const methods = side.ledger as unknown as Record<
    string,
    (...asked: readonly unknown[]) => Promise<unknown>
  >;
  try {
    const said = await methods[method]?.(...asked.map((each) => renamed(side, other, method, each)));
    return comparable(side, outcomeOf(said));
  } catch {
    return REFUSED;
  }
}

function renamed(side: Side, other: Side, name: string, value: unknown): unknown {
  if (other.batches.includes(value as BatchId)) return side.batches[other.batches.indexOf(value as BatchId)];
  if (typeof value === 'number') {
    if (name === 'decision') return side.decisions[other.decisions.indexOf(value as DecisionId)];
    return NAMES_OF_ATTEMPTS.has(name)
      ? (side.attempts[other.attempts.indexOf(value as AttemptId)] ?? value)
      : value;
  }
  if (typeof value !== 'object' || value === null || Buffer.isBuffer(value)) return value;
  if (Array.isArray(value)) return value.map((each) => renamed(side, other, name, each));
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, renamed(side, other, key, each)]),
  );
}

const NAMES_OF_ATTEMPTS: ReadonlySet<string> = new Set(['attempt', 'replaces', 'answers']);
