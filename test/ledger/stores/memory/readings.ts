import { invariant } from '../../../../src/core/errors.ts';
import { type Closure, credits, isAnswer, type Reading } from '../../../../src/ledger/ledger.ts';
import type { KeptAttempt, MemoryBook } from './book.ts';

/** What answers are read as after they were settled. */

/** @returns the attempt, and what is booked of it now. @throws Error for what is never read again. */
export function addReading(book: MemoryBook, { showsPrice: _, ...reading }: Reading) {
  const attempt = book.attempt(reading.attempt);
  invariant(attempt !== undefined && isReadable(book, attempt), 'only an answer is read again');
  invariant(attempt.call.subject === undefined, 'the answer to a change is never read again');
  const wasAnswer = attempt.closure?.kind === 'answered' || attempt.read;
  invariant(wasAnswer || isAnswer(reading.answer), 'only what was an answer turns out to be none');
  const before = book.booked(attempt);
  const charged = credits(Math.max(reading.charged, before));
  const isLost = attempt.closure?.kind === 'in_doubt';
  if (charged > 0 && (charged !== reading.charged || charged !== before || isLost)) book.estimate(attempt);
  book.readings.push({ ...reading, charged });
  if (attempt.call.doubt === attempt) {
    attempt.read = true;
    Object.assign(attempt.call, { answer: attempt, doubt: undefined });
  }
  return { attempt, charged };
}

/** A settled answer, or a reply that the call is in doubt about and that repeats no earlier request. */
function isReadable(book: MemoryBook, attempt: KeptAttempt): boolean {
  const { call, reply, closure, read, retracted } = attempt;
  if (retracted) return false;
  if (closure?.kind === 'answered' || read) return true;
  return call.doubt === attempt && reply !== undefined && book.repeated(attempt).length === 0;
}

/** Whether all that was ever said of an attempt is that it found nothing and cost nothing. */
export function isFree(
  book: MemoryBook,
  { id, closure }: KeptAttempt,
  answer: 'no_match' | 'refused',
): boolean {
  const said: readonly (Closure | Reading | undefined)[] = [
    closure,
    ...book.readings.filter(({ attempt }) => attempt === id),
  ];
  return said.every(
    (each) => each !== undefined && 'answer' in each && each.answer === answer && each.charged === 0,
  );
}
