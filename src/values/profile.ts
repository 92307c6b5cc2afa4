import { listed, wordsIn } from '../core/plain-text.ts';
import { linesOfHosts } from './host-table.ts';
import { isAccepted } from './hosts.ts';
import type { Kind } from './kind.ts';
import { damageOf, ENCODING, identifierDamage, UNSEEN } from './mend.ts';
import { isPageOf, type SubjectKind, shownBehindFragment, shownBy, whyNotPageOf } from './profile-pages.ts';
import { isUsable, type Read, type ReadAs, type ReadTerms, unusable, usable } from './reading.ts';
import { NOBODYS_SLUGS } from './seen-hosts/network-pages.ts';
import {
  addressReader,
  EMAIL_LIKE,
  mayBeAddress,
  readTarget,
  TRACKING,
  type WebAddress,
} from './web-address.ts';
import { soundOf, webMends } from './web-mends.ts';

/**
 * The paths at LinkedIn under which slugs stand. The vendor does not say to which network its profile URLs
 * belong, so a URL of any network is taken. This one is known well enough to unite its spellings and to read
 * a slug out of a URL.
 */
const SECTIONS: Readonly<Record<SubjectKind, readonly string[]>> = {
  person: ['in'],
  company: ['company', 'school', 'showcase'],
};
const isLinkedIn = ({ host }: WebAddress): boolean => /(?:^|\.)linkedin\.com$/.test(host);

/**
 * Letters, digits, hyphens and underscores of any script, and "&". Dots are not allowed, because they would
 * make every host a slug; in a path, a dot belongs to the slug of one page.
 */
const SLUG = /^[\p{L}\p{N}][\p{L}\p{N}\p{M}_&-]*$/u;
const SLUG_IN_PATH =
  /^[\p{L}\p{N}\p{Extended_Pictographic}][\p{L}\p{N}\p{M}\p{Extended_Pictographic}_&.-]*$/u;

/**
 * `https://www.linkedin.com/in/jo-citizen`: https, canonical host, no tracking, no fragment, no slash at the
 * end.
 */
const readPerson = addressReader((text, terms) => profileUrlIn(text, 'person', terms), 'profile_url');

/** `https://www.linkedin.com/company/acme`, in the same form. */
const readCompany = addressReader((text, terms) => profileUrlIn(text, 'company', terms), 'profile_url');

/**
 * `jo-citizen` from a slug, from `in/jo-citizen`, or from a profile URL of a network that we know. Lower
 * case, but for a member id.
 */
