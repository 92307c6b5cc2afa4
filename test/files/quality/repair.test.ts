/**
 * Goal: a repaired row is asked about as it was meant, says so in its reason, and everything else of the operation stays
 * as it was.
 * Method: operations that only read and one that changes, with rows that are damaged and rows that are not.
 */
import { expect, test } from 'vitest';
import type { Answer, Call, RowInput } from '../../../src/core/operation.ts';
import { isRowRepaired, repairing } from '../../../src/files/quality/repair.ts';
import createProject from '../../../src/operations/create-project.ts';
import enrichCompany from '../../../src/operations/enrich-company.ts';
import enrichPerson from '../../../src/operations/enrich-person.ts';
import inviteUser from '../../../src/operations/invite-user.ts';
import { planned, walk } from '../../operations/team.ts';

/** The first call of a row, and how the row ends when that is answered so. */
function asked(operation: typeof enrichPerson, row: RowInput, answer: Answer) {
  const repaired = repairing(operation);
  const prepared = repaired.prepare(row, {});
  if (prepared.kind === 'invalid') throw new Error(prepared.reason);
  const first = repaired.next(prepared.input, () => undefined);
  const last = repaired.next(prepared.input, () => answer);
  return {
    parameters: (first.kind === 'send' ? first.call : undefined)?.parameters,
    outcome: last.kind === 'end' ? last.outcome : undefined,
  };
}

const FOUND: Answer = { kind: 'found', fields: {} };

test('the repaired cell is sent, and the reason says what it was read as', () => {
  expect(asked(enrichPerson, { email: 'Jo <Jo@x.com>' }, FOUND)).toEqual({
    parameters: { email: 'jo@x.com' },
    outcome: { kind: 'matched', matchedBy: 'email', reason: 'e-mail read as Jo@x.com' },
  });
});

test('what else there is to say of the row is said first', () => {
  const { outcome } = asked(enrichPerson, { email: 'jo@x.com.' }, { kind: 'no_match' });
  expect(outcome?.reason).toBe('no match by email; e-mail read as jo@x.com');
});

test('an identifier that is derived from a repaired cell is derived from what it was read as', () => {
  const { parameters, outcome } = asked(enrichCompany, { website: '"acme.org.au";' }, FOUND);
  expect(parameters).toEqual({ domain: 'acme.org.au' });
  expect(outcome?.reason).toBe('website read as acme.org.au');
});

test('a row without sure damage is left as it is, candidates or not', () => {
  expect(asked(enrichPerson, { email: 'jo@x.com' }, FOUND).outcome).toEqual({
    kind: 'matched',
    matchedBy: 'email',
  });
  expect(repairing(enrichCompany).prepare({ abn: '51824753557' }, {})).toEqual({
    kind: 'invalid',
    reason: 'no usable identifier: ABN 51 824 753 557: the checksum fails',
  });
  expect(isRowRepaired(enrichCompany, { abn: '51824753557' })).toBe(false);
  expect(isRowRepaired(enrichCompany, { abn: '51824753556.0' })).toBe(true);
});

test('a change is made for whom the repaired cell means, also after its plan was kept as JSON', () => {
  const operation = repairing(inviteUser);
  const work = planned(operation, { email: 'Jo <jo@x.com>', role: 'editor' });
  if (work.kind === 'invalid') throw new Error(work.reason);
  const { calls, outcome } = walk(operation, work.input);
  expect(calls.map(({ parameters }: Call) => parameters.email)).toEqual(['jo@x.com']);
  expect(outcome).toMatchObject({ kind: 'applied', reason: 'invited as editor; e-mail read as jo@x.com' });
});

test('a change that needs no repair, and one whose row is refused, are those of the operation itself', () => {
  const operation = repairing(inviteUser);
  for (const email of ['jo@x.com', 'jo'])
    expect(planned(operation, { email, role: 'editor' })).toEqual(
      planned(inviteUser, { email, role: 'editor' }),
    );
  const plain = { name: 'CafÃ©', description: '' };
  expect(planned(repairing(createProject), plain)).toEqual(planned(createProject, plain));
});
