import { stripVTControlCharacters } from 'node:util';

/**
 * Text that somebody else wrote (a vendor's answer, a cell of a file), made safe to show. A terminal obeys control
 * characters: an answer could retype a command, hide a line or turn the reading direction.
 */

/** Characters that turn the reading direction, so that what is shown is not what stands there. */
const DIRECTION = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** One line without control characters; line ends and tabs become a space. */
export function plainText(text: string): string {
  return stripVTControlCharacters(text)
    .replace(/[\t\n\r\u0085\u2028\u2029]+/gu, ' ')
    .replace(/\p{Cc}/gu, '')
    .replace(DIRECTION, '');
}

/** `1 credit`, `2 credits`; a plural that is no `s` is given. */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`;
}

/**
 * `1,234,567` and `1,234.5`, as an Australian writes them. Not by `toLocaleString`, whose first call in a process reads
 * more than a short list takes to be run.
 */
export function grouped(value: number): string {
  return String(value).replace(/(?<!\.\d*)\B(?=(?:\d{3})+(?!\d))/g, ',');
}

/** A fact as a sentence: with a full stop, unless it ends with a mark of its own, also of what it quotes. */
export function sentence(fact: string): string {
  return /[.!?…:]"?$/u.test(fact) ? fact : `${fact}.`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** For the text of an element and for an attribute between quotes of either kind. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/gu, (character) => ENTITIES[character] ?? character);
}
