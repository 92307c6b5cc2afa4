import { type HostAndPath, HostList, HostTable, linesOfHosts } from './host-table.ts';
import { isHidden, isSearch, unknownEnd } from './hosts.ts';
import { MAIL_PROGRAMS } from './seen-hosts/mail-programs.ts';
import { NETWORK_PAGES, SHOWN_BEHIND_FRAGMENT } from './seen-hosts/network-pages.ts';
import { SHORTENERS } from './seen-hosts/shorteners.ts';
import type { WebAddress } from './web-address.ts';

/** What an address shows as the page of a person or of a company, as far as its host and path tell. */

export type SubjectKind = 'person' | 'company';

interface NetworkPage {
  readonly shows: SubjectKind | 'either' | 'nobody';
  /** `*` is any segment. */
  readonly segments: readonly string[];
  /** The parameter that names the owner of the page; undefined where the path does. */
  readonly parameter: string | undefined;
}

const segmentsOf = (path: string): readonly string[] => path.split('/').filter((segment) => segment !== '');

const pages = new HostTable<NetworkPage>();
for (const line of linesOfHosts(NETWORK_PAGES)) {
  const [hosts = '', shows = '', page = ''] = line.split(/\s+/);
  const [path = '', parameter] = page.split('?');
  const value = { shows: shows as NetworkPage['shows'], segments: segmentsOf(path), parameter };
  for (const host of hosts.split(',')) pages.add(host, value);
}

const mailPrograms = new HostList(MAIL_PROGRAMS);
const shortLinks = new HostList(SHORTENERS);
const behindFragment = new HostList(SHOWN_BEHIND_FRAGMENT);

export interface NoPage {
  readonly code:
    | 'webmail_page'
    | 'redirect_link'
    | 'short_link'
    | 'unknown_tld'
    | 'search_page'
    | 'not_a_profile'
    | 'person_profile'
    | 'company_profile';
  readonly about: string;
}

/** What is known of a page of a network; undefined where it may be anybody's. */
function pageOf(host: string, { pathname, searchParams }: URL): NetworkPage['shows'] | undefined {
  const segments = segmentsOf(pathname);
  const page = pages
    .of(host)
    .map(({ value }) => value)
    .find((each) => each.segments.every((segment, at) => isSegment(segment, segments[at])));
  if (page === undefined) return undefined;
  const { shows, parameter } = page;
  const isSaid =
    parameter === undefined ||
    [...searchParams].some(([name, value]) => value !== '' && isAlike(name, parameter));
  return isSaid ? shows : 'nobody';
}

/** Whether a network shows a person, or a company, at an address for sure. */
export const isPageOf = (whose: SubjectKind, { host, url }: WebAddress): boolean =>
  pageOf(host, url) === whose;

/** Why the page is no one's, or not that of a person or a company as is wanted; undefined where it may be. */
export function whyNotPageOf(whose: SubjectKind, { host, url }: WebAddress): NoPage | undefined {
  const address = { host, path: url.pathname };
  if (mailPrograms.has(address)) return { code: 'webmail_page', about: host };
  if (isHidden(address)) return { code: 'redirect_link', about: host };
  if (shortLinks.has(address)) return { code: 'short_link', about: host };
  if (isSearch(address)) return { code: 'search_page', about: host };
  const end = unknownEnd(host);
  if (end !== undefined) return { code: 'unknown_tld', about: end };
  const shows = pageOf(host, url);
  if (shows === undefined || shows === 'either' || shows === whose) return undefined;
  if (shows === 'nobody') return { code: 'not_a_profile', about: host };
  return { code: shows === 'person' ? 'person_profile' : 'company_profile', about: host };
}

/** A list in capitals has its addresses in capitals as well. */
const isAlike = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

const isSegment = (wanted: string, segment: string | undefined): boolean =>
  segment !== undefined && (wanted === '*' || isAlike(wanted, segment));

/** `/apps/profile/person/7654321`, without what follows the number; a search has none. */
const SHOWN = /^(?<page>\/?(?:(?!search)[\w-]+\/)+(?:-?\d+|[0-9a-f]{16,}))(?:[/?].*)?$/i;

/**
 * What stands behind `#` and belongs to the address: on hosts that show people there, and have no path. Empty
 * where it does not show one.
 */
export function shownBehindFragment({ host, path }: HostAndPath, fragment: string): string {
  if (path !== '/' || !behindFragment.has({ host, path })) return '';
  return SHOWN.exec(fragment.slice(1))?.groups?.page ?? '';
}

/** Whom the part behind `#` names; undefined where its words do not say. */
export function shownBy(page: string): SubjectKind | undefined {
  if (/(?:^|\/)(?:person|people|contacts?)\//i.test(page)) return 'person';
  return /(?:^|\/)(?:company|companies|accounts?|organizations?)\//i.test(page) ? 'company' : undefined;
}
