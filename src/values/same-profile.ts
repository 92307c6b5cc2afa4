/**
 * Whether two addresses of profiles, as they are sent, are those of two people or companies. A network shows
 * one profile by a word, by a number and by an id of its own, so only two of one form are compared.
 */

export interface ProfileForm {
  /** Where such profiles stand: `linkedin.com/in`. */
  readonly place: string;
  readonly form: 'word' | 'number' | 'id';
  readonly value: string;
}

/** Sections of one network whose words are of one kind, so that they are compared. */
const COMPANIES = /^\/(?:company|school|showcase)$/;

const PERSON = /^https:\/\/www\.linkedin\.com\/in\/(?<slug>[\w-]+)$/;

const MEMBER_ID = /^AC[A-Za-z]AA[\w-]{10,}$/;

/** How a network shows a profile, and which one; undefined for what is no address. */
export function formOf(address: string): ProfileForm | undefined {
  // Nearly all are of one network, and a list has many.
  const { slug } = PERSON.exec(address)?.groups ?? {};
  if (slug !== undefined) return { place: 'linkedin.com/in', form: formOfWord(slug), value: slug };
  const url = URL.parse(address);
  if (url === null) return undefined;
  const parts = `${url.pathname}${url.search}${url.hash}`.split(/(?<=[/=])/).filter((part) => part !== '/');
  const value = parts.at(-1) ?? '';
  const host = url.hostname.replace(/^www\./, '');
  const section = url.pathname.slice(0, url.pathname.lastIndexOf('/'));
  const before = COMPANIES.test(section) ? '/company' : parts.slice(0, -1).join('').replace(/\/$/, '');
  return value === '' ? undefined : { place: `${host}${before}`, form: formOfWord(value), value };
}

function formOfWord(value: string): ProfileForm['form'] {
  if (MEMBER_ID.test(value)) return 'id';
  return /^\d+$/.test(value) ? 'number' : 'word';
}

/** Whether both are profiles of one form. */
export function isSameForm(one: string, other: string): boolean {
  const [a, b] = [formOf(one), formOf(other)];
  return a !== undefined && a.place === b?.place && a.form === b.form;
}

/** Whether both are of one form, and of two people or companies. */
export const isOtherProfile = (one: string, other: string): boolean =>
  isSameForm(one, other) && formOf(one)?.value !== formOf(other)?.value;
