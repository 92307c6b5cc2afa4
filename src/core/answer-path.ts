import type { JsonObject, JsonValue } from './operation.ts';

/**
 * Paths into an answer, as a dialect or a job writes them: `location.state`, `emails.0`. The path
 * `contacts[type=email].value` leads to those members of a list with the `type` `email`. Only own members
 * count.
 */

/** A value of an answer, and the path at which it stands, by the numbers of lists: `contacts.2.value`. */
export interface PlacedValue {
  readonly value: JsonValue;
  readonly at: string;
}

/** `type=email`: the members of a list in which this stands there. Letter case does not count. */
interface Condition {
  readonly path: string;
  readonly text: string;
}

interface PathStep {
  /** Blank for a condition on a body that is a list itself. */
  readonly name: string;
  readonly conditions: readonly Condition[];
}

const CONDITION = /\[([^[\]=]+)=([^[\]]*)\]/g;
const CONDITIONS = /(?:\[[^[\]=]+=[^[\]]*\])+$/;

/** A dot in a condition separates no steps. */
const SEPARATOR = /\.(?![^[\]]*\])/;

/** Whether a path leads through a list by what stands there. */
export const hasCondition = (path: string): boolean => path.includes('[') && stepsIn(path).some(isOfList);

const isOfList = ({ conditions }: PathStep): boolean => conditions.length > 0;

function stepsIn(path: string): readonly PathStep[] {
  return path.split(SEPARATOR).map((step) => {
    const [written = ''] = CONDITIONS.exec(step) ?? [];
    const conditions = [...written.matchAll(CONDITION)].map(([, at = '', text = '']) => {
      return { path: at.trim(), text: comparedText(text) };
    });
    return { name: step.slice(0, step.length - written.length), conditions };
  });
}

/** What the conditions of a path compare with, and its last name: `email` and `value`. */
export function wordsOfPlace(path: string): {
  readonly conditions: readonly string[];
  readonly last: string;
} {
  const steps = stepsIn(path);
  const conditions = steps.flatMap((step) => step.conditions.map(({ text }) => text));
  return { conditions, last: steps.at(-1)?.name ?? '' };
}

const comparedText = (text: string): string => text.trim().toLowerCase();

/** The values at a path, in their order: several where a condition fits several members of a list. */
export function valuesAt(value: JsonValue | undefined, path: string): readonly PlacedValue[] {
  if (value === undefined) return [];
  if (!path.includes('[')) return placed(memberAt(value, path), path);
  let found: readonly PlacedValue[] = [{ value, at: '' }];
  for (const step of stepsIn(path)) found = found.flatMap((each) => stepInto(each, step));
  return found;
}

function stepInto({ value, at }: PlacedValue, { name, conditions }: PathStep): readonly PlacedValue[] {
  const isHere = name === '' && conditions.length > 0;
  const there = isHere ? value : memberOf(value, name);
  const path = isHere ? at : joined(at, name);
  if (conditions.length === 0) return placed(there, path);
  if (!Array.isArray(there)) return [];
  return (there as readonly JsonValue[]).flatMap((member, nth) =>
    conditions.every((each) => fits(member, each)) ? [{ value: member, at: joined(path, String(nth)) }] : [],
  );
}

function fits(member: JsonValue, { path, text }: Condition): boolean {
  const value = memberAt(member, path);
  return value !== undefined && typeof value !== 'object' && comparedText(String(value)) === text;
}

const placed = (value: JsonValue | undefined, at: string): readonly PlacedValue[] =>
  value === undefined ? [] : [{ value, at }];

const joined = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

/** The value at a path without conditions. */
export function memberAt(value: JsonValue | undefined, path: string): JsonValue | undefined {
  if (!path.includes('.')) return memberOf(value, path);
  let found = value;
  for (const name of path.split('.')) found = memberOf(found, name);
  return found;
}

function memberOf(value: JsonValue | undefined, name: string): JsonValue | undefined {
  if (value === null || typeof value !== 'object' || !Object.hasOwn(value, name)) return undefined;
  return (value as { readonly [name: string]: JsonValue })[name];
}

/**
 * The body with a value at a path: into the member of a list that the conditions name, or a new one in which
 * they hold. `.0` leads into a list of one where nothing is there.
 */
export function withValueAt(body: JsonValue | undefined, path: string, value: JsonValue): JsonValue {
  return put(body, stepsIn(path), value);
}

function put(body: JsonValue | undefined, steps: readonly PathStep[], value: JsonValue): JsonValue {
  const [step, ...rest] = steps;
  if (step === undefined) return value;
  const { name, conditions } = step;
  if (conditions.length === 0) return withMember(body, name, put(memberOf(body, name), rest, value));
  const there = name === '' ? body : memberOf(body, name);
  const list: readonly JsonValue[] = Array.isArray(there) ? there : [];
  const at = list.findIndex((member) => conditions.every((each) => fits(member, each)));
  const askedValue = conditions.reduce<JsonValue>(
    (made, each) => withValueAt(made, each.path, each.text),
    {},
  );
  const member = put(at < 0 ? askedValue : list[at], rest, value);
  const others = at < 0 ? [...list, member] : list.with(at, member);
  return name === '' ? others : withMember(body, name, others);
}

function withMember(body: JsonValue | undefined, name: string, value: JsonValue): JsonValue {
  if (body === undefined && name === '0') return [value];
  const members = body !== null && typeof body === 'object' ? (body as JsonObject) : {};
  const changed = { ...members, [name]: value };
  return Array.isArray(body) ? Object.values(changed) : changed;
}

/** Whether a path names the members of a list in another way than `contacts[type=email].value`. */
export const isOddCondition = (path: string): boolean =>
  path.includes('[') && stepsIn(path).some(({ name }) => /\[[^\]]*=/.test(name));
