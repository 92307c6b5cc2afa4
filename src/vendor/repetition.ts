import type { Call } from '../core/operation.ts';
import type { Dialect, DialectOperation } from './dialect.ts';
import { dialectOperationOf } from './request.ts';

/** How an attempt stands to earlier ones of its call that were lost. */
export interface Repetition {
  readonly isRepeated: boolean;
  /** To the byte, under the idempotency key of the lost one. */
  readonly underKey: boolean;
}

/**
 * What answers mean to a repeat. A lost request goes where it went before, so a redirect of it is not followed. And a
 * 409 to it is no answer: that is how vendors say that they are still at work on the first request under the key.
 */
export function operationFor(
  dialect: Dialect,
  call: Call,
  { isRepeated, underKey }: Repetition,
): DialectOperation {
  const operation = dialectOperationOf(dialect, call);
  if (!isRepeated) return operation;
  const { redirect, repeated = [], answers = [], ...rest } = operation;
  if (underKey) return { ...rest, answers: [...repeated, ...answers, { status: [409], means: 'in_doubt' }] };
  return { ...rest, ...(redirect === undefined ? {} : { redirect }), answers: [...repeated, ...answers] };
}
