import service from '../../src/client/dialects/service.ts';
import { callKeyOf } from '../../src/core/call-key.ts';
import { finding } from '../../src/core/finding.ts';
import { type KnownSubject, type SubjectFacts, Team } from '../../src/core/membership.ts';
import type {
  Answer,
  Call,
  Operation,
  OperationOptions,
  PlannedWork,
  Prepared,
  RowInput,
} from '../../src/core/operation.ts';
import type { Outcome } from '../../src/core/row.ts';
import { stepIn } from '../../src/walk/dialect-step.ts';

/** Rows of a team, planned against what is known and worked off with answers that a test gives. */

export const PROJECT = 'proj-1';
export const OPTIONS: OperationOptions = { projectId: PROJECT, organizationId: 'org-1' };

/** Somebody in `PROJECT` whom the ledger knows. */
export function known(name: string, facts: SubjectFacts, more: Partial<KnownSubject> = {}): KnownSubject {
  return { subject: { project: PROJECT, name }, sequence: 1, changedAtMs: 1_000, facts, ...more };
}

export function invited(
  email: string,
  role: 'viewer' | 'editor' | 'admin',
  inviteCode = `code-${email}`,
): KnownSubject {
  return known(email, { state: 'invited', role, email, inviteCode });
}

export const DOUBT = { batch: 'b-9', row: 5, operation: 'create-invite' } as const;

/** The row as a run would be given it. What is kept is JSON, so it goes through JSON. */
export function planned(
  operation: Operation,
  row: RowInput,
  team: readonly KnownSubject[] = [],
  options: OperationOptions = OPTIONS,
): Prepared<PlannedWork> {
  const prepared = operation.preparer(options)(row);
  if (prepared.kind === 'invalid') return prepared;
  if (operation.change === undefined) throw new Error(`${operation.name} changes nothing`);
  const resolved = operation.change.resolve(prepared.input, new Team(team), options);
  return JSON.parse(JSON.stringify(resolved));
}

export interface Walked {
  readonly calls: readonly Call[];
  readonly outcome: Outcome;
}

/** An invite without anything in its answer is one that was accepted at once. */
export const FOUND: Answer = { kind: 'found', fields: { done: true } };
export const GONE: Answer = { kind: 'no_match', findings: finding('answer', { status: 404 }) };
export const refusal = (status: number): Answer => ({
  kind: 'refused',
  findings: finding('answer', { status }),
});

/** Answers each call in turn as the vendor's body says; what lacks an answer is done by the vendor. */
export function walk(operation: Operation, work: unknown, answers: readonly Answer[] = []): Walked {
  const ledger = new Map<string, Answer>();
  const calls: Call[] = [];
  for (;;) {
    const step = stepIn(service, operation, work, (call) => ledger.get(callKeyOf('a', call)));
    if (step.kind === 'end') return { calls, outcome: step.outcome };
    ledger.set(callKeyOf('a', step.call), answers[calls.length] ?? FOUND);
    calls.push(step.call);
  }
}

/** Plans a row and works it off. */
export function done(
  operation: Operation,
  row: RowInput,
  team: readonly KnownSubject[] = [],
  answers: readonly Answer[] = [],
  options: OperationOptions = OPTIONS,
): Walked {
  const work = planned(operation, row, team, options);
  if (work.kind === 'invalid') return { calls: [], outcome: work };
  return walk(operation, work.input, answers);
}

/** `delete-invite@1 code-1`: each call with the number it stands at and what it says. */
export function shown({ calls }: Walked): readonly string[] {
  return calls.map(({ operation, after, parameters }) =>
    [`${operation}@${after}`, ...Object.values(parameters)].join(' '),
  );
}
