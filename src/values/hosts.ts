import { getPublicSuffix } from 'tldts';
import { entriesOf, type HostAndPath, HostList, HostTable, isBelow, withParents } from './host-table.ts';
import { BUILDERS } from './seen-hosts/builders.ts';
import { MADE_UP } from './seen-hosts/made-up.ts';
import { MAILBOXES } from './seen-hosts/mailboxes.ts';
import { PLATFORMS } from './seen-hosts/platforms.ts';
import { HIDDEN_TARGETS } from './seen-hosts/redirects.ts';
import { SEARCHES } from './seen-hosts/searches.ts';
import { SHORTENERS } from './seen-hosts/shorteners.ts';

/**
 * Hosts that many share, so that a cell with such a host does not say which company is meant. Looking the
 * host up would find the company that runs it, and be charged. The lists are data of our own, and `tldts`
 * says where a public suffix begins; nothing of either is part of what is sent.
 */

/** Why a host says nothing about one company, and the host by which that is known. */
export interface NotOwn {
  readonly code:
    | 'mailbox_host'
    | 'page_of_many'
    | 'short_link'
    | 'hidden_target'
    | 'builder'
    | 'suffix'
    | 'made_up';
  readonly about: string;
}

interface Said extends Pick<NotOwn, 'code'> {
  readonly path: string;
}

const table = new HostTable<Said>();
for (const [code, data] of [
  ['hidden_target', HIDDEN_TARGETS],
  ['short_link', SHORTENERS],
  ['page_of_many', PLATFORMS],
  ['page_of_many', SEARCHES],
  ['builder', BUILDERS],
  ['mailbox_host', MAILBOXES],
  ['made_up', MADE_UP],
] as const)
  for (const { host, path } of entriesOf(data)) table.add(host, { code, path });

const searches = new HostList(SEARCHES);
const hidden = new HostList(HIDDEN_TARGETS);

/**
 * Undefined for an address that may be one company's own.
 * @param isMail whether it is the host of an e-mail address: whoever has one at a platform works there.
 */
export function whyNotOwn({ host, path }: HostAndPath, isMail = false): NotOwn | undefined {
  const plain = withoutWww(host);
  for (const { host: listed, value } of table.of(host)) {
    const { code } = value;
    // Below a builder is a company's own.
    if (code === 'builder' ? listed !== plain : !isBelow(path, value.path)) continue;
    if (isMail && !OF_MAIL.has(code)) continue;
    // Of mailboxes the whole host is named, as it stands in the address of a person.
    return { code, about: code === 'mailbox_host' ? host : listed };
  }
  return whySuffix(plain);
}

/** What counts of the host of an e-mail address. */
const OF_MAIL: ReadonlySet<NotOwn['code']> = new Set(['mailbox_host', 'builder', 'made_up']);

const withoutWww = (host: string): string =>
  host.startsWith('www.') ? host.replace(/^(?:www\.)+(?=.*\.)/, '') : host;

/**
 * Second levels below which companies have their domains. Governments have websites at theirs: `vic.gov.au`.
 */
const COMPANIES_BELOW = /^(?:com|co|net|org)\.[a-z]{2}$/;

/** The host is known to be one, so `tldts` need not look. */
const AS_IT_IS = { extractHostname: false, validateHostname: false, detectIp: false };
const WITH_BUILDERS = { ...AS_IT_IS, allowPrivateDomains: true };

/** Ends that no name in the internet has, as RFC 6761, RFC 6762 and ICANN keep them. `.example` is for samples. */
const NEVER_PUBLIC = /\.(?:test|invalid|localhost|local|internal|lan|intranet|home|corp|localdomain)$/;

function whySuffix(host: string): NotOwn | undefined {
  if (NEVER_PUBLIC.test(host)) return { code: 'made_up', about: host };
  if (getPublicSuffix(host, WITH_BUILDERS) !== host || /(?:^|\.)gov(?:t|\.|$)/.test(host)) return undefined;
  const isBuilder = getPublicSuffix(host, AS_IT_IS) !== host;
  if (isBuilder) return { code: 'builder', about: host };
  return COMPANIES_BELOW.test(host) ? { code: 'suffix', about: host } : undefined;
}

/** Whether the host or one above it is among those that a person accepts: `accept_hosts`. */
export const isAccepted = (host: string, accepted: readonly string[]): boolean =>
  accepted.length > 0 && withParents(host).some((name) => accepted.includes(name));

/** Whether a link hides where it leads. */
export const isHidden = (address: HostAndPath): boolean => hidden.has(address);

export const isSearch = (address: HostAndPath): boolean => searches.has(address);
