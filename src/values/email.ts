import { domainToASCII } from 'node:url';
import { z } from 'zod';
import { phrasesIn } from '../core/plain-text.ts';
import { identifierText } from './blank.ts';
import { NOBODYS, ROLES, STAND_IN_HOSTS, STAND_IN_NAMES, STAND_INS, TWICE } from './email-words.ts';
import { isAccepted, unknownEnd } from './hosts.ts';
import type { Kind } from './kind.ts';
import { withoutLabel } from './labels.ts';
import {
  BULLET,
  behindWords,
  damageOf,
  ENCODING,
  ENTITIES,
  end,
  identifierDamage,
  type Mend,
  QUOTES,
  REMARK,
  REPEATED,
  UNSEEN,
  withoutEnd,
} from './mend.ts';
import { identifierReader, isUsable, type Unusable, unusable, usable } from './reading.ts';
import { behindLink, hostProblem } from './web-address.ts';
import { hostJoined } from './web-mends.ts';

/** One address in lower case. Personal addresses are welcome, because this identifies people. */
const read = identifierReader((text, { acceptHosts = [] } = {}) => {
  const address = text.normalize('NFC').toLowerCase();
  const [name = '', host = '', ...more] = address.split('@');
  if (more.length > 0) return unusable(/[\s,;|/]/.test(text) ? 'several_emails' : 'several_at_signs');
  if (!isAddress(name, host)) return whyNoAddress(name, host);
  const end = unknownEnd(host);
  if (end !== undefined && !isAccepted(host, acceptHosts)) return unusable('unknown_tld', end);
  return whyNobodys(name, host) ?? usable(address);
}, 'email');

function whyNoAddress(name: string, host: string): Unusable {
  if (/\p{Cf}/u.test(name + host)) return unusable('invisible_character');
  const plain = domainToASCII(host);
  const isForeign = /[^\0-\x7f]/.test(host) && isAddress(name, plain);
  return isForeign ? unusable('non_ascii_host', plain) : unusable('not_an_email');
}

/** The check that browsers make: zod's own pattern refuses the "&" of `r&d@acme.com`. */
const html5 = z.email({ pattern: z.regexes.html5Email });

/**
 * Browsers accept these dots, but no mailbox has them: a dot at either end of the local part, or two in a
 * row.
 */
const STRAY_DOT = /^\.|\.\.|\.@/;

/** Mailboxes may have letters of any script before the @. */
const LETTERS = /[\p{L}\p{N}\p{M}]/u;

function isAddress(name: string, host: string): boolean {
  const foreign = [...name].filter((character) => character > '\u007f');
  if (!foreign.every((character) => LETTERS.test(character))) return false;
  const address = `${name.replace(/[^\p{ASCII}]/gu, 'x')}@${host}`;
  return html5.safeParse(address).success && !STRAY_DOT.test(address) && hostProblem(host) === undefined;
}

const HIDDEN = /\*|(?:^|[._-])x{3,}(?:$|[._-])|x{4,}/;

/** What systems put before or behind the name of somebody who is gone, so that no mail goes there. */
const GONE =
  /^(?:deleted|removed|inactive|deactivated|disabled|invalid|donotuse|do[._-]not[._-]use)(?=[._+-]|\d|user|$)|[._+-](?:deleted|removed|inactive|deactivated|disabled|invalid|donotuse)$/;

