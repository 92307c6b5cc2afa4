import { readBody, valueAt } from '../../core/answer-body.ts';
import { valuesAt } from '../../core/answer-path.ts';
import type { Call, JsonValue, RowInput } from '../../core/operation.ts';
import type { Reply } from '../../ledger/ledger.ts';
import { saidIn } from '../../values/answer-fields.ts';
import { answerPlaceOf, type Dialect, dialectOperationOf, type Example } from '../dialect.ts';
import { judge } from '../judge.ts';
import { inventedValue, somebodyLike } from './invented.ts';
import { type Place, plainName } from './places.ts';

/** Examples of a dialect: answers of its vendor, with invented names, that are read again for nothing. */

/** What the answer says of itself, in words. All other words may be about a person. */
const STATEMENT =
  /^(?:(?:\w+_?)?(?:status|result|success|error|errors|reason|message|verdict)|(?:error|status|result|response)?(?:code|type)|state|ok|kind|found|match|matched|verified|valid|qualification|quality|certainty|deliverability|deliverable)$/;

/** The same in numbers. */
const AMOUNT = /^(?:status|code|total|count|credits?\w*|cost|success|found|error|errors)$/;

const LONGEST_STATEMENT = 80;

/**
 * The answer as an example: what the dialect reads in it, with invented names of the same form, and what the
 * answer says of itself; undefined where it would be read otherwise than the answer.
 */
export function exampleOf(
  dialect: Dialect,
  operation: string,
  { given, reply }: { readonly given: RowInput; readonly reply: Reply },
  places: Readonly<Record<string, Place>>,
  { means, isNobody }: { readonly means: Example['means']; readonly isNobody: boolean },
): Example | undefined {
  // The line has an invented person already.
  const askedInputs = isNobody ? { ...given } : somebodyLike(given);
  const swapped = Object.entries(given).map(([name, value]) => [value, askedInputs[name] ?? value] as const);
  const body = readBody(reply.body);
  const text =
    body.kind === 'json'
      ? JSON.stringify(shortened(body.value, '', inventedIn(body.value, places), swapped) ?? {})
      : '';
  const cost = dialect.credits_charged?.header;
  const stated = cost && reply.headers[cost];
  const headers = cost && stated ? { headers: { [cost]: stated } } : {};
  const example: Example = {
    operation,
    asked: askedInputs,
    status: reply.status,
    ...headers,
    body: text,
    means,
  };
  const gives = givenBy(dialect, example);
  const whole = Object.keys(gives).length === 0 ? example : { ...example, gives };
  return exampleProblem(dialect, whole) === undefined ? whole : undefined;
}

/** The values at the places of ours, by their paths in the answer: those of an example. */
function inventedIn(
  body: JsonValue,
  places: Readonly<Record<string, Place>>,
): ReadonlyMap<string, JsonValue> {
  const invented = new Map<string, JsonValue>();
  for (const [name, { path, value }] of Object.entries(places)) {
    const [first] = valuesAt(body, path);
    const isText = typeof value === 'string' && name !== 'verdict';
    if (first !== undefined) invented.set(first.at, isText ? inventedValue(name, value) : value);
  }
  return invented;
}

/** @returns undefined where nothing of the value belongs into an example. */
function shortened(
  value: JsonValue,
  path: string,
  invented: ReadonlyMap<string, JsonValue>,
  swapped: readonly (readonly [from: string, to: string])[],
): JsonValue | undefined {
  if (invented.has(path)) return invented.get(path);
  const name = plainName(path.split('.').at(-1) ?? '');
  if (value === null || value === '' || typeof value === 'boolean') return value;
  if (typeof value === 'number') return AMOUNT.test(name) ? value : undefined;
  if (typeof value === 'string') {
    if (!STATEMENT.test(name) || value.length > LONGEST_STATEMENT || value.includes('@')) return undefined;
    return swapped.reduce((text, [from, to]) => text.replaceAll(from, to), value);
  }
  const inside = (key: string): string => (path === '' ? key : `${path}.${key}`);
  const members = Object.entries(value).map(
    ([key, each]) => [key, shortened(each as JsonValue, inside(key), invented, swapped)] as const,
  );
  const last = members.findLastIndex(([, each]) => each !== undefined);
  if (Array.isArray(value)) return members.slice(0, last + 1).map(([, each]) => each ?? {});
  if (members.length > 0 && last < 0) return undefined;
  return Object.fromEntries(members.filter(([, each]) => each !== undefined)) as JsonValue;
}

const replyOf = ({ status, headers = {}, body }: Example): Reply => ({
  status,
  headers,
  body: Buffer.from(body),
  receivedAtMs: 0,
});

type Given = Readonly<Record<string, string | number | boolean>>;

function givenBy(dialect: Dialect, example: Example): Given {
  const { ours } = saidIn(Buffer.from(example.body), answerPlaceOf(dialect, example.operation));
  const givenNames = Object.keys(dialect.operations[example.operation]?.gives ?? {});
  return Object.fromEntries(
    givenNames.flatMap((name) => {
      const value = valueAt(ours, name);
      return value === undefined || value === null || typeof value === 'object' ? [] : [[name, value]];
    }),
  );
}

/**
 * How the dialect reads one of its examples otherwise than the example says, as a clause; undefined where it
 * reads it so.
 */
export function exampleProblem(dialect: Dialect, example: Example): string | undefined {
  const { operation: name, asked: askedInputs, means, gives = {} } = example;
  if (!Object.hasOwn(dialect.operations, name)) return `the dialect has no ${name}`;
  const call: Call = { operation: name, parameters: askedInputs, ifLost: 'hold' };
  const { later: _, ...operation } = dialectOperationOf(dialect, call);
  const verdict = judge({ kind: 'answered', raw: replyOf(example) }, dialect, operation, call);
  const read = verdict.kind === 'answered' ? verdict.answer : verdict.kind;
  if (read !== means) return `it is read as ${read}, not as ${means}`;
  const given = givenBy(dialect, example);
  const other = Object.keys(gives).find((each) => given[each] !== gives[each]);
  return other && `its ${other} is read as ${given[other] ?? 'nothing'}, not as ${gives[other]}`;
}
