/**
 * Why a text is no value of its kind, by a code, with its words: a clause behind the text, such as "the
 * checksum fails".
 */

type Words = string | ((about: string) => string);

const WORDS = {
  too_long: (limit) => `is longer than ${limit} characters`,
  unaskable: 'the vendor cannot look it up',
  formula_error: 'is an error of a formula in the spreadsheet',
  placeholder: 'is a place for a value that a program did not fill',
  masked_value: 'hides its value behind signs',
  mojibake: 'has letters of a wrong encoding',
  entities: (pair) => `has ${pair} as web pages write it`,
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
  directory_page: (host) => `is a page of ${host}, which shows many companies`,
  short_link: (host) => `is a short link of ${host}, which hides whose page it is`,
  redirect_link: (host) => `is a link of ${host}, which hides where it leads`,
  placeholder_host: (host) => `${host} stands for no website`,
  website_builder: (host) => `${host} is a builder of websites, and not the website of a company`,
  unknown_tld: (end) => `ends in .${end}, as no domain does`,
  public_suffix: (host) => `${host} is what domains end in, and no domain`,
  email_for_website: 'is an e-mail address, not a website',

  // ------------------------------------------------------------------------------------------------ profiles
  slug_for_url: 'is a slug, not a URL',
  placeholder_slug: (slug) =>
    `has "${slug}" where a person or a company stands, as programs write it for none`,
  email_for_profile: 'is an e-mail address, not a profile',
  link_word: 'is a word for a link, not a slug',
  no_slug_in_url: (host) => `no slug can be read from a page of ${host}`,
  not_a_person_profile: 'is not the profile of a person on LinkedIn, which starts with /in/…',
  not_a_company_profile:
    'is not the profile of a company on LinkedIn, which starts with /company/…, /school/…, or /showcase/…',
  whole_site: (host) => `is all of ${host}, and no page of it`,
  only_a_fragment: (host) => `has nothing but a host and a part behind #, which ${host} keeps to itself`,
  webmail_page: 'is a page of a mail program',
  search_page: 'is a search',
  not_a_profile: (host) => `is a page of ${host} that is nobody's profile`,
  person_profile: 'is the page of a person, not of a company',
  company_profile: 'is the page of a company, not of a person',
  unsupported_network: (hosts) => `the vendor takes profiles of ${hosts} alone`,

  // -------------------------------------------------------------------------------------------------- e-mail
  not_an_email: 'is not an e-mail address',
  several_at_signs: 'has more than one @',
  invisible_character: 'contains a character that nobody sees',
  deleted_address: 'is marked as deleted, and takes no mail',
  several_emails: 'holds more than one e-mail address',
  masked_email: 'hides the address behind signs',
  placeholder_email: 'stands for no address',
  commented_out: 'begins with a sign that takes a line out of a list',
  mixed_scripts: 'has letters of two scripts before the @, some of which look alike',
  role_address: 'is that of a department or a machine, and nobody is looked up by it',
  non_ascii_host: (plain) => `has other letters than a to z after the @; write that as ${plain}`,

  // --------------------------------------------------------------------------------------------------- names
  name_too_long: (limit) => `is longer than ${limit} characters, and no name is`,
  two_people: 'names two people',
  department_for_person: 'is a department or an office, and no person',
  company_for_person: 'is a company, and no person',
  estate_for_person: 'is an estate, and no person',
  placeholder_name: 'stands for no name',
  sheet_value: (what) => `is ${what} of a spreadsheet, and no name`,
  pronouns: 'has pronouns beside the name',
  title_for_name: 'is a title, and no given name',
  no_given_name: 'is one name beside a title or a degree, and a full name has two',
  not_a_person_name: 'is not the name of a person',
  one_word_name: 'is one word, and a full name has two',
  address_for_name: 'is an address, not a name',
  not_a_company_name: 'is not the name of a company',
  not_a_country: 'is not a country',

  // ------------------------------------------------------------------------------------------------- numbers
  rounded_by_spreadsheet: (number) => `looks like a rounded number from a spreadsheet (${number})`,
  contains_letters: 'contains letters',
  contains_sign: (sign) => `contains the sign ${sign}`,
  acn_for_abn: 'is an ACN; the ABN has those nine digits behind two more',
  not_an_acn: 'is no ACN',
  phone_for_abn: 'is a telephone number, and no ABN',
  wrong_length: (count) => `has ${count} ${count === '1' ? 'digit' : 'digits'}, an ABN has 11`,
  leading_zero: 'starts with 0, an ABN never does',
  checksum_fails: 'the checksum fails',
  rounded: 'ends in zeros and fails the checksum, like a number that a spreadsheet has rounded',
  not_a_phone: 'is not a telephone number',
  no_country_code: 'has no country in front, as in +61, and stands beside none',
  not_a_register_number: 'is not the number of a register',
} as const satisfies Readonly<Record<string, Words>>;

export type Code = keyof typeof WORDS;

export const CODES = Object.keys(WORDS) as readonly Code[];

/** What an entry of the job does about it. */
const IN_THE_JOB: { readonly [Each in Code]?: string } = {
  directory_page: 'accept_hosts takes it all the same',
  unknown_tld: 'accept_hosts takes its host all the same',
  role_address: '`role_addresses: send` in the job takes such for people',
};

/**
 * @param problem an unusable reading.
 * @param forJobs whether the words are for people who write jobs.
 */
export function problemWords(
  { code, about = '' }: { readonly code: Code; readonly about?: string },
  forJobs = true,
): string {
  const words: Words = WORDS[code];
  const fact = typeof words === 'string' ? words : words(about);
  const next = forJobs ? IN_THE_JOB[code] : undefined;
  return next === undefined ? fact : `${fact}; ${next}`;
}
