import type { RowInput } from '../../core/operation.ts';

/** People and companies whom no vendor knows, in the form of those that were given. */

const PERSON = { first: 'Quillon', last: 'Brindlewick' };
const COMPANY = 'Brindlewick Quarry Works';
const SITE = 'brindlewick-quarry-works';

/** Other names, for an example of a find. */
const SAMPLE = { first: 'Mia', last: 'Sample' };
const SAMPLE_COMPANY = 'Sample Works';
const SAMPLE_SITE = 'sample-works';

interface Invented {
  readonly first: string;
  readonly last: string;
  readonly company: string;
  readonly site: string;
  readonly digit: string;
  /** With a right checksum. */
  readonly abn: string;
}

const NOBODY: Invented = { ...PERSON, company: COMPANY, site: SITE, digit: '7', abn: '29777777777' };
const SOMEBODY: Invented = {
  ...SAMPLE,
  company: SAMPLE_COMPANY,
  site: SAMPLE_SITE,
  digit: '4',
  abn: '59444444444',
};

/** @returns inputs of the same form, about no one that a vendor could know. */
export const nobodyLike = (given: RowInput): Record<string, string> => like(given, NOBODY);

/** @returns inputs of the same form, about the person or the company of an example. */
export const somebodyLike = (given: RowInput): Record<string, string> => like(given, SOMEBODY);

const like = (given: RowInput, who: Invented): Record<string, string> =>
  Object.fromEntries(Object.entries(given).map(([name, value]) => [name, valueLike(name, value, who)]));

/** @param name of an input or of a value of ours. */
function valueLike(name: string, value: string, who: Invented): string {
  const { first, last, company } = who;
  const site = siteLike(value, who);
  switch (name) {
    case 'email':
      return `${first}.${last}@${siteLike(value.split('@')[1] ?? '', who)}`.toLowerCase();
    case 'first_name':
      return cased(first, value);
    case 'last_name':
      return cased(last, value);
    case 'full_name':
      return cased(`${first} ${last}`, value);
    case 'company':
    case 'name':
      return cased(company, value);
    case 'profile_slug':
      return `${first}-${last}`.toLowerCase();
    case 'profile_url':
      return value.replace(
        /[^/?#]+(?=\/?(?:[?#].*)?$)/,
        `${first}-${last}-${who.digit.repeat(4)}`.toLowerCase(),
      );
    case 'website':
      return value.replace(
        /^(https?:\/\/)?(www\.)?[^/]+.*$/i,
        (_, scheme = '', www = '') => `${scheme}${www}${site}`,
      );
    case 'domain':
      return site;
    case 'abn':
      return who.abn;
    case 'country':
    case 'state':
    case 'city':
      return value;
    default:
      return digitsLike(value, who.digit);
  }
}

/** With the ending of the host that was given, so that a vendor of one country does not refuse it. */
function siteLike(host: string, { site }: Invented): string {
  const [, end = '.com'] =
    /[^./]+((?:\.(?:co|com|net|org|gov|edu|asn|id))?\.[a-z]{2,})(?:[/:?#].*)?$/i.exec(host) ?? [];
  return `${site}${end.toLowerCase()}`;
}

const cased = (text: string, like_: string): string =>
  like_ === like_.toLowerCase()
    ? text.toLowerCase()
    : like_ === like_.toUpperCase()
      ? text.toUpperCase()
      : text;

/** The last seven digits differ, so that a number keeps the beginning that its country has. */
function digitsLike(value: string, digit: string): string {
  let remainingDigits = Math.min(7, (value.match(/\d/g) ?? []).length - 1);
  return [...value]
    .reverse()
    .map((sign) => {
      if (!/\d/.test(sign) || remainingDigits <= 0) return sign;
      remainingDigits -= 1;
      return digit;
    })
    .reverse()
    .join('');
}

/** A value of an answer, in the place that has our name for it, about the person or company of an example. */
export const inventedValue = (name: string, value: string): string =>
  name === 'job_title' ? 'Head of Samples' : valueLike(name, value, SOMEBODY);
