import type { Call, JsonObject, JsonValue } from '../../../core/operation.ts';
import { AlteredRow, type Connection } from './connection.ts';
import type { ReadRow } from './table.ts';
import { newestNumber, nextNumber, SHAPES_TABLE } from './tables.ts';

/**
 * What many entries have in common is written once, as a shape: of a question the operation and the names of its parameters, of
 * a reply the names of its headers. An entry that has one keeps the values that are its own. Which these are is
 * decided by their place and never by what they say, so that no shape can be about a person and no erasure has to look
 * into one.
 */

/** A vendor whose headers are never the same twice makes no more shapes than these; what comes then is written whole. */
const MOST_SHAPES = 1_000;

/** No name of a person: it has neither the sign of an address nor that of a profile's page. */
const NAME = /^[a-z][a-z0-9_-]{0,39}$/i;

/** A question as its entry has it. One without a shape is JSON as a whole. */
export interface QuestionCells {
  readonly shape: number | null;
  readonly operation: string | null;
  readonly call: string;
}

export function questionCells(connection: Connection, call: Call): QuestionCells {
  const shape = shapeOf(call);
  const number = shape === undefined ? undefined : numberOf(connection, shape);
  if (number === undefined) return { shape: null, operation: call.operation, call: JSON.stringify(call) };
  return {
    shape: number,
    operation: null,
    call: JSON.stringify(Object.values(call.parameters)).slice(1, -1),
  };
}

/** Undefined for a question that has more than its parameters of its own, such as a change. */
function shapeOf(call: Call): string | undefined {
  const { operation, parameters, ifLost, creditsMost, ...others } = call;
  const names = Object.keys(parameters);
  if (Object.keys(others).length > 0 || ![operation, ...names].every((name) => NAME.test(name)))
    return undefined;
  return JSON.stringify({ ...call, parameters: Object.fromEntries(names.map((name) => [name, null])) });
}

/** The number of a shape, which is written when it is new; undefined when there are too many. */
function numberOf(connection: Connection, text: string): number | undefined {
  return connection.once(`shape ${text}`, () => {
    const known = connection.get<{ id: number }>('SELECT id FROM shapes WHERE text = +?', text);
    if (known !== undefined) return known.id;
    if (newestNumber(connection, 'shapes') >= MOST_SHAPES) return undefined;
    const id = nextNumber(connection, 'shapes');
    SHAPES_TABLE.insert(connection, { id, text });
    return id;
  });
}

/** The JSON that an entry stands for. A ledger of an older schema, which is salvaged as it is, has no shapes. */
export function wholeOf(connection: Connection, shape: number | null | undefined, text: string): JsonObject {
  return shape === null || shape === undefined
    ? (JSON.parse(text) as JsonObject)
    : filled(textOf(connection, shape), text);
}

function textOf(connection: Connection, id: number): string {
  return connection.once(`shape ${id}`, () => {
    const shape = connection.get<ReadRow<typeof SHAPES_TABLE>>('SELECT * FROM shapes WHERE id = ?', id);
    if (shape === undefined) throw new AlteredRow(`shape ${id} is missing`);
    return SHAPES_TABLE.checked(shape).text;
  });
}

/** @param values as JSON, without the brackets around them. */
export function filled(shape: string, values: string): JsonObject {
  const whole = JSON.parse(shape) as Record<string, JsonValue>;
  fill(whole, (JSON.parse(`[${values}]`) as JsonValue[]).values());
  return whole;
}

function fill(object: Record<string, JsonValue>, values: Iterator<JsonValue, undefined>): void {
  for (const [name, value] of Object.entries(object)) {
    if (value === null) object[name] = values.next().value ?? null;
    else if (typeof value === 'object') fill(value as Record<string, JsonValue>, values);
  }
}
