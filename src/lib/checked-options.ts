import { z } from 'zod';
import { stop } from '../core/errors.ts';
import { DELIMITER_NAMES, ENCODINGS } from '../core/format.ts';
import { type Credits, credits } from '../core/ids.ts';
import { suggestion } from '../core/nearest.ts';
import { isObject } from '../core/objects.ts';
import { readHeaderRows, readRowRange } from '../core/row-range.ts';
import { namesAt } from './yaml/schema-problem.ts';

/**
 * What a program passes to the library is looked at as the command line looks at its flags. A type does not hold at run
 * time: a limit that is no number would compare as false everywhere, and so limit nothing.
 */

/** One for every option that a call has. */
export type Checks<Request> = Readonly<Record<keyof Request & string, z.ZodType>>;

/** @throws StopError `usage` with the option. */
export function checkOptions<Request extends object>(
  call: string,
  request: Request,
  checks: Checks<Request>,
): void {
  const options = z.strictObject(checks);
  const issue = options.safeParse(request, { reportInput: true }).error?.issues[0];
  if (issue === undefined) return;
  const at = issue.path.join('.');
  if (issue.code === 'unrecognized_keys') {
    const [name = ''] = issue.keys;
    const fact = at === '' ? `${call} has no option ${name}.` : `${at} has no member ${at}.${name}.`;
    throw stop('usage', fact, suggestion(name, namesAt(options, request, issue.path)));
  }
  if (at === '') {
    const needed = Object.entries<z.ZodType>(checks).filter(
      ([, check]) => !check.safeParse(undefined).success,
    );
    const names = needed.map(([name]) => name).join(' and ');
    throw stop('usage', `${call} was called without options.`, `Give ${names}.`);
  }
  if (issue.input === undefined) throw stop('usage', `${at} is missing.`, `Give ${call} its ${at}.`);
  const { what, example } = issue.code === 'custom' ? (issue.params as Wanted) : MEMBERS;
  const fact = `${at} ${shown(issue.input)} is not ${what}.`;
  throw stop('usage', fact, `Give ${at} as ${what}, such as ${example}.`);
}

/** Short, and never a value that could hold a secret: of objects only what they are. */
function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 40));
  if (typeof value === 'object') return value === null ? 'null' : 'of an object';
  return typeof value === 'function' ? 'of a function' : String(value);
}

interface Wanted {
  /** The words that follow "is not". */
  readonly what: string;
  /** The words that follow "such as". */
  readonly example: string;
}

/** An option that may be left out. It is wrong as a whole, in our words. */
export function option(schema: z.ZodType, what: string, example: string): z.ZodOptional {
  const params: Wanted = { what, example };
  return z.custom((value) => schema.safeParse(value).success, { params }).optional();
}

const MEMBERS: Wanted = { what: 'an object', example: '{}' };

/** An object whose members are checked by name as well. */
const members = (checks: Readonly<Record<string, z.ZodType>>): z.ZodOptional =>
  z.strictObject(checks).optional();

export const text = option(z.string(), 'a text', '"leads.csv"');

export const texts = option(z.array(z.string()).min(1), 'a list of texts', '["night.yaml"]');

/** Each member is checked where it is used, with its own words. */
export const values = option(z.array(z.looseObject({})), 'a list of objects', '[defineOperation({ … })]');

export const flag = option(z.boolean(), 'true or false', 'true');

export const called = option(
  z.custom((value) => typeof value === 'function'),
  'a function',
  '() => {}',
);

/** A path, what can be written to, or `false` for nothing. */
export const target = option(
  z.custom((value) => value === false || typeof value === 'string' || (isObject(value) && 'write' in value)),
  'a path, a stream or false',
  '"out.csv"',
);

export const signal = option(z.instanceof(AbortSignal), 'an AbortSignal', 'new AbortController().signal');

export const timepiece = option(
  z.custom((value) => isObject(value) && 'wallMs' in value),
  'a clock',
  'systemClock',
);

export const amount = option(z.int().min(0), 'a whole number of credits', '500');

export const rows = option(z.int().min(0), 'a whole number of rows', '500');

/** Of no row nothing would be done. */
export const someRows = option(z.int().min(1), 'a whole number of rows above 0', '50');

export const milliseconds = option(z.number().min(0), 'a time in milliseconds', '60000');

export const oneOfWords = (words: readonly string[]): z.ZodOptional =>
  option(z.enum(words), `one of ${words.join(', ')}`, words[0] ?? '');

const headerRows = option(
  z.string().refine((value) => readHeaderRows(value) !== undefined),
  'a row, or two rows in sequence',
  '"3-4"',
);

const rowRange = option(
  z.string().refine((value) => readRowRange(value) !== undefined),
  'the first and the last row of a table',
  '"5-210"',
);

/** How a file is read, by the names of the library. */
export const reading = members({
  encoding: oneOfWords(ENCODINGS),
  delimiter: oneOfWords(DELIMITER_NAMES),
  skipLines: rows,
  headerRow: headerRows,
  rows: rowRange,
  ragged: oneOfWords(['pad']),
  sheet: text,
  country: text,
  strict: flag,
});

const textByName = option(z.record(z.string(), z.string()), 'an object of texts', '{ domain: "Webseite" }');

/** Entries of a job, by the names of its file. */
export const jobEntries = members({
  columns: textByName,
  add: textByName,
  waterfall: texts,
  role: text,
  roles: textByName,
});

/**
 * An amount of money for the library. @throws StopError `usage` for what is no whole number of at least 0.
 * @example
 * const budget = credits(100);
 */
export function checkedCredits(value: number): Credits {
  checkOptions('credits', { credits: value }, { credits: amount.nonoptional() });
  return credits(value);
}
