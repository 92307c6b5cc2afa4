import { domainToASCII } from 'node:url';
import { z } from 'zod';
import type { Kind } from './kind.ts';
import { ENCODING, end, identifierDamage, type Mend, mending, QUOTES, UNSEEN } from './mend.ts';
import { isUsable, reader, unusable, usable } from './reading.ts';
import { hostProblem } from './web-address.ts';

/** One address in lower case. Personal addresses are welcome, because this identifies people. */
const read = reader((text) => {
  const address = text.normalize('NFC').toLowerCase();
  const [name = '', host = '', ...more] = address.split('@');
  if (more.length > 0) return unusable('several_emails');
  if (isAddress(name, host)) return usable(address);
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

const END = end(' .,:;');
const NAME: Mend = { kind: 'wrapped_address', mend: unwrapped, onlyUnusable: true };

export const email = {
  read,
  looksRight: (cell) => cell.includes('@') && isUsable(read(cell)),
  damage: identifierDamage(
    mending(read, [ENCODING, UNSEEN, END, QUOTES, NAME, END]),
    /^[\w.+&@-]*[a-z0-9]$/i,
  ),
} as const satisfies Kind;
