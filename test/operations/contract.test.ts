import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { dialectSchema } from '../../src/client/dialect/check.ts';
import type { Dialect } from '../../src/client/dialect.ts';
import { canonicalJson } from '../../src/core/call-key.ts';
import { loadFamily } from '../../src/core/families.ts';
import { finding } from '../../src/core/finding.ts';
import { sayAll } from '../../src/core/finding-words.ts';
import {
  type KnownSubject,
  ROLES,
  type SubjectFacts,
  subjectOfInvite,
  subjectOfProject,
  subjectOfUser,
  subjectText,
  Team,
} from '../../src/core/membership.ts';
import type {
  Answer,
  Call,
  NextAction,
  Operation,
  OperationOptions,
  RowInput,
} from '../../src/core/operation.ts';
import { validAbn } from '../values/abn-arbitrary.ts';

/**
 * Goal: whatever lies in `src/operations/` is a whole operation, so that adding one is one new file and no other edit.
 * Method: every operation is found by itself, fed rows of plausible and of arbitrary text, and its calls are answered
 * at random until each row ends. A change is planned against whatever may be known of whom it is about.
 */

/** Rule 14 of a run: it ends. */
const MOST_CALLS = 20;

/** What an account and a job may say; entries of one operation are no others' business. */
const OPTIONS: OperationOptions = {
  projectId: 'proj-1',
  organizationId: 'org-1',
  settings: { projects: { Alpha: 'proj-1' }, create_projects: true },
};

/** No built-in dialect has their calls: a file has all of an entry. */
const OF_FILES = ['find-email', 'find-phone', 'check-email', 'check-phone'];

/** An operation that waits for a dialect's `by` gets one. */
const operations = new Map(
  [...(await loadFamily<Operation>(new URL('../../src/operations/', import.meta.url)))].map(
    ([name, each]) =>
      [
        name,
        OF_FILES.includes(name)
          ? (each.askedBy?.([each.tiers.includes('email') ? 'email' : 'phone'], []) ?? each)
          : each,
      ] as const,
  ),
);
const builtIn = await loadFamily<Dialect>(new URL('../../src/client/dialects/', import.meta.url));
const dialects = new Map([...builtIn].map(([name, dialect]) => [name, dialectSchema.parse(dialect)]));

/** Cells that some operation can use, and cells that none can. */
const cell = fc.oneof(
  validAbn,
  fc.emailAddress(),
  fc.domain().map((host) => `jo@${host}`),
  fc.domain(),
  fc.webUrl(),
  fc.constantFrom('viewer', 'editor', 'admin', 'jo-citizen', 'Jo Citizen', '', ' '),
  fc.constantFrom('jo@x.org', 'u-1', 'code-1', 'proj-1', 'Alpha', '..'),
  fc.constantFrom('https://www.linkedin.com/in/jo-citizen', 'https://www.linkedin.com/company/acme'),
  fc.string({ unit: 'binary' }),
);

// ------------------------------------------------------------------------------------------------ what is known

/** Few names, so that rows are about somebody who is known. */
const NAMES = ['jo@x.org', subjectOfUser('u-1'), subjectOfInvite('code-1'), subjectOfProject('Alpha')];

const facts: fc.Arbitrary<SubjectFacts> = fc.record(
  {
    state: fc.constantFrom('invited', 'member', 'reinvite_due', 'gone', 'accepted_or_deleted', 'done'),
    role: fc.constantFrom(...ROLES),
    email: fc.constant('jo@x.org'),
    inviteCode: fc.constant('code-1'),
    userId: fc.constantFrom('u-1', 'u-2'),
    projectId: fc.constantFrom('proj-1', 'proj-2'),
  },
  { requiredKeys: ['state'] },
);

const DOUBT = { batch: 'b-1', row: 2, operation: 'create-invite' };

const team: fc.Arbitrary<readonly KnownSubject[]> = fc.uniqueArray(
  fc
    .record({
      name: fc.constantFrom(...NAMES),
      more: fc.record(
        { facts, changedAtMs: fc.nat(9), doubt: fc.constant(DOUBT) },
        { requiredKeys: ['changedAtMs'] },
      ),
      sequence: fc.nat(9),
    })
    .map(({ name, more, sequence }): KnownSubject => {
      const subject = name.startsWith('project:') ? { name } : { project: 'proj-1', name };
      return { subject, sequence, ...more };
    }),
  { selector: ({ subject }) => subjectText(subject) },
);

