import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalJson } from '../../src/call-key.ts';
import { type Dialect, dialectSchema } from '../../src/dialect.ts';
import { loadFamily } from '../../src/family.ts';
import type { Answer, Call, Operation, RowInput, Step } from '../../src/operation.ts';
import { validAbn } from '../abn-arbitrary.ts';

/**
 * Goal: whatever lies in `src/operations/` is a whole operation, so that adding one is one new file and no other edit.
 * Method: every operation is found by itself, fed rows of plausible and of arbitrary text, and its calls are answered
 * at random until each row ends.
 */

/** Rule 14 of a run: it ends. */
const MOST_CALLS = 20;

const operations = await loadFamily<Operation>(new URL('../../src/operations/', import.meta.url));
const dialects = await loadFamily<Dialect>(new URL('../../src/dialects/', import.meta.url), (exported) =>
  dialectSchema.parse(exported),
);

/** Cells that some operation can use, and cells that none can. */
const cell = fc.oneof(
  validAbn,
  fc.emailAddress(),
  fc.domain().map((host) => `jo@${host}`),
  fc.domain(),
  fc.webUrl(),
  fc.constantFrom('viewer', 'editor', 'admin', 'jo-citizen', 'Jo Citizen', '', ' '),
  fc.constantFrom('https://www.linkedin.com/in/jo-citizen', 'https://www.linkedin.com/company/acme'),
  fc.string({ unit: 'binary' }),
);

/** A row in which any of the operation's columns may be missing. */
function rowOf(operation: Operation): fc.Arbitrary<RowInput> {
  const cells = Object.fromEntries(operation.inputs.map(({ name }) => [name, cell]));
  return fc.record(cells, { requiredKeys: [] }) as fc.Arbitrary<RowInput>;
}

const answer: fc.Arbitrary<Answer> = fc.oneof(
  fc.constant<Answer>({ kind: 'no_match' }),
  fc.string().map((words): Answer => ({ kind: 'refused', words })),
  fc
    .constantFrom({}, [], null, 'text', { name: 'Acme' })
    .map((fields): Answer => ({ kind: 'found', fields })),
);

const identity = ({ operation, project, parameters, after }: Call): string =>
  canonicalJson([operation, project ?? null, parameters, after ?? null]);

/** Every step of a row whose calls get these answers in turn, the last of them again and again. */
function stepsOf(operation: Operation, input: unknown, answers: readonly Answer[]): readonly Step[] {
  const ledger = new Map<string, Answer>();
  const steps: Step[] = [];
  while (steps.length <= MOST_CALLS) {
    const step = operation.next(input, (call) => ledger.get(identity(call)));
    steps.push(step);
    if (step.kind === 'end') break;
    ledger.set(identity(step.call), answers[ledger.size] ?? answers.at(-1) ?? { kind: 'no_match' });
  }
  return steps;
}

test('there are operations, and dialects to send them by', () => {
  expect(operations.size).toBeGreaterThan(0);
  expect(dialects.size).toBeGreaterThan(0);
});

describe.each([...operations])('%s', (name, operation) => {
  test('can be typed and is described by one sentence', () => {
    expect(name).toMatch(/^[a-z]+(?:-[a-z]+)*$/);
    expect(operation.summary).toMatch(/^[A-Z][^\n]*[^.\s]\.$/);
  });

  test('names its inputs, and recognises a column that bears the name of one', () => {
    expect(operation.inputs.length).toBeGreaterThan(0);
    for (const input of operation.inputs) {
      expect(input.name).toMatch(/^[a-z]+(?:_[a-z]+)*$/);
      expect(input.about).toMatch(/\S/);
      expect(input.aliases).toContain(input.name.replaceAll('_', ''));
      for (const alias of input.aliases) expect(alias).toMatch(/^[a-z0-9]+$/);
    }
  });

  test('never takes one column for two inputs', () => {
    const aliases = operation.inputs.flatMap((input) => input.aliases);
    expect(aliases.filter((alias, place) => aliases.indexOf(alias) !== place)).toEqual([]);
    const names = operation.inputs.map((input) => input.name);
    expect(new Set(names).size).toBe(names.length);
  });

  test('has only inputs of its own in a waterfall', () => {
    const names = operation.inputs.map((input) => input.name);
    expect(operation.tiers.filter((tier) => !names.includes(tier))).toEqual([]);
  });

  test('prepares any row, always alike, or says why it cannot', () => {
    fc.assert(
      fc.property(rowOf(operation), (row) => {
        const prepared = operation.prepare(row, {});
        expect(operation.prepare(row, {})).toEqual(prepared);
        if (prepared.kind === 'invalid') expect(prepared.reason).toMatch(/\S/);
      }),
    );
  });

  test('ends every row within 20 calls, asks nothing twice, and gives the same steps to the same answers', () => {
    let calls = 0;
    fc.assert(
      fc.property(
        rowOf(operation),
        fc.array(answer, { minLength: 1, maxLength: MOST_CALLS }),
        (row, answers) => {
          const prepared = operation.prepare(row, {});
          if (prepared.kind === 'invalid') return;
          const steps = stepsOf(operation, prepared.input, answers);
          expect(steps.at(-1)?.kind).toBe('end');
          expect(stepsOf(operation, prepared.input, answers)).toEqual(steps);
          const asked = steps.flatMap((step) => (step.kind === 'send' ? [identity(step.call)] : []));
          expect(new Set(asked).size).toBe(asked.length);
          calls += asked.length;
        },
      ),
    );
    // Rows that were all invalid would have proven nothing.
    expect(calls).toBeGreaterThan(0);
  });

  test('asks only what a built-in dialect of its vendor can send', () => {
    const known = [...dialects.values()].filter(({ vendor }) => vendor === operation.vendor);
    fc.assert(
      fc.property(rowOf(operation), fc.array(answer, { minLength: 1 }), (row, answers) => {
        const prepared = operation.prepare(row, {});
        if (prepared.kind === 'invalid') return;
        for (const step of stepsOf(operation, prepared.input, answers)) {
          if (step.kind === 'end') continue;
          expect(known.filter((dialect) => step.call.operation in dialect.operations)).not.toEqual([]);
          expect(Object.keys(step.call.parameters)).not.toEqual([]);
        }
      }),
    );
  });
});
