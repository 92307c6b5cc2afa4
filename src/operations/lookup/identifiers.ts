import { domainToASCII } from 'node:url';
import { z } from 'zod';
import type { Normalised } from '../../core/operation.ts';
import { foreignName, isBlankText, wordsIn } from '../../core/plain-text.ts';
import { readAbn } from './abn.ts';

/**
 * Normalisers for identifiers of a company or a person. Each is total, pure and idempotent: normalising its
 * own result changes nothing. Equal identifiers in different spellings become the same text, so they have the
 * same call key, so they are bought once. An identifier that no vendor could find is refused here, before it
 * is paid for.
 */

/**
 * Longer than any address on which browsers agree. The limit also keeps every pattern below fast on a cell
 * full of damage.
 */
const LONGEST_CELL = 2048;

type Unusable = Extract<Normalised, { kind: 'unusable' }>;

const usable = (value: string): Normalised => ({ kind: 'usable', value });
const unusable = (problem: string): Unusable => ({ kind: 'unusable', problem });

/**
 * A leading apostrophe tells a spreadsheet program that the cell is text; exports keep it. No identifier
 * begins with one.
 */
const TEXT_MARKS = /^(?:'\s*)+/;

/**
 * A formula that shows nothing but a text: `="51824753556"` keeps a spreadsheet from turning it into a
 * number.
 */
const SHOWN_TEXT = /^="(?<text>(?:[^"]|"")*)"$/;

/**
 * The meaning of a cell: without the blanks around it, and without the apostrophe or formula that marks it as
 * text.
 */
export function withoutTextMark(cell: string): string {
  const text = cell.trim();
  // Nearly every cell begins with neither, so it is returned at once.
  if (!text.startsWith("'") && !text.startsWith('=')) return text;
  return (shownText(text) ?? text).trim().replace(TEXT_MARKS, '');
}

/** Zeros alone are a value, and nobody's number. */
const ZEROS = /^0+(?:\.0+)?$/;

/** Whether a cell of any column is blank: it has no text, or a word for nothing. */
export const isBlankCell = (cell: string): boolean => isBlankText(withoutTextMark(cell));

/**
 * The text of a cell for an identifier or a role: empty where the cell is blank, or has only zeros.
 */
export function identifierText(cell: string): string {
  const text = withoutTextMark(cell);
  return isBlankText(text) || ZEROS.test(text) ? '' : text;
}

/**
 * The text that a spreadsheet shows for a formula that is nothing but a text; undefined for any other cell.
 */
export function shownText(cell: string): string | undefined {
  return SHOWN_TEXT.exec(cell.trim())?.groups?.text?.replaceAll('""', '"');
}

/**
 * Whether a cell is what a spreadsheet shows where a formula found nothing or cannot be computed. Exports
 * keep this as text.
 */
export function isSheetError(cell: string): boolean {
  return /^#(?:N\/A|REF!|VALUE!|NAME\?|DIV\/0!|NULL!|NUM!|SPILL!|CALC!|ERROR!)$/i.test(cell.trim());
}

function normaliser(read: (text: string) => Normalised): (text: string) => Normalised {
  return (cell) => {
    const text = identifierText(cell);
    if (text === '') return { kind: 'blank' };
    if (text.length > LONGEST_CELL) return unusable(`is longer than ${LONGEST_CELL} characters`);
    if (isSheetError(text)) return unusable('is an error of a formula in the spreadsheet');
    return read(text);
  };
}

/** A link with words before its address: a spreadsheet's formula, Markdown, or an address in brackets. */
const LINKS = [
  /^=HYPERLINK\(\s*"(?<address>[^"]+)"\s*(?:[,;].*)?\)$/is,
  /^\[[^\]]*\]\((?<address>https?:.+)\)$/i,
  /^[^()<>]*[(<]\s*(?<address>https?:[^<>]+?)\s*[)>]$/i,
];

/** The address behind a cell that shows something else; undefined for any other cell. */
export function behindLink(text: string): string | undefined {
  if (!/[)>]$/.test(text) || text.length > LONGEST_CELL) return undefined;
  return LINKS.map((link) => link.exec(text)?.groups?.address?.trim()).find(Boolean);
}

