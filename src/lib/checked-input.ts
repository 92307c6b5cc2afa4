import { z } from 'zod';
import { stop } from '../core/errors.ts';
import { type Credits, credits } from '../core/ids.ts';
import { problemOf } from './yaml/schema-problem.ts';

/**
 * Looks at what a program passes as the command line looks at its flags. A type does not hold at run time: a limit that is no number
 * would compare as false everywhere, and so limit nothing.
 * @returns what the schema makes of it. @throws StopError `usage` with what of it is wrong.
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

/** An amount of money for the library. @throws StopError `usage` for what is no whole number of at least 0. */
export function checkedCredits(value: number): Credits {
  return credits(checkInput('credits', z.strictObject({ value: z.int().min(0) }), { value }).value);
}
