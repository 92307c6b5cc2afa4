import { z } from 'zod';
import { stop } from '../core/errors.ts';
import { type Credits, credits } from '../core/ids.ts';
import { isObject } from '../core/objects.ts';
import { Reading } from '../core/reading.ts';
import { problemOf } from './yaml/schema-problem.ts';

/**
 * What a program passes to the library is looked at as the command line looks at its flags. A type does not hold at run
 * time: a limit that is no number would compare as false everywhere, and so limit nothing.
 */

export type Checks<Request> = Readonly<Record<keyof Request & string, z.ZodType>>;

export function checkOptions<Request extends object>(
  call: string,
  request: Request,
  checks: Checks<Request>,
): void {
  const options = z.strictObject(checks);
  const given = request ?? {};
  const { error } = options.safeParse(given);
  if (error === undefined) return;
  const { keys, fact, next } = problemOf(options, given, error.issues);
  // An option that is missing has no place of its own.
  throw stop('usage', `${call}: ${fact}.`, keys.length === 0 ? `Pass it to ${call}.` : next);
}

export const text = z.string().optional();

export const texts = z.array(z.string()).min(1).optional();

/** Each member is checked where it is used, with its own words. */
export const values = z.array(z.looseObject({})).optional();

export const flag = z.boolean().optional();

const ofKind = (isRight: (value: unknown) => boolean, kind: string): z.ZodOptional =>
  z.custom(isRight, { error: `it must be ${kind}` }).optional();

export const called = ofKind((value) => typeof value === 'function', 'a function');

export const target = ofKind(
  (value) => value === false || typeof value === 'string' || (isObject(value) && 'write' in value),
  'a path, a stream or false',
);

export const signal = ofKind((value) => value instanceof AbortSignal, 'an AbortSignal');

export const timepiece = ofKind((value) => isObject(value) && 'wallMs' in value, 'a clock');

export const amount = z.int().min(0).optional();

/** Of no row nothing would be done. */
export const someRows = z.int().min(1).optional();

export const milliseconds = z.number().min(0).optional();

export const oneOfWords = (words: readonly string[]): z.ZodOptional => z.enum(words).optional();

const textByName = z.record(z.string(), z.string()).optional();

export const reading = Reading.extend({ strict: flag }).optional();

export const jobEntries = z
  .strictObject({ columns: textByName, add: textByName, waterfall: texts, role: text, roles: textByName })
  .optional();

/**
 * An amount of money for the library. @throws StopError `usage` for what is no whole number of at least 0.
 * @example
 * const budget = credits(100);
 */
export function checkedCredits(value: number): Credits {
  checkOptions('credits', { value }, { value: amount.nonoptional() });
  return credits(value);
}
