import { tldts } from '../core/libraries.ts';
import { entriesOf, type HostAndPath, HostList, HostTable, isBelow, withParents } from './host-table.ts';
import { BUILDERS } from './seen-hosts/builders.ts';
import { MADE_UP, SAMPLES } from './seen-hosts/made-up.ts';
import { MAILBOXES } from './seen-hosts/mailboxes.ts';
import { OWN_BELOW, PLATFORMS, TOOLS } from './seen-hosts/platforms.ts';
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
    | 'directory_page'
    | 'short_link'
    | 'redirect_link'
    | 'website_builder'
    | 'public_suffix'
    | 'unknown_tld'
    | 'placeholder_host';
  readonly about: string;
}

interface Said extends Pick<NotOwn, 'code'> {
  readonly path: string;
  readonly holds: Holding;
}

/**
 * What is no company's own: all of a host, `alone` the host itself (`acme.wixsite.com` is a company's), or
 * `pages` all but the host itself (`canva.com` is its maker's).
 */
type Holding = 'all' | 'alone' | 'pages';

const table = new HostTable<Said>();
for (const [code, data, holds = 'all'] of [
  ['redirect_link', HIDDEN_TARGETS],
  ['short_link', SHORTENERS],
  ['directory_page', PLATFORMS],
  ['directory_page', OWN_BELOW, 'alone'],
  ['directory_page', TOOLS, 'pages'],
  ['directory_page', SEARCHES],
  ['website_builder', BUILDERS, 'alone'],
  ['mailbox_host', MAILBOXES],
  ['placeholder_host', MADE_UP],
  ['placeholder_host', SAMPLES, 'alone'],
] as const)
  for (const { host, path } of entriesOf(data)) table.add(host, { code, path, holds });

const searches = new HostList(SEARCHES);
const hidden = new HostList(HIDDEN_TARGETS);

/**
 * Undefined for an address that may be one company's own.
 * @param isMail whether it is the host of an e-mail address: whoever has one at a platform works there.
 */
export function whyNotOwn({ host, path }: HostAndPath, isMail = false): NotOwn | undefined {
  const plain = withoutWww(host);
  for (const { host: listed, value } of table.of(host)) {
    const { code, holds } = value;
    if (holds === 'alone' ? listed !== plain : !isBelow(path, value.path)) continue;
    if (holds === 'pages' && listed === plain && path.length <= 1) continue;
    if (isMail && !OF_MAIL.has(code)) continue;
    // Of mailboxes the whole host is named, as it stands in the address of a person.
    return { code, about: code === 'mailbox_host' ? host : listed };
  }
  return whySuffix(plain);
}

/** What counts of the host of an e-mail address. */
const OF_MAIL: ReadonlySet<NotOwn['code']> = new Set(['mailbox_host', 'website_builder', 'placeholder_host']);

const withoutWww = (host: string): string =>
  host.startsWith('www.') ? host.replace(/^(?:www\.)+(?=.*\.)/, '') : host;

/**
 * Second levels below which companies have their domains. Governments have websites at theirs: `vic.gov.au`.
 */
const COMPANIES_BELOW = /^(?:com|co|net|org)\.[a-z]{2}$/;

/** The host is known to be one, so `tldts` need not look. */
const AS_IT_IS = { extractHostname: false, validateHostname: false, detectIp: false };
const WITH_BUILDERS = { ...AS_IT_IS, allowPrivateDomains: true };

/**
 * Ends that no name in the internet has, as RFC 6761, RFC 6762 and ICANN keep them. `.example` is for
 * samples.
 */
const NEVER_PUBLIC = /\.(?:test|invalid|localhost|local|internal|lan|intranet|home|corp|localdomain)$/;

function whySuffix(host: string): NotOwn | undefined {
  if (NEVER_PUBLIC.test(host)) return { code: 'placeholder_host', about: host };
  const end = unknownEnd(host);
  if (end !== undefined) return { code: 'unknown_tld', about: end };
  if (tldts().getPublicSuffix(host, WITH_BUILDERS) !== host || /(?:^|\.)gov(?:t|\.|$)/.test(host))
    return undefined;
  const isBuilder = tldts().getPublicSuffix(host, AS_IT_IS) !== host;
  if (isBuilder) return { code: 'website_builder', about: host };
  return COMPANIES_BELOW.test(host) ? { code: 'public_suffix', about: host } : undefined;
}

/** What domains of the internet end in, and `.example`, which is kept for samples. The list is in `tldts`. */
const KNOWN_ENDS = new Map<string, boolean>([['example', true]]);
const MOST_KNOWN = 10_000;

/** The last label of a host, as `con` in `acme.con`, where no domain of the internet ends so. */
export function unknownEnd(host: string): string | undefined {
  const end = host.slice(host.lastIndexOf('.') + 1);
  let isKnown = KNOWN_ENDS.get(end);
  if (isKnown === undefined) {
    // South Africa has names at its second levels alone.
    isKnown = [`a.${end}`, `a.co.${end}`].some((name) => tldts().parse(name, AS_IT_IS).isIcann === true);
    if (KNOWN_ENDS.size < MOST_KNOWN) KNOWN_ENDS.set(end, isKnown);
  }
  return isKnown ? undefined : end;
}

/** Whether the host or one above it is among those that a person accepts: `accept_hosts`. */
export const isAccepted = (host: string, accepted: readonly string[]): boolean =>
  accepted.length > 0 && withParents(host).some((name) => accepted.includes(name));

/** Whether a link hides where it leads. */
export const isHidden = (address: HostAndPath): boolean => hidden.has(address);

export const isSearch = (address: HostAndPath): boolean => searches.has(address);