const readProfileSlug = addressReader((text) => {
  const bare = readSlug(text.replace(/^\/?in\//i, ''));
  if (bare === undefined) return slugIn(text);
  return LINK_WORDS.has(bare) ? unusable('link_word') : usable(bare);
}, 'profile_slug');

/** The same slug, but only from an address: a word in a column of addresses is no one's slug. */
export const slugOfAddress: Read = addressReader(slugIn, 'profile_slug');

/**
 * Words that lists show in place of an address. Such a word read for a slug would belong to a person all the
 * same, and be bought.
 */
const LINK_WORDS = new Set(
  wordsIn(`
    linkedin profile profiles link links url view here click open see visit website web page slug handle
    person contact name more details yes no n-a unknown
  `),
);

function slugIn(text: string): ReadAs {
  if (EMAIL_LIKE.test(text)) return unusable('email_for_profile');
  const address = readTarget(text);
  if ('kind' in address) return address;
  if (!isLinkedIn(address)) return unusable('no_slug_in_url', address.host);
  const slug = pageIn(address.url, 'person')?.slug;
  return slug === undefined ? unusable('not_a_person_profile') : usable(slug);
}

function profileUrlIn(text: string, whose: SubjectKind, { profiles = [] }: ReadTerms = {}): ReadAs {
  // No slug has a slash, and nearly every address has.
  if (!text.includes('/') && readSlug(text) !== undefined) return unusable('slug_for_url');
  if (EMAIL_LIKE.test(text)) return unusable('email_for_profile');
  const address = readTarget(text);
  if ('kind' in address) return address;
  if (profiles.length > 0 && !isAccepted(address.host, profiles))
    return unusable('unsupported_network', listed(profiles));
  if (!isLinkedIn(address)) return pageOf(address, whose);
  const found = pageIn(address.url, whose);
  if (found !== undefined)
    return usable(`https://www.linkedin.com/${found.section}/${encodeURIComponent(found.slug)}`);
  // The same person may have another address there, which only the network can tell from the usual one.
  return isPageOf(whose, address)
    ? usable(cleanUrl({ ...address, host: 'www.linkedin.com' }))
    : whyNotLinkedIn(address, whose);
}

/** Why a page of LinkedIn is not that of a person, or a company. */
function whyNotLinkedIn({ url }: WebAddress, whose: SubjectKind): ReadAs {
  const [section = '', slug] = segmentsOf(url);
  const isNobodys = slug !== undefined && NOBODYS.has(slug.toLowerCase());
  return isNobodys && SECTIONS[whose].includes(section.toLowerCase())
    ? unusable('placeholder_slug', slug)
    : unusable(WRONG_PAGE[whose]);
}

/** A page of any other network, by what its address shows. */
function pageOf(address: WebAddress, whose: SubjectKind): ReadAs {
  const { host, url } = address;
  const why = whyNotPageOf(whose, address);
  if (why !== undefined) return unusable(why.code, why.about);
  const shown = shownBy(shownBehindFragment({ host, path: url.pathname }, url.hash));
  if (shown === undefined || shown === whose) return addressOf(address);
  return unusable(shown === 'person' ? 'person_profile' : 'company_profile');
}

/** The address of one page, and of no whole site. */
function addressOf(address: WebAddress): ReadAs {
  const { host, url } = address;
  if (url.pathname !== '/' || (url.search !== '' && !isQuestion(url))) return usable(cleanUrl(address));
  const page = shownBehindFragment({ host, path: url.pathname }, url.hash);
  if (page !== '') return usable(`https://${host}/#${page}`);
  return unusable(url.hash === '' ? 'whole_site' : 'only_a_fragment', host);
}

/** Whether the query of a bare host is a search. */
const isQuestion = ({ searchParams }: URL): boolean =>
  ['q', 'query', 'search', 's', 'p', 'keywords', 'keyword', 'text', 'wd'].some((name) =>
    searchParams.has(name),
  );

function cleanUrl(address: WebAddress): string {
  const url = new URL(address.url.href);
  url.protocol = 'https:';
  url.hostname = address.host;
  const tracking = [...url.searchParams.keys()].filter((name) => TRACKING.test(name));
  for (const name of tracking) url.searchParams.delete(name);
  return `https://${url.host}${url.pathname.replace(/\/+$/, '')}${url.search}`;
}

/** The end of a sentence that was pasted along with an address; the URL parser has escaped some of it. */
const PASTED_END = /(?:[)\],;.!']|%(?:20|22|3E|7D))+$/i;

const segmentsOf = ({ pathname }: URL): readonly string[] =>
  pathname
    .replace(/^\/(?:m|mwlite|comm)(?=\/)/i, '')
    .split('/')
    .filter((segment) => segment !== '');

/**
 * `/in/jo-citizen/en` → section `in`, slug `jo-citizen`, also from the mobile pages; undefined for any other
 * path.
 */
function pageIn(url: URL, whose: SubjectKind): { section: string; slug: string } | undefined {
  const [first = '', second = ''] = segmentsOf(url);
  const section = first.toLowerCase();
  const slug = readSlug(second.replace(PASTED_END, ''), SLUG_IN_PATH);
  return SECTIONS[whose].includes(section) && slug !== undefined && !NOBODYS.has(slug)
    ? { section, slug }
    : undefined;
}

/**
 * The network's own name for a member. Exports have it in place of a slug. In other capitals it names another
 * member.
 */
const MEMBER_ID = /^AC[a-z]AA[\w-]{10,}$/;

/** Slugs do not tell upper from lower case, and a copied URL may have them percent-encoded. */
function readSlug(text: string, pattern = SLUG): string | undefined {
  if (MEMBER_ID.test(text)) return text;
  const slug = percentDecoded(text)?.toLowerCase().normalize('NFC');
  return slug !== undefined && pattern.test(slug) ? slug : undefined;
}

function percentDecoded(text: string): string | undefined {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

const NOBODYS: ReadonlySet<string> = new Set(
  linesOfHosts(NOBODYS_SLUGS).flatMap((line) => line.split(/\s+/)),
);

const WRONG_PAGE = { person: 'not_a_person_profile', company: 'not_a_company_profile' } as const;

/** The address of a page, whoever's it is: one by which people were once asked for may be no one's today. */
export const pageAddress: Read = addressReader((text) => {
  const address = readTarget(text);
  return 'kind' in address || isLinkedIn(address) ? profileUrlIn(text, 'person') : addressOf(address);
}, 'profile_url');

/** A profile of a person or, where it is none, of a company. */
const readEither: Read = (cell, terms) => {
  const person = readPerson(cell, terms);
  return person.kind === 'usable' ? person : readCompany(cell, terms);
};

const damage = identifierDamage(damageOf(readEither, webMends('profile')), soundOf('=?&@-'));

export const personProfile = {
  read: readPerson,
  looksRight: (cell) => mayBeAddress(cell) && isUsable(readPerson(cell)) && !isUsable(readCompany(cell)),
  damage,
} as const satisfies Kind;

export const companyProfile = {
  read: readCompany,
  /** A company's page in a network that we know: a page in another network may belong to anybody. */
  looksRight: (cell) => mayBeAddress(cell) && isUsable(readCompany(cell)) && !isUsable(readPerson(cell)),
  damage,
} as const satisfies Kind;

/** Of a column that may be about either. */
export const profileUrl = {
  read: readEither,
  looksRight: (cell) => personProfile.looksRight(cell) || companyProfile.looksRight(cell),
  damage,
} as const satisfies Kind;

export const profileSlug = {
  read: readProfileSlug,
  damage: identifierDamage(damageOf(readProfileSlug, [ENCODING, UNSEEN]), /^[\w/-]*$/),
} as const satisfies Kind;