/** A row in which any of the operation's columns may be missing. */
function rowOf(operation: Operation): fc.Arbitrary<RowInput> {
  const cells = Object.fromEntries(operation.inputs.map(({ name }) => [name, cell]));
  const plausible = Object.fromEntries(operation.inputs.map(({ name }) => [name, PLAUSIBLE[name] ?? cell]));
  return fc.oneof(
    fc.record(cells, { requiredKeys: [] }),
    fc.record(plausible, { requiredKeys: [] }),
  ) as fc.Arbitrary<RowInput>;
}

/** Cells that an arbitrary one would rarely be, for inputs that are needed at the same time. */
const PLAUSIBLE: Readonly<Record<string, fc.Arbitrary<string>>> = {
  email: fc.constantFrom('jo@x.org', 'Flo@X.org'),
  role: fc.constantFrom('viewer', 'Editor', 'role:editor', 'admin'),
  project: fc.constantFrom('Alpha', 'Gamma'),
  project_id: fc.constantFrom('proj-1', 'proj-2', ''),
  user_id: fc.constantFrom('u-1', 'u-2', ''),
  invite_code: fc.constantFrom('code-1', 'code-2'),
  name: fc.constantFrom('Alpha', 'Gamma'),
};

/**
 * What `next` is given for a row, as a run would have it: prepared, or for a change resolved and kept as JSON; undefined
 * when the row is invalid.
 */
function workOf(operation: Operation, row: RowInput, known: readonly KnownSubject[]): unknown {
  const prepared = operation.preparer(OPTIONS)(row);
  if (prepared.kind === 'invalid' || operation.change === undefined) {
    return prepared.kind === 'invalid' ? undefined : prepared.input;
  }
  const resolved = operation.change.resolve(prepared.input, new Team(known), OPTIONS);
  if (resolved.kind === 'invalid') return undefined;
  const kept: unknown = JSON.parse(JSON.stringify(resolved.input));
  expect(kept).toEqual(resolved.input);
  return kept;
}

const answer: fc.Arbitrary<Answer> = fc.oneof(
  fc.constant<Answer>({ kind: 'no_match' }),
  fc.string().map((words): Answer => ({ kind: 'refused', findings: finding('told', { words }) })),
  fc
    .constantFrom({}, [], null, 'text', { name: 'Acme' }, { project_id: 'p-new' }, { accepted: true })
    .map((fields): Answer => ({ kind: 'found', fields })),
);

const identity = ({ operation, project, parameters, after }: Call): string =>
  canonicalJson([operation, project ?? null, parameters, after ?? null]);

/** Every step of a row whose calls get these answers in turn, the last of them again and again. */
function stepsOf(operation: Operation, input: unknown, answers: readonly Answer[]): readonly NextAction[] {
  const ledger = new Map<string, Answer>();
  const steps: NextAction[] = [];
  while (steps.length <= MOST_CALLS) {
    const step = operation.next(input, (call) => ledger.get(identity(call)));
    steps.push(step);
    if (step.kind === 'end') break;
    ledger.set(identity(step.call), answers[ledger.size] ?? answers.at(-1) ?? { kind: 'no_match' });
  }
  return steps;
}

