/**
 * Why a text is no value of its kind, by a code, with its words: a clause behind the text, such as "the
 * checksum fails".
 */

type Words = string | ((about: string) => string);

const WORDS = {
  too_long: (limit) => `is longer than ${limit} characters`,
  unaskable: 'the vendor cannot look it up',
  formula_error: 'is an error of a formula in the spreadsheet',
  placeholder: 'is a placeholder that a program did not fill',
  masked_value: 'is masked',
  mojibake: 'has letters of a wrong encoding',
  entities: (pair) => `contains the HTML entity ${pair}`,
  unsendable: 'has a line break or another character that cannot be sent',
  unfit_for_address: 'cannot be part of an address',
  unfit_for_header: 'cannot be part of a header',

  // ------------------------------------------------------------------------------------------- web addresses
  contains_spaces: 'contains a space or several values',
  wrong_scheme: (scheme) => `starts with ${scheme}, not with https://`,
  not_a_web_address: 'is not a web address',
  has_user_name: 'contains a user name',
  ip_address: 'is an IP address, not a name',
  no_dot_in_host: 'has no dot in its host name',
  not_a_domain: (host) => `${host} is not a domain name`,
  mailbox_host: (host) => `${host} belongs to a mailbox provider, not to one company`,
  directory_page: (host) => `${host} has pages of many companies`,
  short_link: (host) => `is a short link of ${host}, which does not show the page it opens`,
  redirect_link: (host) => `is a link of ${host}, which does not show the page it opens`,
  placeholder_host: (host) => `${host} is a placeholder, not a website`,
  website_builder: (host) => `${host} is a website builder, not the website of a company`,
  unknown_tld: (end) => `ends in .${end}, which is no top-level domain`,
  public_suffix: (host) => `${host} is a public suffix, not a domain`,
  email_for_website: 'is an e-mail address, not a website',

  // ------------------------------------------------------------------------------------------------ profiles
  slug_for_url: 'is a slug, not a URL',
  placeholder_slug: (slug) => `has the placeholder "${slug}" in place of a person or a company`,
  email_for_profile: 'is an e-mail address, not a profile',
  link_word: 'is the text of a link, not a slug',
  no_slug_in_url: (host) => `no slug can be read from a page of ${host}`,
  not_a_person_profile: 'is not the profile of a person on LinkedIn, which starts with /in/…',
  not_a_company_profile:
    'is not the profile of a company on LinkedIn, which starts with /company/…, /school/…, or /showcase/…',
  whole_site: (host) => `is the whole site ${host}, not one page of it`,
  only_a_fragment: (host) => `names its page only after #, which browsers do not send to ${host}`,
  webmail_page: 'is a page of a webmail service',
  search_page: 'is a search page',
  not_a_profile: (host) => `is a page of ${host} that is not a profile`,
  person_profile: 'is the page of a person, not of a company',
  company_profile: 'is the page of a company, not of a person',
  unsupported_network: (hosts) => `the vendor takes profiles of ${hosts} only`,

  // -------------------------------------------------------------------------------------------------- e-mail
  not_an_email: 'is not an e-mail address',
  several_at_signs: 'has more than one @',
  invisible_character: 'contains an invisible character',
  deleted_address: 'is marked as deleted',
  several_emails: 'holds more than one e-mail address',
  masked_email: 'is a masked address',
  placeholder_email: 'is a placeholder, not an address',
  commented_out: 'begins with a comment sign',
  mixed_scripts: 'mixes letters of two scripts before the @',
  role_address: 'is the address of a department or a machine, not of a person',
  non_ascii_host: (plain) => `has other letters than a to z after the @; write that as ${plain}`,

  // --------------------------------------------------------------------------------------------------- names
  name_too_long: (limit) => `is longer than ${limit} characters, the most for a name`,
  two_people: 'names two people',
  department_for_person: 'is a department or an office, not a person',
  company_for_person: 'is a company, not a person',
  estate_for_person: 'is an estate, not a person',
  placeholder_name: 'is a placeholder, not a name',
  sheet_value: (what) => `is ${what} of a spreadsheet, not a name`,
  pronouns: 'has pronouns beside the name',
  title_for_name: 'is a title, not a given name',
  no_given_name: 'is one name with a title or a degree; a full name has two',
  not_a_person_name: 'is not the name of a person',
  one_word_name: 'is one word; a full name has two',
  address_for_name: 'is an address, not a name',
  not_a_company_name: 'is not the name of a company',
  not_a_country: 'is not a country',

  // ------------------------------------------------------------------------------------------------- numbers
  rounded_by_spreadsheet: (number) => `looks like a rounded number from a spreadsheet (${number})`,
  contains_letters: 'contains letters',
  contains_sign: (sign) => `contains the sign ${sign}`,
  acn_for_abn: 'is an ACN; the ABN has two more digits before these nine',
  not_an_acn: 'is not an ACN',
  phone_for_abn: 'is a telephone number, not an ABN',
  wrong_length: (count) => `has ${count} ${count === '1' ? 'digit' : 'digits'}, an ABN has 11`,
  leading_zero: 'starts with 0; an ABN never does',
  checksum_fails: 'the checksum fails',
  rounded: 'ends in zeros and fails the checksum, like a number that a spreadsheet has rounded',
  not_a_phone: 'is not a telephone number',
  no_country_code: 'has no country code such as +61, and the row names no country',
  not_a_register_number: 'is not the number of a register',
} as const satisfies Readonly<Record<string, Words>>;

export type Code = keyof typeof WORDS;

export const CODES = Object.keys(WORDS) as readonly Code[];

const TAKES_HOST = 'name the host under `accept_hosts` in the job';

/** The entry of the job that takes such a text as it is. */
const IN_THE_JOB: { readonly [Each in Code]?: string } = {
  directory_page: TAKES_HOST,
  website_builder: TAKES_HOST,
  unknown_tld: TAKES_HOST,
  role_address: 'set `role_addresses: send` in the job',
};

/** @param problem an unusable reading. */
export function problemWords({ code, about = '' }: { readonly code: Code; readonly about?: string }): string {
  const words: Words = WORDS[code];
  return typeof words === 'string' ? words : words(about);
}

/** @returns the entry of the job that sends such a cell as it is; undefined: there is none. */
export const allowedBy = (code: Code): string | undefined => IN_THE_JOB[code];
