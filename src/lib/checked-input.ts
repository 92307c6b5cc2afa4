import type { z } from 'zod';
import { stop } from '../core/errors.ts';
import { problemOf } from './yaml/schema-problem.ts';

/**
 * Looks at what a program passes as the command line looks at its flags. A type does not hold at run time: a
 * limit that is no number would compare as false everywhere, and so limit nothing.
 * @returns what the schema makes of it.
 * @throws StopError `usage` with what of it is wrong.
 */
export function checkInput<Input extends z.ZodObject>(
  call: string,
  input: Input,
  given: unknown,
): z.output<Input> {
  const asked = given ?? {};
  const { data, error } = input.safeParse(asked);
  if (error === undefined) return data;
  const { keys, fact, next } = problemOf(input, asked, error.issues);
  // An option that is missing has no place of its own.
  throw stop('usage', `${call}: ${fact}.`, keys.length === 0 ? `Pass it to ${call}.` : next);
}
