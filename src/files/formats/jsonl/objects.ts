import { readBody } from '../../../core/answer-body.ts';
import { cellText } from '../../../core/answer-fields.ts';
import { isObject } from '../../../core/objects.ts';
import type { JsonObject } from '../../../core/operation.ts';
import { foreignWords } from '../../../core/plain-text.ts';
import { type Line, textOf } from './lines.ts';

/** What a line of JSON lines says: an object, nothing, or why it is no row that can be read. */
export type Said =
  | { readonly kind: 'blank' }
  | { readonly kind: 'object'; readonly text: string; readonly object: JsonObject }
  | { readonly kind: 'unreadable'; readonly text: string; readonly why: string };

/** A byte-order mark is no part of what a line says. */
export function saidIn(line: Line): Said {
  const text = textOf(line);
  if (text === undefined) {
    return { kind: 'unreadable', text: line.bytes.toString('latin1'), why: 'it is not UTF-8' };
  }
  if (text.trim() === '') return { kind: 'blank' };
  const body = readBody(text);
  if (body.kind === 'unreadable') {
    return { kind: 'unreadable', text, why: body.why ?? `it is not JSON: ${foreignWords(startOf(text))}` };
  }
  if (body.kind === 'blank') return { kind: 'blank' };
  const { value } = body;
  if (isObject(value)) return { kind: 'object', text, object: value as JsonObject };
  return { kind: 'unreadable', text, why: `it is not an object: ${foreignWords(startOf(text))}` };
}

const CHARACTERS_SHOWN = 60;

function startOf(text: string): string {
  return text.length <= CHARACTERS_SHOWN ? text : `${text.slice(0, CHARACTERS_SHOWN)}…`;
}

/**
 * The cells below the names. A text is as it stands there, a number has the digits that were written, and what is missing is
 * blank as `null` is. A list of plain values is joined by "; ", and anything deeper is JSON.
 */
export function cellsOf(object: JsonObject, names: readonly string[]): readonly string[] {
  return names.map((name) => (Object.hasOwn(object, name) ? cellText(object[name]) : ''));
}

/** Texts, so that nothing in them is taken for what holds an object together, and that. */
const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],]/gs;

/** The members of an object as they are written, which keeps the digits of numbers and the order of names. @param text JSON. */
export function membersIn(text: string): readonly { readonly name: string; readonly text: string }[] {
  const members: string[] = [];
  let level = 0;
  let start = 0;
  for (const { 0: token, index } of text.matchAll(TOKENS)) {
    const isOpening = token === '{' || token === '[';
    if (isOpening) level += 1;
    const isEdge = level === 1 && (isOpening || token === ',' || token === '}');
    if (isEdge && !isOpening) members.push(text.slice(start, index).trim());
    if (isEdge) start = index + 1;
    if (token === '}' || token === ']') level -= 1;
  }
  return members.flatMap((member) => {
    const [name] = NAME.exec(member) ?? [];
    return name === undefined ? [] : [{ name: JSON.parse(name) as string, text: member }];
  });
}

const NAME = /^"[^"\\]*(?:\\.[^"\\]*)*"/s;

/** A text as JSON: a number where there was one and the text is one, else a string. @param written the member before, with its name. */
export function valueLike(written: string, text: string): string {
  const before = written.replace(NAME, '').replace(/^\s*:\s*/, '');
  return NUMBER.test(before) && NUMBER.test(text) ? text : JSON.stringify(text);
}

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