/**
 * An identifier that is read out of an address may stand behind a word:
 * `=HYPERLINK("https://acme.com","Acme")` is about acme.com.
 */
function addressNormaliser(read: (text: string) => Normalised): (text: string) => Normalised {
  return normaliser((text) => read(behindLink(text) ?? text));
}

export const normaliseAbn = normaliser(readAbn);

/**
 * `acme.org.au` from a domain, a website, any address below it, or an e-mail address; `www.` dropped, IDN as
 * punycode.
 */
export const normaliseDomain = addressNormaliser((text) => {
  const address = readAddress(EMAIL_LIKE.exec(text)?.groups?.host ?? text);
  if ('problem' in address) return address;
  const { host, sharedHost: problem } = address;
  // `www.` is dropped repeatedly, so that normalising the result again changes nothing. `www.com` is a domain
  // and stays.
  if (problem !== undefined) return unusable(problem);
  return usable(host.replace(/^(?:www\.)+(?=.*\.)/, ''));
});

/**
 * `https://acme.org.au/branch?id=1`, also from `http:` or without a scheme, which name the same company. It
 * has no fragment, no default port, and no slash after a bare host.
 */
export const normaliseWebsite = addressNormaliser((text) => {
  if (EMAIL_LIKE.test(text)) return unusable('is an e-mail address, not a website');
  const address = readAddress(text);
  if ('problem' in address) return address;
  const { host, sharedHost: problem } = address;
  if (problem !== undefined) return unusable(problem);
  const url = new URL(address.url.href);
  url.protocol = 'https:';
  const { port, pathname, search } = url;
  const path = pathname === '/' && search === '' ? '' : pathname;
  return usable(`https://${host}${port === '' ? '' : `:${port}`}${path}${search}`);
});

/** The check that browsers make: zod's own pattern refuses the "&" of `r&d@acme.com`. */
const email = z.email({ pattern: z.regexes.html5Email });

/**
 * Browsers accept these dots, but no mailbox has them: a dot at either end of the local part, or two in a
 * row.
 */
const STRAY_DOT = /^\.|\.\.|\.@/;

/** A name, in which one blank stands between two words, and equal letters and apostrophes have one form. */
const nameNormaliser = (check: (name: string) => string | undefined): ((cell: string) => Normalised) =>
  normaliser((text) => {
    const spelled = text.normalize('NFC').replaceAll(/\s+/gu, ' ').replaceAll('\u2019', "'");
    const name = spelled.replace(TEXT_MARKS, '');
    const problem = name.length > LONGEST_NAME ? 'is too long for a name' : check(name);
    return problem === undefined ? usable(name) : unusable(problem);
  });

const LONGEST_NAME = 200;

const whyNobody = (name: string): string | undefined =>
  /^[^@/\p{N}]*\p{L}[^@/\p{N}]*$/u.test(name) ? undefined : 'is not the name of a person';

export const normalisePersonName = nameNormaliser(whyNobody);

/** A full name is never split: nobody can tell where the family name begins. */
export const normaliseFullName = nameNormaliser((name) =>
  name.includes(' ') ? whyNobody(name) : 'is one word, and a full name has two',
);

export const normaliseCompanyName = nameNormaliser((name) => {
  if (EMAIL_LIKE.test(name) || /^(?:https?:\/\/|www\.)/i.test(name)) return 'is an address, not a name';
  return /\p{L}|\p{N}/u.test(name) ? undefined : 'is not the name of a company';
});

/** The number of a company in a register: capitals and digits without the signs between them. */
export const normaliseRegisterNumber = normaliser((text) => {
  const number = text.toUpperCase().replaceAll(/[\s.\-/]/gu, '');
  return /^(?=.*[1-9])[A-Z\d]{4,30}$/.test(number)
    ? usable(number)
    : unusable('is not the number of a register');
});

