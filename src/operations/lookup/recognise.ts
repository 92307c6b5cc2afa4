import type { Normalised } from '../../core/operation.ts';
import { wordsIn } from '../../core/plain-text.ts';
import {
  normaliseAbn,
  normaliseCompanyProfile,
  normaliseDomain,
  normaliseEmail,
  normalisePersonProfile,
  normaliseWebsite,
  withoutTextMark,
} from './identifiers.ts';

/**
 * Recognises a cell by its text alone, to guess what a column holds. This is stricter than an operation that
 * knows the column: an e-mail address will do for a domain, but a column of them is a column of e-mail
 * addresses. Each function is total and pure, and rejects most cells of other kinds before they are read in
 * full.
 */

/**
 * Eleven digits at least, or a character that is a number in itself, but not one such as `é`. The digits are
 * counted from the beginning once, and not again from each of them.
 */
const NUMBERS = /^(?:[^0-9]*[0-9]){11}|[\p{N}--[0-9]]/v;

const BARE_HOST = /^[^/:?#@]+$/;

/** Nobody writes this except before a web address. */
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

export function isAbn(cell: string): boolean {
  return NUMBERS.test(cell) && isUsable(normaliseAbn(cell));
}

export function isEmail(cell: string): boolean {
  return cell.includes('@') && isUsable(normaliseEmail(cell));
}

/** `acme.com.au`, or `www.acme.com.au`. */
export function isDomain(cell: string): boolean {
  return mayBeSite(cell) && BARE_HOST.test(cell) && isUsable(normaliseDomain(cell));
}

/**
 * Any web address that is one company's own, also a bare domain: in most lists some addresses have no
 * `https://`.
 */
export function isWebsite(cell: string): boolean {
  return mayBeSite(cell) && isUsable(normaliseWebsite(cell));
}

/** A company's page in a network that we know: a page in another network may belong to anybody. */
export function isCompanyProfile(cell: string): boolean {
  return (
    mayBeAddress(cell) && isUsable(normaliseCompanyProfile(cell)) && !isUsable(normalisePersonProfile(cell))
  );
}

export function isPersonProfile(cell: string): boolean {
  return (
    mayBeAddress(cell) && isUsable(normalisePersonProfile(cell)) && !isUsable(normaliseCompanyProfile(cell))
  );
}

/** The cell has no blanks within it, and a dot, because every host name has one. */
function mayBeAddress(cell: string): boolean {
  return cell.includes('.') && !/\s/.test(cell.trim());
}

/** An address with a scheme or `www.`, or a host with one of the accepted ends. */
function mayBeSite(cell: string): boolean {
  if (!mayBeAddress(cell)) return false;
  const text = withoutTextMark(cell);
  if (ADDRESS_MARK.test(text)) return true;
  const [host = ''] = text.toLowerCase().split(/[/:?#]/, 1);
  const end = host.slice(host.lastIndexOf('.', host.length - 2) + 1).replace(/\.$/, '');
  return TOP_LEVEL.has(end) || NATIONAL.test(end);
}

function isUsable({ kind }: Normalised): boolean {
  return kind === 'usable';
}