describe.each([...operations])('%s', (_, operation) => {
  test('an operation names its inputs, and recognises a column that bears the name of one', () => {
    expect(operation.inputs.length).toBeGreaterThan(0);
    for (const input of operation.inputs) {
      expect(input.name).toMatch(/^[a-z]+(?:_[a-z]+)*$/);
      expect(input.about).toMatch(/\S/);
      expect(input.aliases).toContain(input.name.replaceAll('_', ''));
      for (const alias of input.aliases) expect(alias).toMatch(/^[a-z0-9]+$/);
    }
  });

  test('an operation never takes one column for two inputs', () => {
    const aliases = operation.inputs.flatMap((input) => input.aliases);
    expect(aliases.filter((alias, place) => aliases.indexOf(alias) !== place)).toEqual([]);
    const names = operation.inputs.map((input) => input.name);
    expect(new Set(names).size).toBe(names.length);
  });

  test('an operation prepares any row, always alike, or says why it cannot', () => {
    fc.assert(
      fc.property(rowOf(operation), (row) => {
        for (const options of [{}, OPTIONS]) {
          const prepared = operation.preparer(options)(row);
          expect(operation.preparer(options)(row)).toEqual(prepared);
          if (prepared.kind === 'invalid') expect(sayAll(prepared.findings, 'file')).toMatch(/\S/);
        }
      }),
    );
  });

  test('an operation ends every row within 20 calls, asks nothing twice, and gives the same steps to the same answers', () => {
    let calls = 0;
    fc.assert(
      fc.property(
        rowOf(operation),
        team,
        fc.array(answer, { minLength: 1, maxLength: MOST_CALLS }),
        (row, known, answers) => {
          const work = workOf(operation, row, known);
          if (work === undefined) return;
          const steps = stepsOf(operation, work, answers);
          expect(steps.at(-1)?.kind).toBe('end');
          expect(stepsOf(operation, work, answers)).toEqual(steps);
          const asked = steps.flatMap((step) => (step.kind === 'send' ? [identity(step.call)] : []));
          expect(new Set(asked).size).toBe(asked.length);
          calls += asked.length;
        },
      ),
    );
    // Rows that were all invalid would have proven nothing.
    expect(calls).toBeGreaterThan(0);
  });

  test('an operation describes each call that it makes, and each with all parameters that it has', () => {
    const { calls } = operation.described;
    fc.assert(
      fc.property(rowOf(operation), team, fc.array(answer, { minLength: 1 }), (row, known, answers) => {
        const work = workOf(operation, row, known);
        if (work === undefined) return;
        for (const step of stepsOf(operation, work, answers)) {
          if (step.kind === 'end') continue;
          const { operation: name, parameters, change } = step.call;
          expect(Object.keys(calls)).toContain(name);
          const { parameters: alone, together = [], changes } = calls[name] ?? {};
          // A dialect writes a role as permissions.
          const sent = Object.keys(parameters).map((name) => (name === 'role' ? 'permissions' : name));
          if (alone !== undefined) expect([...alone, ...together]).toEqual(expect.arrayContaining(sent));
          expect(changes === undefined).toBe(change === undefined);
        }
      }),
    );
  });

  test('an operation asks only what a built-in dialect of its vendor can send', () => {
    const spoken = [...dialects.values()].filter(({ vendor }) => vendor === operation.vendor);
    fc.assert(
      fc.property(rowOf(operation), team, fc.array(answer, { minLength: 1 }), (row, known, answers) => {
        const work = workOf(operation, row, known);
        if (work === undefined) return;
        for (const step of stepsOf(operation, work, answers)) {
          if (step.kind === 'end') continue;
          const isSpoken = spoken.some((dialect) => step.call.operation in dialect.operations);
          expect(isSpoken || OF_FILES.includes(operation.name)).toBe(true);
          expect(Object.keys(step.call.parameters)).not.toEqual([]);
        }
      }),
    );
  });
});

const changes = [...operations].filter(([, { change }]) => change !== undefined);

describe.each(changes)('%s, a change,', (_, operation) => {
  const steps = fc.tuple(rowOf(operation), team, fc.array(answer, { minLength: 1, maxLength: MOST_CALLS }));

  /** Every call of a row, with what is known of whom it is about. */
  function callsOf([row, known, answers]: readonly [RowInput, readonly KnownSubject[], readonly Answer[]]) {
    const work = workOf(operation, row, known);
    const all = work === undefined ? [] : stepsOf(operation, work, answers);
    return all.flatMap((step) => (step.kind === 'send' ? [step.call] : []));
  }

  test('a change says of every call what it does to whom, and by which number they stand', () => {
    fc.assert(
      fc.property(steps, ([row, known, answers]) => {
        const settled = new Map<string, number>();
        for (const { after, change, project } of callsOf([row, known, answers])) {
          const subject = change?.subject;
          if (subject === undefined) throw new Error('a call of a change without its change');
          expect(project).toBe(subject.project);
          const before = new Team(known).find(subject)?.sequence ?? 0;
          const earlier = settled.get(subjectText(subject)) ?? 0;
          expect(after).toBe(before + earlier);
          settled.set(subjectText(subject), earlier + 1);
        }
      }),
    );
  });

  test('a change is a call of another key once its subject has moved on', () => {
    fc.assert(
      fc.property(steps, ([row, known, answers]) => {
        const later = known.map((each) => ({ ...each, sequence: each.sequence + 10 }));
        const isKnown = ({ change }: Call) => change !== undefined && new Team(known).find(change.subject);
        const keys = new Set(callsOf([row, known, answers]).filter(isKnown).map(identity));
        for (const call of callsOf([row, later, answers])) expect(keys).not.toContain(identity(call));
      }),
    );
  });

  test('a change that sends a mail or makes what cannot be unmade is held when its answer is lost', () => {
    fc.assert(
      fc.property(steps, (each) => {
        for (const { operation: name, ifLost } of callsOf(each)) {
          if (name.startsWith('create-')) expect(ifLost).toBe('hold');
        }
      }),
    );
  });
});

test('operations that make the same call describe it alike', () => {
  const all = [...operations.values()].flatMap(({ described }) => Object.entries(described.calls));
  for (const [name, calls] of Map.groupBy(all, ([each]) => each))
    expect([name, new Set(calls.map(([, call]) => JSON.stringify(call))).size]).toEqual([name, 1]);
});
