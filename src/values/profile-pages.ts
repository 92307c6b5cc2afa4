import { type HostAndPath, HostList, HostTable, linesOfHosts } from './host-table.ts';
import { isHidden, isSearch } from './hosts.ts';
import { MAIL_PROGRAMS } from './seen-hosts/mail-programs.ts';
import { NETWORK_PAGES, SHOWN_BEHIND_FRAGMENT } from './seen-hosts/network-pages.ts';

/** What an address shows as the page of a person or of a company, as far as its host and path tell. */

export type SubjectKind = 'person' | 'company';

interface NetworkPage {
  readonly shows: SubjectKind | 'nobody';
  /** `*` is any segment. */
  readonly segments: readonly string[];
}

const segmentsOf = (path: string): readonly string[] => path.split('/').filter((segment) => segment !== '');

const pages = new HostTable<NetworkPage>();
for (const line of linesOfHosts(NETWORK_PAGES)) {
  const [host = '', shows = '', path = ''] = line.split(/\s+/);
  pages.add(host, { shows: shows as NetworkPage['shows'], segments: segmentsOf(path) });
}

const mailPrograms = new HostList(MAIL_PROGRAMS);
const behindFragment = new HostList(SHOWN_BEHIND_FRAGMENT);

export interface NoPage {
  readonly code:
    | 'mail_program'
    | 'hidden_target'
    | 'search'
    | 'page_of_nobody'
    | 'page_of_person'
    | 'page_of_company';
  readonly about: string;
}

/** Why the page is nobody's, or not that of a person or a company as is wanted; undefined where it may be. */
export function whyNotPageOf(whose: SubjectKind, address: HostAndPath): NoPage | undefined {
  const { host, path } = address;
  if (mailPrograms.has(address)) return { code: 'mail_program', about: host };
  if (isHidden(address)) return { code: 'hidden_target', about: host };
  if (isSearch(address)) return { code: 'search', about: host };
  const segments = segmentsOf(path);
  const page = pages
    .of(host)
    .map(({ value }) => value)
    .find((each) => each.segments.every((segment, at) => isSegment(segment, segments[at])));
  if (page === undefined || page.shows === whose) return undefined;
  if (page.shows === 'nobody') return { code: 'page_of_nobody', about: host };
  return { code: page.shows === 'person' ? 'page_of_person' : 'page_of_company', about: host };
}

const isSegment = (wanted: string, segment: string | undefined): boolean =>
  segment !== undefined && (wanted === '*' || wanted.toLowerCase() === segment.toLowerCase());

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
