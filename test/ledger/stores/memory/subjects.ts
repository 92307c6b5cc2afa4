import { isDeepStrictEqual } from 'node:util';
import { invariant } from '../../../../src/core/errors.ts';
import type { SubjectDoubt, SubjectFacts } from '../../../../src/core/membership.ts';
import type { Admission, Intent, KnownSubject } from '../../../../src/ledger/ledger.ts';
import type { KeptAttempt, KeptSubject, MemoryBook } from './book.ts';

/** What changes alter, whether one may be sent now, and how the settled ones left it. */

export function refusedChange(
  book: MemoryBook,
  { accountIdentity, call, key }: Intent,
): Admission | undefined {
  const { change, after } = call;
  invariant(
    (change === undefined) === (after === undefined),
    'a call says what it changes and after what, or neither',
  );
  if (change === undefined || after === undefined) return undefined;
  const subject = book.subject(accountIdentity, change.subject);
  const sequence = subject.changes.length;
  invariant(after <= sequence, `a change is planned at ${after}, and its subject is at ${sequence}`);
  const last = subject.changes.at(-1);
  if (last !== undefined && after < sequence) return { kind: 'moved', by: last.attempt.intent.batch };
  const other = pending(book, subject).find((attempt) => attempt.call.key !== key);
  return other && { kind: 'subject_in_doubt', by: other.intent.batch, row: other.intent.row };
}

/** Changes of the subject that are in doubt, then those that are under way. */
function pending(book: MemoryBook, subject: KeptSubject): readonly KeptAttempt[] {
  const ofSubject = book.attempts.filter(({ call }) => call.subject === subject);
  const inDoubt = ofSubject.filter((attempt) => attempt.call.doubt === attempt);
  return [...inDoubt, ...ofSubject.filter(({ closure }) => closure === undefined)];
}

/**
 * To be called before the attempt becomes its call's answer. A change that has one was told about while it was being sent
 * again, and what was told stays.
 * @param left left out: as it was.
 */
export function moveSubject(attempt: KeptAttempt, left: SubjectFacts | undefined, atMs: number): void {
  if (attempt.call.answer !== undefined) return;
  const changes = attempt.call.subject?.changes;
  changes?.push({ attempt, facts: left ?? changes.at(-1)?.facts, atMs });
}

export function knownSubjects(book: MemoryBook, accountIdentity: string): readonly KnownSubject[] {
  return [...book.subjects.values()]
    .filter((kept) => kept.accountIdentity === accountIdentity)
    .map((kept) => knownSubject(book, kept))
    .filter(({ sequence, doubt }) => sequence > 0 || doubt !== undefined);
}

function knownSubject(book: MemoryBook, kept: KeptSubject): KnownSubject {
  const { subject, changes } = kept;
  const last = changes.findLast(({ facts }, at) => !isDeepStrictEqual(facts, changes[at - 1]?.facts));
  const [doubt] = pending(book, kept);
  return {
    subject,
    sequence: changes.length,
    ...(last?.facts === undefined ? {} : { facts: last.facts }),
    ...(last === undefined ? {} : { batch: last.attempt.intent.batch, changedAtMs: last.atMs }),
    ...(doubt === undefined ? {} : { doubt: doubtOf(doubt) }),
  };
}

function doubtOf(attempt: KeptAttempt): SubjectDoubt {
  const { intent, call } = attempt;
  const doubt = { batch: intent.batch, row: intent.row, operation: call.call.operation };
  return call.doubt === attempt ? doubt : { ...doubt, isOpen: true };
}
