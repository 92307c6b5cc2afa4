import type { Call, JsonObject, JsonValue } from '../../../core/operation.ts';
import { AlteredRow, type Connection } from './connection.ts';
import type { ReadRow } from './table.ts';
import { newestNumber, nextNumber, SHAPES_TABLE } from './tables.ts';

/**
 * What many entries have in common is written once, as a shape: of a question the operation and the names of its parameters,
 * of a reply the names of its headers, of an end the dialect. An entry that has one keeps the values that are its own. Which
 * these are is decided by their place and never by what they say, so that no shape can be about a person and no erasure has
 * to look into one.
 */

/** So many come of a vendor whose headers are never the same twice; what comes then is written whole. */
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
  const values = JSON.stringify(Object.values(call.parameters));
  return { shape: number, operation: null, call: values.slice(1, -1) };
}

/**
 * Undefined for a question that has more than its parameters of its own, such as a change. Put together as text, because each row
 * that is bought needs one: names have nothing that JSON would escape.
 */
function shapeOf(call: Call): string | undefined {
  const members: string[] = [];
  for (const [name, value] of Object.entries(call)) {
    if (name === 'parameters') {
      const names = Object.keys(call.parameters);
      if (!names.every(isName)) return undefined;
      members.push(`"parameters":{${names.map((each) => `"${each}":null`).join(',')}}`);
    } else if (SHARED.has(name)) members.push(`"${name}":${JSON.stringify(value)}`);
    else return undefined;
  }
  return isName(call.operation) ? `{${members.join(',')}}` : undefined;
}

const SHARED: ReadonlySet<string> = new Set(['operation', 'ifLost', 'creditsMost'] satisfies (keyof Call)[]);

const isName = (word: string): boolean => NAME.test(word);

/** How far a vendor's date may be from ours for the difference to be in a shape. */
const NEAR_S = 5;

const MEDIA_TYPE = /^[a-z]{1,20}\/[a-z0-9+-]{1,40}(?:; ?charset=[a-z0-9-]{1,20})?$/i;

/** Headers as the entry of a reply has them. Those without a shape are JSON as a whole. */
export function headerCells(
  connection: Connection,
  headers: Readonly<Record<string, string>>,
  receivedAtMs: number,
): { readonly shape: number | null; readonly headers: string } {
  const members: string[] = [];
  const own: string[] = [];
  for (const [name, value] of Object.entries(headers)) {
    const shared = isName(name) ? sharedOf(name, value, receivedAtMs) : undefined;
    if (shared === undefined) return { shape: null, headers: JSON.stringify(headers) };
    members.push(`"${name}":${shared}`);
    if (shared === 'null') own.push(JSON.stringify(value));
  }
  const number = numberOf(connection, `{${members.join(',')}}`);
  if (number === undefined) return { shape: null, headers: JSON.stringify(headers) };
  return { shape: number, headers: own.join(',') };
}

/** What a shape has of a header: the type of the body, or the seconds from our second to the vendor's; null for any other. */
function sharedOf(name: string, value: string, receivedAtMs: number): string {
  if (name === 'content-type' && MEDIA_TYPE.test(value)) return `"${value}"`;
  if (name !== 'date') return 'null';
  const seconds = secondsOf(value) - Math.floor(receivedAtMs / 1000);
  return Math.abs(seconds) <= NEAR_S ? String(seconds) : 'null';
}

/** The answers of a second have the same date. */
let latest = { date: '', seconds: Number.NaN };

/** NaN for a date that is written in any other way. */
function secondsOf(date: string): number {
  if (latest.date === date) return latest.seconds;
  const ms = Date.parse(date);
  const isUsual = !Number.isNaN(ms) && new Date(ms).toUTCString() === date;
  latest = { date, seconds: isUsual ? ms / 1000 : Number.NaN };
  return latest.seconds;
}

export function headersOf(
  connection: Connection,
  shape: number | null | undefined,
  text: string,
  receivedAtMs: number,
): Record<string, string> {
  const headers = wholeOf(connection, shape, text) as Record<string, string | number>;
  const dated = Object.entries(headers).map(([name, value]) => [
    name,
    typeof value === 'number'
      ? new Date((Math.floor(receivedAtMs / 1000) + value) * 1000).toUTCString()
      : value,
  ]);
  return Object.fromEntries(dated) as Record<string, string>;
}

/** A dialect as the end of an attempt has it: the number of a shape, or 48 bits of its hash where there are too many. */
export function dialectCell(connection: Connection, dialect: number | undefined): number | null {
  return dialect === undefined ? null : (numberOf(connection, String(dialect)) ?? dialect);
}

/** A hash that is no higher than the number of a shape can be does not come up. */
export function dialectOf(connection: Connection, cell: number): number {
  return cell > MOST_SHAPES ? cell : Number(textOf(connection, cell));
}

/** The number of a shape, which is written when it is new; undefined when there are too many. */
function numberOf(connection: Connection, text: string): number | undefined {
  return connection.once(`number of ${text}`, () => {
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

const shapeNumbered = (id: number): string => `shape ${id}`;

function textOf(connection: Connection, id: number): string {
  return connection.lasting(shapeNumbered(id), () => {
    const shape = connection.get<ReadRow<typeof SHAPES_TABLE>>('SELECT * FROM shapes WHERE id = ?', id);
    if (shape === undefined) throw new AlteredRow(`shape ${id} is missing`);
    return SHAPES_TABLE.checked(shape).text;
  });
}

/**
 * Has shapes that cannot be read from the table read from its index, which has their texts once more: without one of them, no
 * question that names it could be salvaged.
 */
export function mendShapes(connection: Connection): void {
  const sql = 'SELECT id, text FROM shapes INDEXED BY sqlite_autoindex_shapes_1 ORDER BY text';
  for (const { id, text } of connection.all<{ id: number; text: string }>(sql)) {
    try {
      textOf(connection, id);
    } catch {
      connection.lasting(shapeNumbered(id), () => text);
    }
  }
}

/** @param values as JSON, without the brackets around them. */
export function filled(shape: string, values: string): JsonObject {
  const [head, tail, ...more] = shape.split(':null');
  // Most have one value, for which one text is made and read.
  if (values !== '' && tail !== undefined && more.length === 0)
    return JSON.parse(`${head}:${values}${tail}`) as JsonObject;
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
