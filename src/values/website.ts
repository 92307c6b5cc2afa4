import { wordsIn } from '../core/plain-text.ts';
import { withoutTextMark } from './cell-text.ts';
import { isAccepted, type NotOwn, whyNotOwn } from './hosts.ts';
import type { Kind } from './kind.ts';
import { damageOf, identifierDamage, type Mend } from './mend.ts';
import { isUsable, type ReadTerms, type Unusable, unusable, usable } from './reading.ts';
import {
  addressReader,
  EMAIL_LIKE,
  mayBeAddress,
  readTarget,
  type WebAddress,
  withoutTracking,
} from './web-address.ts';
import { soundOf, webMends } from './web-mends.ts';

/** Why an address is not one company's own; undefined where it is, or where a person accepts its host. */
function notOwn(address: WebAddress, { acceptHosts }: ReadTerms, isMail = false): Unusable | undefined {
  const { host, url } = address;
  if (acceptHosts !== undefined && isAccepted(host, acceptHosts)) return undefined;
  if (address !== last?.address || isMail !== last.isMail)
    last = { address, isMail, why: whyNotOwn({ host, path: url.pathname }, isMail) };
  const { why } = last;
  return why && unusable(why.code, why.about);
}

/** One cell is often read for two inputs, one after the other, and has one address then. */
let last:
  | { readonly address: WebAddress; readonly isMail: boolean; readonly why: NotOwn | undefined }
  | undefined;

/**
 * `acme.org.au` from a domain, a website, any address below it, or an e-mail address; `www.` dropped, IDN as
 * punycode.
 */
const readDomain = addressReader((text, terms = {}) => {
  const ofMail = EMAIL_LIKE.exec(text)?.groups?.host;
  const address = readTarget(ofMail ?? text);
  if ('kind' in address) return address;
  const why = notOwn(address, terms, ofMail !== undefined);
  // `www.` is dropped repeatedly, so that reading the result again changes nothing. `www.com` is a domain
  // and stays.
  return why ?? usable(address.host.replace(/^(?:www\.)+(?=.*\.)/, ''));
}, 'domain');

/**
 * `https://acme.org.au/branch?id=1`, also from `http:` or without a scheme, which name the same company. It
 * has no fragment, no default port, and no slash after a bare host.
 */
const readWebsite = addressReader((text, terms = {}) => {
  if (EMAIL_LIKE.test(text)) return unusable('email_for_website');
  const address = readTarget(text);
  if ('kind' in address) return address;
  const { host } = address;
  const why = notOwn(address, terms);
  if (why !== undefined) return why;
  const { port, pathname, search } = withHttps(address.url);
  const path = pathname === '/' && search === '' ? '' : pathname;
  return usable(`https://${host}${port === '' ? '' : `:${port}`}${path}${search}`);
}, 'website');

function withHttps(address: URL): URL {
  if (address.protocol === 'https:') return address;
  const url = new URL(address);
  url.protocol = 'https:';
  return url;
}

const BARE_HOST = /^[^/:?#@]+$/;

/** No one writes this except before a web address. */
const ADDRESS_MARK = /^(?:https?:\/\/|www\.)/i;

/**
 * Ends of host names that are accepted where nothing else shows a host: `report.pdf` and `jo.citizen` could
 * be hosts as well, and would be paid for. The ends of countries have two letters. This list has the other
 * ends that companies use, and `example`, which is reserved for samples. It is a list of our own, because a
 * published list would change the guesses with each release.
 */
const TOP_LEVEL = new Set(
  wordsIn(`com net org edu gov info biz name pro coop asia travel museum app dev online site website store
  shop tech xyz cloud agency digital solutions services group consulting media design studio world global
  space live life today company network energy health care clinic dental finance financial legal law
  education academy school foundation charity church community international realestate property build
  construction restaurant cafe wine melbourne sydney kiwi example
  `),
);
const NATIONAL = /^(?:[a-z]{2}|xn--[a-z0-9-]+)$/;

/** An address with a scheme or `www.`, or a host with one of the accepted ends. */
function mayBeSite(cell: string): boolean {
  if (!mayBeAddress(cell)) return false;
  const text = withoutTextMark(cell);
  if (ADDRESS_MARK.test(text)) return true;
  const [host = ''] = text.toLowerCase().split(/[/:?#]/, 1);
  const end = host.slice(host.lastIndexOf('.', host.length - 2) + 1).replace(/\.$/, '');
  return TOP_LEVEL.has(end) || NATIONAL.test(end);
}

const MENDS = webMends('website');
const VISIT: Mend = { kind: 'tracking', mend: withoutTracking };

export const domain = {
  read: readDomain,
  /** `acme.com.au`, or `www.acme.com.au`. */
  looksRight: (cell) => mayBeSite(cell) && BARE_HOST.test(cell) && isUsable(readDomain(cell)),
  damage: identifierDamage(damageOf(readDomain, MENDS), soundOf('=@+-')),
} as const satisfies Kind;

export const website = {
  read: readWebsite,
  /**
   * Any web address that is one company's own, also a bare domain: in most lists some addresses have no
   * `https://`.
   */
  looksRight: (cell) => mayBeSite(cell) && isUsable(readWebsite(cell)),
  damage: identifierDamage(damageOf(readWebsite, [...MENDS, VISIT]), soundOf('=-')),
} as const satisfies Kind;
