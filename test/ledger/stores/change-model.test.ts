import fc from 'fast-check';
import { expect, test } from 'vitest';
import { callKeyOf } from '../../../src/core/call-key.ts';
import type { SubjectFacts } from '../../../src/core/membership.ts';
import type { Call } from '../../../src/core/operation.ts';
import {
  type Admission,
  type AttemptId,
  type Closure,
  closeAttempt,
  credits,
  type DecisionKind,
  recordReply,
} from '../../../src/ledger/ledger.ts';
import sqlite from '../../../src/ledger/stores/sqlite.ts';
import { times } from '../../combinations.ts';
import { ACCOUNT, NOON_MS, released, replyWith, withBytes } from './book.ts';
import { admitChange, changeOf, decideChange, INVITED, KIM, known, LEE, MEMBER } from './changes.ts';
import { attemptAt, BATCHES, batchAt, expectSound, type Side, sideOf } from './sides.ts';

// Goal: a subject moves by exactly the changes that were settled, and one change of a person at most is in doubt. Method: random
// changes of two people by two batches, and the books added up anew at the end.

const SUBJECTS = [KIM, LEE] as const;
const OPERATIONS = ['create-invite', 'delete-invite'] as const;
const LEFT: readonly (SubjectFacts | undefined)[] = [undefined, INVITED, MEMBER, { state: 'gone' }];
const MOST_ATTEMPTS = 15;

type Ending = 'found' | 'no_match' | 'refused' | 'not_sent' | 'in_doubt' | 'open';

/** Which change: planned where its subject stands now, or before that. */
interface Which {
  readonly batch: 0 | 1;
  readonly subject: 0 | 1;
  readonly operation: 0 | 1;
  readonly behind: 0 | 1;
}

type Step =
  /** From the decision and the intent to the end in one go, or to where it is left open. */
  | (Which & { do: 'change'; first: DecisionKind | 'nothing'; ending: Ending; left: number; reserve: number })
  | (Which & { do: 'tell'; left: number })
  | (Which & { do: 'free' })
  | { readonly do: 'close'; readonly attempt: number; readonly ending: Exclude<Ending, 'open'>; left: number }
  | { readonly do: 'retract' };

const which = {
  batch: fc.constantFrom(...BATCHES),
  subject: fc.constantFrom(...BATCHES),
  operation: fc.constantFrom(...BATCHES),
  behind: fc.constantFrom<0 | 1>(0, 0, 0, 0, 1),
};
const left = fc.nat({ max: LEFT.length - 1 });

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      do: fc.constant('change' as const),
      ...which,
      first: fc.constantFrom('repeat' as const, 'repeat' as const, 'retry' as const, 'nothing' as const),
      ending: fc.constantFrom<Ending>(
        'found',
        'no_match',
        'refused',
        'not_sent',
        'in_doubt',
        'in_doubt',
        'open',
      ),
      left,
      reserve: fc.nat({ max: 2 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('tell' as const), ...which, left }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('free' as const), ...which }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('close' as const),
      attempt: fc.integer({ min: 1, max: MOST_ATTEMPTS }),
      ending: fc.constantFrom(
        'found' as const,
        'no_match' as const,
        'in_doubt' as const,
        'not_sent' as const,
      ),
      left,
    }),
  },
  { weight: 1, arbitrary: fc.constant({ do: 'retract' as const }) },
);

test('a subject moves by exactly the changes that were settled', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40 }), async (steps) => {
      const side = await sideOf(sqlite);
      // What the ledger refuses changes nothing.
      for (const each of steps) await take(side, each).catch(() => {});
      await expectMoves(side);
      await side.ledger.close();
      await expectSound(sqlite, side.place);
    }),
    { numRuns: Number(process.env.HISTORIES ?? times(5, 20)) },
  );
});

async function take(side: Side, step: Step): Promise<unknown> {
  switch (step.do) {
    case 'change':
      return change(side, step);
    case 'tell': {
      const told = { reply: replyWith('told'), ...leftBy(step.left) };
      const call = await callOf(side, step);
      return { id: await decideChange(side.ledger, batchAt(side, step.batch), call, 'told', told) };
    }
    case 'free': {
      const state = await stateOf(side, await callOf(side, step));
      if (state?.kind === 'in_doubt') await released(side.ledger, state.doubt.attempt);
      return state;
    }
    case 'close':
      return close(side, attemptAt(side, step.attempt), step.ending, step.left);
    case 'retract':
      return side.ledger.retractMisses(ACCOUNT);
  }
}

async function change(side: Side, step: Extract<Step, { do: 'change' }>): Promise<Admission> {
  const { first, ending } = step;
  const id = batchAt(side, step.batch);
  const call = await callOf(side, step);
  const state = await stateOf(side, call);
  const decision =
    first === 'nothing' || state?.kind !== 'in_doubt'
      ? {}
      : { decision: await decideChange(side.ledger, id, call, first) };
  const admission = await admitChange(side.ledger, id, call, { reserve: step.reserve, ...decision });
  if (admission.kind === 'admitted' && ending !== 'open')
    await close(side, admission.attempt, ending, step.left);
  return admission;
}

async function close({ ledger }: Side, id: AttemptId, ending: Exclude<Ending, 'open'>, by: number) {
  const settled = ending !== 'not_sent' && ending !== 'in_doubt';
  if (settled) await recordReply(ledger, id, replyWith('x', ending === 'no_match' ? 404 : 200));
  const closure: Closure = settled
    ? { kind: 'answered', answer: ending, charged: credits(1), why: 'w' }
    : { kind: ending, why: 'w' };
  return closeAttempt(ledger, id, closure, NOON_MS, LEFT[by]);
}

async function callOf({ ledger }: Side, { subject: index, operation, behind }: Which): Promise<Call> {
  const subject = SUBJECTS[index];
  const sequence = (await known(ledger, subject))?.sequence ?? 0;
  return changeOf(OPERATIONS[operation], Math.max(0, sequence - behind), subject);
}

async function stateOf({ ledger }: Side, call: Call) {
  const [state] = await ledger.find([callKeyOf(ACCOUNT, call)]);
  return state && withBytes(state);
}

const leftBy = (index: number): { left?: SubjectFacts } => {
  const facts = LEFT[index];
  return facts === undefined ? {} : { left: facts };
};

/** Each subject stands where the calls of it that were answered have brought it. */
async function expectMoves({ ledger }: Side): Promise<void> {
  const subjects = await ledger.subjects(ACCOUNT);
  for (const { subject, sequence } of subjects) {
    const every = Array.from({ length: sequence + 1 }, (_, after) =>
      OPERATIONS.map((operation) => callKeyOf(ACCOUNT, changeOf(operation, after, subject))),
    );
    const states = await ledger.find(every.flat());
    expect(states.filter(({ kind }) => kind === 'answered')).toHaveLength(sequence);
    expect(states.filter(({ kind }) => kind === 'in_doubt').length).toBeLessThanOrEqual(1);
  }
}
