import type { InputField, JsonObject, JsonValue } from '../../core/operation.ts';
import { foreignName } from '../../core/plain-text.ts';
import { keysIn } from '../../core/vendor-path.ts';
import { isBlankText } from '../../values/blank.ts';

/**
 * A body, or the filters of a search, in which `{{Column}}` stands for a row's cell. Only texts are filled
 * in, and they become JSON afterwards, so no cell can be anything but a text, or reach beyond it.
 */

type Cells = Readonly<Record<string, string>>;

export const PLACEHOLDER = /\{\{\s*([^{}\s](?:[^{}]*[^{}\s])?)\s*\}\}/g;

/** Names of the columns that the body needs, each once, in the order in which they first appear. */
export function columnsIn(body: JsonValue): readonly string[] {
  const names = textsIn(body).flatMap((text) => [...text.matchAll(PLACEHOLDER)].map(([, name = '']) => name));
  return [...new Set(names)];
}

/**
 * The input for such a column: the file's column with exactly that name, or a column that the job maps to it.
 */
export function columnInput(column: string, about: string): InputField {
  const squeezed = column.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');
  return { name: column, about, aliases: [squeezed], required: true, isBlank: isBlankText };
}

export function templateProblem(body: JsonValue): string | undefined {
  const named = keysNamed(body).find((name) => name.includes('{{') || keysIn(name) > 0);
  if (named !== undefined) return `the name ${foreignName(named)} cannot be a placeholder; only values can`;
  const broken = textsIn(body).find((text) => text.replaceAll(PLACEHOLDER, '').includes('{{'));
  return broken === undefined ? undefined : `in ${foreignName(broken)} a {{ is not closed by }}`;
}

/**
 * The body of one row without texts whose cells are all blank, and without objects and lists that held
 * nothing else. Most vendors take "" for a value: they look for nothing by it, or overwrite something with
 * it. A "" of the job's own stays, and so does a {{ in a cell.
 */
export function withoutBlanks(body: JsonObject, cells: Cells): JsonObject {
  return (filledSparsely(body, cells) ?? {}) as JsonObject;
}

function filledSparsely(value: JsonValue, cells: Cells): JsonValue | undefined {
  if (typeof value === 'string') {
    const names = columnsIn(value);
    const isBlank = names.length > 0 && names.every((name) => (cells[name] ?? '').trim() === '');
    return isBlank ? undefined : value.replaceAll(PLACEHOLDER, (_, name: string) => cells[name] ?? '');
  }
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value).flatMap(([name, each]) => {
    const filled = filledSparsely(each, cells);
    return filled === undefined ? [] : [[name, filled] as const];
  });
  if (entries.length === 0 && Object.keys(value).length > 0) return undefined;
  return isList(value) ? entries.map(([, each]) => each) : Object.fromEntries(entries);
}

function textsIn(value: JsonValue): readonly string[] {
  if (typeof value === 'string') return [value];
  return value === null || typeof value !== 'object' ? [] : Object.values(value).flatMap(textsIn);
}

function keysNamed(value: JsonValue): readonly string[] {
  if (value === null || typeof value !== 'object') return [];
  const inside = Object.values(value).flatMap(keysNamed);
  return isList(value) ? inside : [...Object.keys(value), ...inside];
}

export function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