/** A country by its name, or by a code of two or three letters in capitals. */
export const normaliseCountry = normaliser((text) => {
  const name = text.replaceAll(/\s+/gu, ' ');
  if (!/^[\p{L}\p{M}]{2}[\p{L}\p{M} ().,'-]*$/u.test(name)) return unusable('is not a country');
  return usable(name.length <= 3 ? name.toUpperCase() : name);
});

/** One address in lower case. Personal addresses are welcome, because this identifies people. */
export const normaliseEmail = normaliser((text) => {
  const address = text.normalize('NFC').toLowerCase();
  const [name = '', host = '', ...more] = address.split('@');
  if (more.length > 0) return unusable('holds more than one e-mail address');
  if (isAddress(name, host)) return usable(address);
  // Vendors show such a host in one spelling or the other, so a member list of theirs might not show that the
  // person is there.
  const plain = domainToASCII(host);
  return plain !== host && isAddress(name, plain)
    ? unusable(`has other letters than a to z after the @; write that as ${plain}`)
    : unusable('is not an e-mail address');
});

/** Mailboxes may have letters of any script before the @. */
const LETTERS = /[\p{L}\p{N}\p{M}]/u;

function isAddress(name: string, host: string): boolean {
  const foreign = [...name].filter((character) => character > '\u007f');
  if (!foreign.every((character) => LETTERS.test(character))) return false;
  const address = `${name.replace(/[^\p{ASCII}]/gu, 'x')}@${host}`;
  return email.safeParse(address).success && !STRAY_DOT.test(address) && hostProblem(host) === undefined;
}

/**
 * The paths at LinkedIn under which slugs stand. The vendor does not say to which network its profile URLs
 * belong, so a URL of any network is taken. This one is known well enough to unite its spellings and to read
 * a slug out of a URL.
 */
const SECTIONS: Readonly<Record<SubjectKind, readonly string[]>> = {
  person: ['in'],
  company: ['company', 'school', 'showcase'],
};
type SubjectKind = 'person' | 'company';

const isLinkedIn = ({ host }: WebAddress): boolean => /(?:^|\.)linkedin\.com$/.test(host);

/** Query parameters that say where a visitor came from and never to whom a page belongs. */
const TRACKING = /^(?:utm_\w+|gclid|fbclid|msclkid|mc_cid|mc_eid|igshid)$/i;

/**
 * Letters, digits, hyphens and underscores of any script, and "&". Dots are not allowed, because they would
 * make every host a slug; in a path, a dot belongs to the slug of one page.
 */
const SLUG = /^[\p{L}\p{N}][\p{L}\p{N}\p{M}_&-]*$/u;
const SLUG_IN_PATH = /^[\p{L}\p{N}][\p{L}\p{N}\p{M}_&.-]*$/u;

/**
 * `https://www.linkedin.com/in/jo-citizen`: https, canonical host, no tracking, no fragment, no slash at the
 * end.
 */
export const normalisePersonProfile = addressNormaliser((text) => profileUrl(text, 'person'));

/** `https://www.linkedin.com/company/acme`, in the same form. */
export const normaliseCompanyProfile = addressNormaliser((text) => profileUrl(text, 'company'));

/**
 * `jo-citizen` from a slug, from `in/jo-citizen`, or from a profile URL of a network that we know. Lower
 * case, but for a member id.
 */
export const normaliseProfileSlug = addressNormaliser((text) => {
  const bare = readSlug(text.replace(/^\/?in\//i, ''));
  if (bare === undefined) return slugOfAddress(text);
  return LINK_WORDS.has(bare) ? unusable('is a word for a link, not a slug') : usable(bare);
});

/** The same slug, but only from an address: a word in a column of addresses is nobody's slug. */
export const normaliseSlugOfAddress = addressNormaliser(slugOfAddress);

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

function slugOfAddress(text: string): Normalised {
  const address = readAddress(text);
  if ('problem' in address) return address;
  if (!isLinkedIn(address)) return unusable(`no slug can be read from a page of ${address.host}`);
  const slug = slugIn(address.url, 'person')?.slug;
  return slug === undefined ? unusable(wrongPage('person')) : usable(slug);
}

function profileUrl(text: string, whose: SubjectKind): Normalised {
  if (readSlug(text) !== undefined) return unusable('is a slug, not a URL');
  const address = readAddress(text);
  if ('problem' in address) return address;
  if (!isLinkedIn(address)) return usable(cleanUrl(address));
  const found = slugIn(address.url, whose);
  if (found === undefined) return unusable(wrongPage(whose));
  return usable(`https://www.linkedin.com/${found.section}/${encodeURIComponent(found.slug)}`);
}

function cleanUrl(address: WebAddress): string {
  const url = new URL(address.url.href);
  url.protocol = 'https:';
  url.hostname = address.host;
  const tracking = [...url.searchParams.keys()].filter((name) => TRACKING.test(name));
  for (const name of tracking) url.searchParams.delete(name);
  return `https://${url.host}${url.pathname.replace(/\/+$/, '')}${url.search}`;
}

/**
 * The address without the query parameters that only say where a visitor came from. Every other character
 * stays as it is written, because the rest may have been typed by hand.
 */
export function withoutTracking(text: string): string {
  const [, address = '', query, fragment = ''] = /^([^?#]*)(?:\?([^#]*))?(#.*)?$/s.exec(text) ?? [];
  if (query === undefined) return text;
  const parameters = query.split('&');
  const kept = parameters.filter((parameter) => !TRACKING.test(parameter.split('=', 1)[0] ?? ''));
  if (kept.length === parameters.length) return text;
  return `${address}${kept.length === 0 ? '' : `?${kept.join('&')}`}${fragment}`;
}

/** The end of a sentence that was pasted along with an address; the URL parser has escaped some of it. */
const PASTED_END = /(?:[)\],;.!']|%(?:22|3E|7D))+$/i;

/**
 * `/in/jo-citizen/en` → section `in`, slug `jo-citizen`, also from the mobile pages; undefined for any other
 * path.
 */
function slugIn(url: URL, whose: SubjectKind): { section: string; slug: string } | undefined {
  const path = url.pathname.replace(/^\/(?:m|mwlite)(?=\/)/i, '');
  const [first = '', second = ''] = path.split('/').filter((segment) => segment !== '');
  const section = first.toLowerCase();
  const slug = readSlug(second.replace(PASTED_END, ''), SLUG_IN_PATH);
  return SECTIONS[whose].includes(section) && slug !== undefined ? { section, slug } : undefined;
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
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function wrongPage(whose: SubjectKind): string {
  const sections = SECTIONS[whose].map((section) => `/${section}/…`);
  const paths = new Intl.ListFormat('en', { type: 'disjunction' }).format(sections);
  return `is not the profile of a ${whose} on LinkedIn, which starts with ${paths}`;
}

/**
 * One mailbox and nothing around it. This is looser than an e-mail check: it only tells an address from a
 * host.
 */
const EMAIL_LIKE = /^(?:mailto:)?[^\s@/:]+@(?<host>[^\s@/:]+)$/i;

/**
 * A host name as DNS takes it: labels of letters, digits and hyphens, the last one of letters or punycode.
 */
const HOST = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?:[a-z]{2,63}|xn--[a-z0-9-]{1,59})$/;
const LONGEST_HOST = 253;

interface WebAddress {
  readonly url: URL;
  /** Lower case and punycode, without the dot that closes an absolute name. */
  readonly host: string;
  readonly sharedHost: string | undefined;
}

/**
 * A web address with a public host name, `https://` added when no scheme is given; otherwise what is wrong
 * with it.
 */
function readAddress(text: string): WebAddress | Unusable {
  // The parser removes line ends and tabs silently, which would join two values into a third, so we look
  // first.
  if (/\s/.test(text)) return unusable('contains a space or several values');
  const scheme = /^[a-z][a-z0-9+.-]*:\/\//i.exec(text)?.[0];
  if (scheme !== undefined && !/^https?:/i.test(scheme))
    return unusable(`starts with ${scheme}, not with https://`);
  const address = /^https?:/i.test(text) ? text : `https://${text}`;
  const url = URL.parse(address);
  if (url === null) return unusable('is not a web address');
  if (url.username !== '' || url.password !== '') return unusable('contains a user name');
  // The URL parser makes it lower case and punycode.
  const host = url.hostname.endsWith('.') ? url.hostname.slice(0, -1) : url.hostname;
  return hostProblem(host) ?? { url, host, sharedHost: publicHostProblem(host) };
}

function hostProblem(host: string): Unusable | undefined {
  if (host.startsWith('[') || /^[\d.]+$/.test(host)) return unusable('is an IP address, not a name');
  if (!host.includes('.')) return unusable('has no dot in its host name');
  return HOST.test(host) && host.length <= LONGEST_HOST
    ? undefined
    : unusable(`${foreignName(host)} is not a domain name`);
}

/**
 * Hosts that many share, so that a cell with such a host does not say which company is meant. Looking the
 * host up would find the company that runs it, and be charged. Subdomains count as their host.
 *
 * These are short lists of our own, on purpose. The published lists are made for refusing sign-ups: they hold
 * thousands of throw-away names, and companies such as `telstra.com` because their customers have mailboxes
 * there; and each of their releases would change what an unfinished batch buys.
 */

/**
 * Hosts of mailboxes: first the large ones of the world, then access providers of Australia and New Zealand.
 */
const MAIL_HOSTS = `
  gmail.com googlemail.com outlook.com outlook.com.au outlook.co.nz hotmail.com hotmail.com.au hotmail.co.nz
  hotmail.co.uk live.com live.com.au live.co.uk msn.com windowslive.com yahoo.com yahoo.com.au yahoo.co.nz
  yahoo.co.uk ymail.com rocketmail.com icloud.com me.com mac.com aol.com aim.com proton.me protonmail.com
  pm.me fastmail.com fastmail.com.au fastmail.fm hushmail.com tutanota.com tuta.io zohomail.com
  zohomail.com.au mail.com email.com gmx.com gmx.net gmx.de web.de yandex.com yandex.ru mail.ru qq.com
  163.com 126.com naver.com comcast.net btinternet.com virginmedia.com inbox.com rediffmail.com

  bigpond.com bigpond.com.au bigpond.net.au bigpond.net bigpond.au optusnet.com.au iinet.net.au tpg.com.au
  westnet.com.au internode.on.net dodo.com.au aapt.net.au adam.com.au ozemail.com.au netspace.net.au
  iprimus.com.au primusonline.com.au exemail.com.au skymesh.com.au chariot.net.au hotkey.net.au
  picknowl.com.au aanet.com.au ozonline.com.au alphalink.com.au virginbroadband.com.au activ8.net.au
  xtra.co.nz slingshot.co.nz orcon.net.nz clear.net.nz paradise.net.nz ihug.co.nz inspire.net.nz snap.net.nz
  actrix.co.nz kinect.co.nz
`;

/**
 * Networks, blogs under one roof, link pages, short links, documents and forms, events, donations,
 * directories.
 */
const PAGE_HOSTS = `
  facebook.com fb.com fb.me m.me instagram.com threads.net linkedin.com lnkd.in twitter.com x.com t.co
  youtube.com youtu.be tiktok.com pinterest.com pinterest.com.au whatsapp.com wa.me t.me vimeo.com flickr.com
  medium.com substack.com patreon.com wikipedia.org
  linktr.ee linkin.bio beacons.ai bio.link campsite.bio about.me carrd.co lnk.bio
  bit.ly tinyurl.com ow.ly goo.gl g.page
  sites.google.com docs.google.com drive.google.com maps.google.com forms.gle
  meetup.com eventbrite.com eventbrite.com.au trybooking.com humanitix.com
  gofundme.com mycause.com.au givenow.com.au givealittle.co.nz
  yellowpages.com.au whitepages.com.au truelocal.com.au hotfrog.com.au localsearch.com.au startlocal.com.au
  yelp.com yelp.com.au yellow.co.nz finda.co.nz
`;

const PROBLEMS: ReadonlyMap<string, string> = new Map([
  ...wordsIn(MAIL_HOSTS).map((host) => [host, 'belongs to a mailbox provider, not to one company'] as const),
  ...wordsIn(PAGE_HOSTS).map((host) => [host, 'hosts the pages of many companies'] as const),
]);

/**
 * The reason against taking this host for one company's own, as a clause; undefined when there is none. A
 * host counts when it or one of its parents is listed: `au.linkedin.com` counts, `notlinkedin.com` does not.
 */
function publicHostProblem(host: string): string | undefined {
  let name = host;
  for (let dot = name.indexOf('.'); dot !== -1; dot = name.indexOf('.')) {
    const problem = PROBLEMS.get(name);
    if (problem !== undefined) return `${host} ${problem}`;
    name = name.slice(dot + 1);
  }
  return undefined;
}
