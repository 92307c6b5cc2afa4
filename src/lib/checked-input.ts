import type { z } from 'zod';
import { stop } from '../core/errors.ts';
import { problemOf } from './yaml/schema-problem.ts';

/**
 * Checks the options of a program like the command line checks its flags. A type does not hold at run time: a
 * limit that is not a number would compare as false everywhere, and so limit nothing.
 * @returns the options as the schema reads them.
 * @throws StopError `usage` with the option that is wrong.
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
