import { listAround, textAt, valueAt } from '../core/answer-body.ts';
import { valuesAt } from '../core/answer-path.ts';
import { isCheck, wantedOf } from '../core/given.ts';
import type { JsonValue } from '../core/operation.ts';
import { holdsNothing } from '../values/blank.ts';
import { type Found, foundAmong } from '../values/found.ts';
import type { DialectOperation } from './dialect.ts';

/** What an answer has at the places that `gives` of a dialect names. */

/**
 * What stands where the dialect's `gives` leads. `blank`: the place is there, with nothing in it. `absent`:
 * no such place is there. `other`: nothing of the kind that was looked for. `odd`: a verdict that the dialect
 * has no word for.
 */
export type GivenValue = 'filled' | 'blank' | 'absent' | 'other' | 'odd';

/** Undefined for an operation whose dialect does not say where a value stands. */
export function givenIn(
  body: JsonValue | undefined,
  { gives, verdicts, then }: DialectOperation,
  operation: string,
): GivenValue | undefined {
  if (then !== undefined) return idIn(body, then.id);
  if (gives === undefined) return undefined;
  const found = wantedIn(gives, operation).map((name) => readAt(body, gives, name, verdicts)?.kind);
  if (found.includes('found')) return 'filled';
  if (found.includes('other')) return isCheck(operation) ? 'odd' : 'other';
  return found.includes('blank') ? 'blank' : 'absent';
}

type Gives = NonNullable<DialectOperation['gives']>;

/** The value without which nothing was found, or else all of them: any one will do. */
function wantedIn(gives: Gives, operation: string): readonly string[] {
  const wanted = wantedOf(operation);
  return wanted === undefined ? Object.keys(gives) : [wanted];
}

function readAt(
  body: JsonValue | undefined,
  gives: Gives,
  name: string,
  verdicts: DialectOperation['verdicts'],
): Found | undefined {
  const values = valuesAt(body, gives[name] ?? '').map(({ value }) => value);
  return foundAmong(values, { name, verdicts });
}

export interface SoldValue {
  readonly name: string;
  readonly value: JsonValue;
}

/**
 * What was sold in the place of what was looked for, where nothing there is of its kind: the name of what was
 * looked for, and what stands there.
 */
export function otherIn(
  body: JsonValue | undefined,
  entry: DialectOperation,
  operation: string,
): SoldValue | undefined {
  const { gives, verdicts } = entry;
  if (gives === undefined || givenIn(body, entry, operation) !== 'other') return undefined;
  for (const name of wantedIn(gives, operation)) {
    const found = readAt(body, gives, name, verdicts);
    if (found?.kind === 'other') return { name, value: found.value };
  }
  return undefined;
}

/** An empty list is the place of an id, with nothing in it. */
function idIn(body: JsonValue | undefined, path: string): GivenValue {
  const id = valueAt(body, path);
  if (!holdsNothing(id)) return textAt(body ?? null, path) === undefined ? 'absent' : 'filled';
  return id !== undefined || listAround(body, path)?.length === 0 ? 'blank' : 'absent';
}

/** The word in the place of the verdict that the dialect does not have; undefined for any other answer. */
export function oddVerdictIn(
  body: JsonValue | undefined,
  operation: DialectOperation,
  name: string,
): string | undefined {
  if (givenIn(body, operation, name) !== 'odd') return undefined;
  return String(valueAt(body, operation.gives?.verdict ?? ''));
}
