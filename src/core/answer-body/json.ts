import type { JsonValue } from '../operation.ts';

/**
 * Reads JSON so that what a vendor wrote is what a user sees. A number that a double cannot hold comes back as its text,
 * digit for digit: an identifier of twenty digits would be that of another company, and `1e999` no number at all.
 */

/** Finds what may be such a number; a match within a string only costs time. An answer without a match is read in half the time. */
const MAYBE_INEXACT = /\d(?:[\d.]{15}|[eE][+-]?\d|\.0{6})/;

/** @throws SyntaxError when it is not JSON. */
export function parseJson(text: string): JsonValue {
  if (!MAYBE_INEXACT.test(text)) return JSON.parse(text) as JsonValue;
  return JSON.parse(text, textOfInexact) as JsonValue;
}

function textOfInexact(_name: string, value: unknown, context?: { readonly source?: string }): unknown {
  const source = context?.source;
  if (typeof value !== 'number' || source === undefined) return value;
  return holdsAsWritten(value, source) ? value : source;
}

/** `1.50` and `1.5` are the same to a reader; `1e21` for twenty-two digits is not. */
function holdsAsWritten(value: number, source: string): boolean {
  if (!Number.isFinite(value)) return false;
  const shown = String(value);
  if (shown === source) return true;
  const hasExponent = /e/i;
  if (hasExponent.test(shown) && !hasExponent.test(source)) return false;
  return digitsOf(shown) === digitsOf(source);
}

/** One text for all ways to write a number: its digits without zeros around them, and the power of ten that they stand at. */
function digitsOf(number: string): string {
  const [mantissa = '', exponent = '0'] = number.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.replace(/^-/, '').split('.');
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const kept = withoutZerosBehind(digits);
  // An exponent that is no safe integer is that of an endless number, or of one that a double takes for zero.
  const power = Number(exponent) - fraction.length + (digits.length - kept.length);
  return kept === '' ? '0' : `${mantissa.startsWith('-') ? '-' : ''}${kept}e${power}`;
}

/** Character by character: a pattern that is tied to the end is tried at every zero of a number that is full of them. */
function withoutZerosBehind(digits: string): string {
  let end = digits.length;
  while (digits[end - 1] === '0') end -= 1;
  return digits.slice(0, end);
}

/** Answers have three or four levels. The limit lets all code recurse into a value level by level. */
export const MOST_LEVELS = 100;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);

/** Whether brackets outside of texts nest more than `MOST_LEVELS` deep. For text that is not JSON the result means nothing. */
export function isTooDeep(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false;
  let levels = 0;
  let isQuoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) isQuoted = !isQuoted;
    else if (isQuoted) at += code === BACKSLASH ? 1 : 0;
    else if (OPENING.has(code)) levels += 1;
    else if (CLOSING.has(code)) levels -= 1;
    if (levels > MOST_LEVELS) return true;
  }
  return false;
}
