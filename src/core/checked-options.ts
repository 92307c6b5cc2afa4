import { stop } from './errors.ts';
import { type Credits, credits } from './ids.ts';
import { suggestion } from './nearest.ts';

/**
 * What a program passes to the library is looked at as the command line looks at its flags. A type does not hold at run
 * time: a limit that is no number would compare as false everywhere, and so limit nothing.
 */

/** @returns what an option has to be when the value is not that: `a whole number`. Undefined is never asked about. */
export type Check = (value: unknown) => Wanted | undefined;

interface Wanted {
  /** The words that follow "is not". */
  readonly what: string;
  /** The words that follow "such as". */
  readonly example: string;
}

/** One for every option that a call has. */
export type Checks<Request> = Readonly<Record<keyof Request & string, Check>>;

/** @throws StopError `usage` with the option. */
export function checkOptions<Request extends object>(
  call: string,
  request: Request,
  checks: Checks<Request>,
  needed: readonly (keyof Request & string)[],
): void {
  if (typeof request !== 'object' || request === null) {
    throw stop('usage', `${call} was called without its options.`, `Give ${needed.join(' and ')}.`);
  }
  for (const name of needed) {
    if (request[name] === undefined) throw stop('usage', `${name} is missing.`, `Give ${call} its ${name}.`);
  }
  checkEach(`${call} has no option`, '', Object.entries(request), new Map(Object.entries<Check>(checks)));
}

function checkEach(
  unknown: string,
  prefix: string,
  given: readonly (readonly [string, unknown])[],
  checks: ReadonlyMap<string, Check>,
): void {
  for (const [name, value] of given) {
    const check = checks.get(name);
    if (check === undefined) {
      throw stop('usage', `${unknown} ${prefix}${name}.`, suggestion(name, [...checks.keys()]));
    }
    if (value !== undefined) require(`${prefix}${name}`, value, check);
  }
}

function require(name: string, value: unknown, check: Check): void {
  const wanted = check(value);
  if (wanted === undefined) return;
  const fact = `${name} ${shown(value)} is not ${wanted.what}.`;
  throw stop('usage', fact, `Give ${name} as ${wanted.what}, such as ${wanted.example}.`);
}

/** Short, and never a value that could hold a secret: of objects only what they are. */
function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 40));
  if (typeof value === 'object') return value === null ? 'null' : 'of an object';
  return typeof value === 'function' ? 'of a function' : String(value);
}

const isWhole = (value: unknown, least: number): boolean =>
  Number.isSafeInteger(value) && Number(value) >= least;

const unless = (holds: boolean, what: string, example: string): Wanted | undefined =>
  holds ? undefined : { what, example };

export const text: Check = (value) => unless(typeof value === 'string', 'a text', '"leads.csv"');

export const texts: Check = (value) =>
  unless(
    Array.isArray(value) && value.length > 0 && value.every((each) => text(each) === undefined),
    'a list of texts',
    '["night.yaml"]',
  );

export const flag: Check = (value) => unless(typeof value === 'boolean', 'true or false', 'true');

export const called: Check = (value) => unless(typeof value === 'function', 'a function', '() => {}');

/** A path, or what can be written to. */
export const target: Check = (value) =>
  unless(
    text(value) === undefined || (typeof value === 'object' && value !== null && 'write' in value),
    'a path or a stream',
    '"out.csv"',
  );

export const signal: Check = (value) =>
  unless(value instanceof AbortSignal, 'an AbortSignal', 'new AbortController().signal');

export const timepiece: Check = (value) =>
  unless(typeof value === 'object' && value !== null && 'wallMs' in value, 'a clock', 'systemClock');

export const amount: Check = (value) => unless(isWhole(value, 0), 'a whole number of credits', '500');

export const rows: Check = (value) => unless(isWhole(value, 0), 'a whole number of rows', '500');

/** None would be chosen, and nothing bought. */
export const sampleRows: Check = (value) => unless(isWhole(value, 1), 'a whole number of rows above 0', '50');

export const milliseconds: Check = (value) =>
  unless(
    typeof value === 'number' && Number.isFinite(value) && value >= 0,
    'a time in milliseconds',
    '60000',
  );

export const oneOfWords =
  (words: readonly string[]): Check =>
  (value) =>
    unless(typeof value === 'string' && words.includes(value), `one of ${words.join(', ')}`, words[0] ?? '');

/** An object whose members are checked by name as well. */
export const members =
  (name: string, checks: Readonly<Record<string, Check>>): Check =>
  (value) => {
    if (typeof value !== 'object' || value === null) return { what: 'an object', example: '{}' };
    checkEach(`${name} has no member`, `${name}.`, Object.entries(value), new Map(Object.entries(checks)));
    return undefined;
  };

/** An amount of money for the library. @throws StopError `usage` for what is no whole number of at least 0. */
export function checkedCredits(value: number): Credits {
  require('credits', value, amount);
  return credits(value);
}
