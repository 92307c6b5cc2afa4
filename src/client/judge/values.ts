import { isObject } from '../../core/objects.ts';
import type { JsonValue } from '../../core/operation.ts';
import { wordsIn } from '../../core/plain-text.ts';
import type { Asked } from './asked.ts';
import { plainValue } from './plain.ts';

/** What a single value of an answer says, whatever its name: true or false, a time, nothing at all, or whom it is about. */

/** The status of a request that was accepted, of which nothing is done yet. */
export const ACCEPTED = 202;

export function truthOf(value: JsonValue): boolean | undefined {
  if (typeof value === 'number') return value !== 0;
  const text = typeof value === 'string' ? value.trim().toLowerCase() : value;
  if (text === true || text === 'true' || text === '1' || text === 'yes' || text === 'y') return true;
  return text === false || text === 'false' || text === '0' || text === 'no' || text === 'n'
    ? false
    : undefined;
}

/** When it was done. */
const DATE = /^\d{4}-\d\d-\d\d/;

/** Whether it was done, as true, a number, a date, or by naming whom; `other` when it does not name whom we sent. */
export function effectOf(value: JsonValue, asked: Asked): boolean | 'other' | undefined {
  if (Array.isArray(value)) {
    if (value.length === 0) return false;
    const named = value.filter((each) => typeof each === 'string' || typeof each === 'number');
    return named.length === 0 || named.some((each) => asked.includes(each)) ? true : 'other';
  }
  if (typeof value === 'string' && value.trim() !== '') {
    const isOurs = asked.includes(value) || DATE.test(value.trim());
    return isOurs ? true : (truthOf(value) ?? 'other');
  }
  return isObject(value) && Object.keys(value).length > 0 ? true : truthOf(value);
}

/** Under `error`, these say that there was none. */
const NO_ERROR: ReadonlySet<string> = new Set(
  wordsIn('none no n null nil false ok success na noerror noerrors 0'),
);

/** Whether a value says anything, as an empty list of errors does not. */
export function isFilled(value: JsonValue): boolean {
  if (value === null || value === false || value === 0) return false;
  if (typeof value === 'string')
    return value.trim() !== '' && !NO_ERROR.has(plainValue(value).replace(/^0+$/, '0'));
  return typeof value !== 'object' || Object.values(value).some((each) => isFilled(each as JsonValue));
}

/** A day, or the seconds or milliseconds since 1970. */
export function isMoment(value: JsonValue): boolean {
  return typeof value === 'number' ? value >= 1e9 : typeof value === 'string' && DATE.test(value.trim());
}

export function textsIn(value: JsonValue): readonly string[] {
  if (typeof value === 'string') return [value];
  return value !== null && typeof value === 'object'
    ? Object.values(value).flatMap((each) => textsIn(each as JsonValue))
    : [];
}
