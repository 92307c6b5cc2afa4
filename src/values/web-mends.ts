import { tldts } from '../core/libraries.ts';
import { withoutLabel } from './labels.ts';
import { BULLET, behindWords, ENCODING, end, type Mend, QUOTES, REMARK, REPEATED, UNSEEN } from './mend.ts';

/** What people and programs do to web addresses, beyond what happens to any text. */

const AS_IT_IS = { extractHostname: false, validateHostname: false, detectIp: false };

const isSuffix = (name: string): boolean => tldts().getPublicSuffix(name, AS_IT_IS) === name;

/** What stands between the labels of a host: dots, commas and blanks. */
const BETWEEN = /(\s*[.,]+\s*|\s+)/;

/**
 * `acme,com.au`, `acme..com`, `www. acme.com`: with one dot in each such place. A comma or a blank is a dot
 * behind `www`, and where all that follows is what domains end in. Elsewhere the host could as well be two
 * things, and the text comes back as it is.
 */
export function hostJoined(host: string): string {
  const parts = host.split(BETWEEN);
  const labels = parts.filter((_, at) => at % 2 === 0).map((label) => label.toLowerCase());
  const isSure = (sign: string, at: number): boolean =>
    /^\.+$/.test(sign) ||
    (/[.,]/.test(sign) && (isWww(labels, at) || isSuffix(labels.slice(at + 1).join('.'))));
  const signs = parts.filter((_, at) => at % 2 === 1);
  return labels.every((label) => label !== '') && signs.every(isSure)
    ? parts.map((part, at) => (at % 2 === 0 ? part : '.')).join('')
    : host;
}

const isWww = (labels: readonly string[], at: number): boolean => at === 0 && labels[0] === 'www';

const misspelled = (mend: Mend['mend']): Mend => ({ kind: 'misspelled', mend, onlyUnusable: true });
const wrapped = (mend: Mend['mend']): Mend => ({ kind: 'wrapped_address', mend, onlyUnusable: true });

/** `https//`, `htp://`, `http://http://`: a scheme that was typed wrong, or twice. */
const WRONG_SCHEME =
  /^(?!https?:\/\/(?!h))(?:https?:\/\/)?(?:h*t+p+s?|htps?)(?:[:;]*\/{1,2}|[:;])[:/]*(?=[\w-]+\.)/i;
/** `https: //acme.com` */
const SPLIT_SCHEME = misspelled((text) => text.replace(/^(https?)\s*:\s*\/\/\s*/i, '$1://'));
const WORDS = behindWords(String.raw`(?:https?:\/\/|www\.)\S+`);
const SCHEME = wrapped((text) => text.replace(WRONG_SCHEME, 'https://'));

const END = end(' ,;');

const HOST = /^(?<scheme>(?:https?:\/\/)?)\s*(?<host>[^/?#:@]+)(?<rest>[/?#:].*)?$/is;
const DOTS = misspelled((text) => {
  const { scheme = '', host = '', rest = '' } = HOST.exec(text)?.groups ?? {};
  return host === '' ? text : scheme + hostJoined(host.trim()) + rest;
});

/** The mends of addresses of one kind, in the order in which they are tried. */
export const webMends = (kind: 'website' | 'profile'): readonly Mend[] => {
  const label = wrapped((text) => withoutLabel(kind, text));
  return [
    ENCODING,
    UNSEEN,
    BULLET,
    END,
    QUOTES,
    END,
    label,
    REMARK,
    REPEATED,
    WORDS,
    SPLIT_SCHEME,
    SCHEME,
    DOTS,
  ];
};

/** A scheme or a label to mend, or two dots in the host. */
const UNSOUND = [WRONG_SCHEME.source.slice(1), '(?!https?:)[a-z]+:', String.raw`(?:https?:\/\/)?[^/?#]*\.\.`];

/** Cells of these signs have nothing to mend, but for that. */
export const soundOf = (signs: string): RegExp =>
  new RegExp(String.raw`^(?!${UNSOUND.join('|')})[\w.:/~%${signs}]*$`, 'i');