/** Signs before a line that somebody took out of a list. Mailboxes may have them, and none does. */
const COMMENT = /^(?:[#;!%]|\/\/|--)/;

/** Letters and signs that are as wide as Chinese ones. */
const WIDE = /[\uff01-\uff5e\uff61\u3002\ufe6b\ufe52]/;

const inSet = (seen: typeof STAND_INS): ReadonlySet<string> =>
  new Set(seen.flatMap(([words]) => phrasesIn(words)));
const NOBODYS_NAMES = inSet(NOBODYS);
const STANDING_IN = inSet([...STAND_INS, ...STAND_IN_NAMES]);
const SAME_TWICE = inSet(TWICE);
const NOWHERE = new Set([...NOBODYS_NAMES, ...inSet(STAND_INS), ...phrasesIn(STAND_IN_HOSTS)]);

/** @param company the name of the host, without its end. */
const isStandIn = (name: string, company: string): boolean =>
  NOBODYS_NAMES.has(name) ||
  (STANDING_IN.has(name) && NOWHERE.has(company)) ||
  (SAME_TWICE.has(name) && name === company);

const MAY_STAND_IN = new Set([...NOBODYS_NAMES, ...STANDING_IN, ...SAME_TWICE]);

/** Why an address is no one's, although it is spelled as one. */
function whyNobodys(name: string, host: string): Unusable | undefined {
  if (HIDDEN.test(name)) return unusable('masked_email');
  if (COMMENT.test(name)) return unusable('commented_out');
  if (GONE.test(name)) return unusable('deleted_address');
  const [company = ''] = host.split('.', 1);
  if (isStandIn(name, company)) return unusable('placeholder_email');
  if (/^x{3,}$/.test(company)) return unusable('masked_email');
  // Nearly every address has no other letters than these.
  if (!/[^\0-\x7f]/.test(name)) return undefined;
  if (WIDE.test(name)) return unusable('not_an_email');
  return isOfTwoScripts(name.split('+', 1)[0] ?? '') ? unusable('mixed_scripts') : undefined;
}

/** Chinese, Japanese and Korean are each written in several, and beside Latin letters. */
const SCRIPTS = [
  /\p{sc=Latin}/u,
  /\p{sc=Han}|\p{sc=Hiragana}|\p{sc=Katakana}|\p{sc=Bopomofo}|\p{sc=Hangul}/u,
  /\p{sc=Cyrillic}/u,
  /\p{sc=Greek}/u,
  /\p{sc=Armenian}/u,
  /\p{sc=Georgian}/u,
  /\p{sc=Hebrew}/u,
  /\p{sc=Arabic}/u,
  /\p{sc=Thai}/u,
  /\p{sc=Devanagari}/u,
  /\p{sc=Cherokee}/u,
];

/** As "highly restrictive" of Unicode's UTS 39, by which browsers tell a look-alike from a name. */
function isOfTwoScripts(name: string): boolean {
  const found = SCRIPTS.filter((script) => script.test(name));
  const [first, second] = found;
  return found.length > 2 || (second !== undefined && !(first === SCRIPTS[0] && second === SCRIPTS[1]));
}

function before(mark: string, text: string): string {
  const at = text.indexOf(mark);
  return at < 0 ? text : text.slice(0, at);
}

const OF_NOBODY = inSet(ROLES);

/**
 * Whether an address is that of a department or a machine: `info@`, `noreply@`. It takes mail, and belongs to
 * no person. `chris.info@` may be one.
 * @param address as it was read.
 */
export function isRole(address: string): boolean {
  const mailbox = before('+', before('@', address));
  return OF_NOBODY.has(withoutEnd(mailbox, '0123456789._-')) || /^(?:no|do-?not)-?_?reply/.test(mailbox);
}

// ------------------------------------------------------------------------------------------ who may be meant

/** An @, `at` in its place, or a host of two dots shows that a text was meant as an address. */
const SIGN_OF_ADDRESS = /@|[\s([{]at[\s)\]}]|[^\s.]\.[^\s.]+\.[^\s.]{2,}$/i;

/** Two letters together are evidence in a word of so many letters at most; a longer word needs three. */
const SHORT_MAILBOX = 4;

/**
 * Whether a cell that cannot be read may be the address of a person. Damage leaves some letters of a mailbox
 * beside each other. A text that was not meant as an address, such as a name, may stand for anybody.
 */
export function mayMeanEmail(cell: string, address: string): boolean {
  const text = identifierText(cell, 'email').toLowerCase();
  const [name = '', host = ''] = address.split('@');
  if (!SIGN_OF_ADDRESS.test(text) || HIDDEN.test(text)) return true;
  const [mailbox, rest] = [lettersOf(before('+', name)), lettersOf(text.replaceAll(host, ''))];
  if (rest.length < 2 || /[^a-z\d]/.test(mailbox + rest)) return true;
  const least = Math.min(mailbox.length, rest.length) > SHORT_MAILBOX ? 3 : 2;
  const length = Math.min(least, mailbox.length);
  const pieces = Array.from({ length: mailbox.length - length + 1 }, (_, at) =>
    mailbox.slice(at, at + length),
  );
  return pieces.some((piece) => rest.includes(piece));
}

/** Small letters without accents, and digits. */
const lettersOf = (text: string): string => text.normalize('NFKD').replaceAll(/[^\p{L}\p{N}\ufffd]/gu, '');

// ------------------------------------------------------------------------------------------------- repairs

/** Whether a text names one address alone, once or more. */
function namesOne(text: string): boolean {
  const named = text.toLowerCase().match(/[^\s@"'<>()[\]|:,;]+@[^\s@"'<>()[\]|,;?]+/g) ?? [];
  return new Set(named).size === 1;
}

const END = end(" .,:;/'’");
const wrapped = (mend: Mend['mend']): Mend => ({ kind: 'wrapped_address', mend, onlyUnusable: true });
/** Of two addresses in a cell no one can tell which one was meant. */
const found = (find: (text: string) => string | undefined): Mend =>
  wrapped((text) => (text.includes('@') && namesOne(text) ? (find(text) ?? text) : text));

/** `Jo <jo@x.com>` of a mail program, `Jo (jo@x.com)`, a link behind a name, and `jo@x.com (work)`. */
const BESIDE_WORDS = [
  /^[^<>]+<(?<address>[^<>]*)>$/,
  /^[^()@]*\((?<address>[^()\s]+@[^()\s]+)\)$/,
  /^(?<address>\S+@\S+)\s*(?:\([^()]*\)|\[[^[\]]*\]|<[^<>]*>)$/,
];
const NAME = found(
  (text) =>
    behindLink(text) ?? BESIDE_WORDS.map((words) => words.exec(text)?.groups?.address?.trim()).find(Boolean),
);

/** `mailto:jo@x.com?subject=…`, and `http://jo@x.com`, as programs make links of all that looks like one. */
const MAIL_LINK = wrapped((text) => {
  const address = /^(?:mailto:(?:\/\/)?|https?:\/\/)([^/?]+@[^/?]+)(?:\?.*)?$/is.exec(text)?.[1];
  return address ?? text;
});
const WORDS = behindWords(String.raw`\S+@\S+`);
const LABEL = wrapped((text) => withoutLabel('email', text));

const misspelled = (mend: Mend['mend']): Mend => ({ kind: 'misspelled', mend, onlyUnusable: true });

/** `jo%40acme.com`, as links write it. */
const PERCENT = misspelled((text) => (text.includes('@') ? text : text.replace(/%40/, '@')));
const NARROW = misspelled((text) => (WIDE.test(text) ? text.normalize('NFKC').replaceAll('。', '.') : text));

/** `jo(at)acme.com`, `jo [at] acme [dot] com`: against programs that gather addresses. */
const AT = misspelled((text) => {
  const spelled = text.replace(/\s*[([{](?:at|ät|arroba|arobase)[)\]}]\s*/i, '@');
  return spelled === text || text.includes('@')
    ? text
    : spelled.replaceAll(/\s*[([{](?:dot|punkt|punto|point)[)\]}]\s*|(?<=\S)\s+dot\s+(?=\S)/gi, '.');
});

/** Blanks beside the @, and what stands in the host in the place of a dot. */
const AROUND_AT = misspelled((text) => {
  const [name = '', host = '', ...more] = text.split('@');
  return more.length > 0 || name === '' || host === '' ? text : `${name.trim()}@${hostJoined(host.trim())}`;
});

/** Servers know a host by these letters. */
const PLAIN_HOST = misspelled((text) => {
  const [name = '', host = ''] = text.split('@');
  const hasOthers = /[^\0-\x7f]/.test(host) && /^[\p{L}\p{M}\p{N}.-]+$/u.test(host);
  return hasOthers ? `${name}@${domainToASCII(host)}` : text;
});

export const email = {
  read,
  looksRight: (cell) => cell.includes('@') && isUsable(read(cell)),
  mayStandIn(text) {
    const [name = ''] = text.trim().toLowerCase().split('@', 1);
    return HIDDEN.test(name) || MAY_STAND_IN.has(name);
  },
  damage: identifierDamage(
    damageOf(read, [
      ENCODING,
      UNSEEN,
      ENTITIES,
      NARROW,
      AT,
      BULLET,
      END,
      NAME,
      QUOTES,
      NAME,
      REMARK,
      REPEATED,
      MAIL_LINK,
      LABEL,
      WORDS,
      MAIL_LINK,
      QUOTES,
      PERCENT,
      END,
      AROUND_AT,
      PLAIN_HOST,
    ]),
    /^(?!.*\.\.)[\w.+&@-]*[a-z0-9]$/i,
  ),
} as const satisfies Kind;
