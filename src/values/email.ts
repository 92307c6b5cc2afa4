import { domainToASCII } from 'node:url';
import { decodeHTMLStrict } from 'entities';
import { z } from 'zod';
import { phrasesIn } from '../core/plain-text.ts';
import { ROLES, STAND_IN_HOSTS, STAND_INS } from './email-words.ts';
import type { Kind } from './kind.ts';
import { ENCODING, end, identifierDamage, type Mend, mending, QUOTES, UNSEEN } from './mend.ts';
import { isUsable, reader, type Unusable, unusable, usable } from './reading.ts';
import { hostProblem } from './web-address.ts';

/** One address in lower case. Personal addresses are welcome, because this identifies people. */
const read = reader((text) => {
  const address = text.normalize('NFC').toLowerCase();
  const [name = '', host = '', ...more] = address.split('@');
  if (more.length > 0) return unusable('several_emails');
  if (isAddress(name, host)) return whyNobodys(name, host) ?? usable(address);
  // Vendors show such a host in one spelling or the other, so a member list of theirs might not show that the
  // person is there.
  const plain = domainToASCII(host);
  return plain !== host && isAddress(name, plain) ? unusable('host_letters', plain) : unusable('no_email');
}, 'email');

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

const HIDDEN = /\*|(?:^|[._-])x{3,}(?:$|[._-])/;

/** Signs before a line that somebody took out of a list. Mailboxes may have them, and none does. */
const COMMENT = /^(?:[#;!%]|\/\/|--)/;

/** Letters and signs that are as wide as Chinese ones. */
const WIDE = /[\uff01-\uff5e\uff61\u3002\ufe6b\ufe52]/;

const inSet = (seen: typeof STAND_INS): ReadonlySet<string> =>
  new Set(seen.flatMap(([words]) => phrasesIn(words)));
const NOBODY = inSet(STAND_INS);
const NOWHERE = new Set([...NOBODY, ...phrasesIn(STAND_IN_HOSTS)]);

/** Why an address is nobody's, although it is spelled as one. */
function whyNobodys(name: string, host: string): Unusable | undefined {
  if (HIDDEN.test(name)) return unusable('hidden_email');
  if (COMMENT.test(name)) return unusable('commented_out');
  const [company = ''] = host.split('.', 1);
  if (NOBODY.has(name) && NOWHERE.has(company)) return unusable('stand_in_email');
  if (/^x{3,}$/.test(company)) return unusable('hidden_email');
  // Nearly every address has no other letters than these.
  if (!/[^\0-\x7f]/.test(name)) return undefined;
  if (WIDE.test(name)) return unusable('no_email');
  return isOfTwoScripts(name.split('+', 1)[0] ?? '') ? unusable('two_scripts') : undefined;
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

const OF_NOBODY = inSet(ROLES);

/**
 * Whether an address is that of a department or a machine: `info@`, `noreply@`. It takes mail, and belongs to
 * no person. `chris.info@` may be one.
 * @param address as it was read.
 */
export function isRole(address: string): boolean {
  const [name = ''] = address.split('@', 1);
  const [own = ''] = name.split('+', 1);
  return OF_NOBODY.has(own.replace(/[\d._-]+$/, '')) || /^(?:no|do-?not)-?_?reply/.test(own);
}

// ------------------------------------------------------------------------------------------------- repairs

/**
 * `Jo <jo@x.com>`, `mailto:jo@x.com?subject=…`. A name that is another address leaves open which one was
 * meant.
 */
function unwrapped(text: string): string {
  const { name = '', inside } = /^(?<name>[^<>]*)<(?<inside>[^<>]*)>$/.exec(text)?.groups ?? {};
  const address = (inside ?? text)
    .trim()
    .replace(/^mailto:/i, '')
    .replace(inside === undefined ? /\?.*$/ : '', '');
  const isOther = name.includes('@') && name.replace(/["'\s]/g, '').toLowerCase() !== address.toLowerCase();
  return isOther || (inside === undefined && !/^mailto:/i.test(text)) ? text : address;
}

const END = end(' .,:;/');
const wrapped = (mend: Mend['mend']): Mend => ({ kind: 'wrapped_address', mend, onlyUnusable: true });
const NAME = wrapped(unwrapped);

/**
 * What programs and people write before an address: `SMTP:`, as Exchange lists them, and the name of the
 * field.
 */
const LABEL = wrapped((text) =>
  text.replace(/^(?:smtp|sip|mailto|e-?mail(?: address)?|mail)\s*:\s*(?=\S+$)/i, ''),
);

/** An address behind the name of its owner: a link of a sheet, of Markdown or of HTML, or in brackets. */
const BEHIND = [
  /^=HYPERLINK\(\s*"mailto:(?<address>[^"?]+)[^"]*"\s*(?:[,;].*)?\)$/is,
  /^\[[^\]@]*\]\(mailto:(?<address>[^)?]+)[^)]*\)$/i,
  /^<a\s[^>]*href=["']?mailto:(?<address>[^"'?>]+)[^>]*>[^<@]*<\/a>$/i,
  /^[^()@]*\((?<address>[^()\s]+@[^()\s]+)\)$/,
];
const LINK = wrapped((text) => BEHIND.map((link) => link.exec(text)?.groups?.address).find(Boolean) ?? text);

const misspelled = (mend: Mend['mend']): Mend => ({ kind: 'misspelled', mend, onlyUnusable: true });

/** `jo&#64;acme.com`, as web pages write it, and `jo%40acme.com`, as links do. */
const ENTITIES = misspelled((text) => (/&[#a-z\d]+;/i.test(text) ? decodeHTMLStrict(text) : text));
const PERCENT = misspelled((text) => (text.includes('@') ? text : text.replace(/%40/, '@')));
const NARROW = misspelled((text) => (WIDE.test(text) ? text.normalize('NFKC').replaceAll('。', '.') : text));

/** `jo@acme,com` and `jo@acme.com,au`: what stands behind such a comma is no second value. */
const COMMA = misspelled((text) =>
  text.replace(
    /^([^\s@,;]+@[^\s@,;.]+),(?=[^\s@,;]+$)|^([^\s@,;]+@[^\s@,;]+\.(?:com|net|org|edu|gov|co|asn|id)),(?=(?:au|nz|uk)$)/i,
    '$1$2.',
  ),
);

export const email = {
  read,
  looksRight: (cell) => cell.includes('@') && isUsable(read(cell)),
  damage: identifierDamage(
    mending(read, [
      ...[ENCODING, UNSEEN, ENTITIES, NARROW, END, QUOTES, LINK, NAME, LABEL, PERCENT, END, COMMA],
    ]),
    /^[\w.+&@-]*[a-z0-9]$/i,
  ),
} as const satisfies Kind;
