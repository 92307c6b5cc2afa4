/**
 * Why a text is no value of its kind, by a code, with its words: a clause behind the text, such as "the
 * checksum fails".
 */

type Words = string | ((about: string) => string);

const WORDS = {
  too_long: (limit) => `is longer than ${limit} characters`,
  unaskable: 'the vendor cannot look it up',
  sheet_error: 'is an error of a formula in the spreadsheet',
  placeholder: 'is a place for a value that a program did not fill',
  hidden: 'hides its value behind signs',
  mojibake: 'has letters of a wrong encoding',
  entities: (pair) => `has ${pair} as web pages write it`,
  unsendable: 'has a line break or another character that cannot be sent',
  unfit_for_address: 'cannot be part of an address',
  unfit_for_header: 'cannot be part of a header',

  // ------------------------------------------------------------------------------------------- web addresses
  spaces: 'contains a space or several values',
  scheme: (scheme) => `starts with ${scheme}, not with https://`,
  no_web_address: 'is not a web address',
  user_name: 'contains a user name',
  ip_address: 'is an IP address, not a name',
  no_dot: 'has no dot in its host name',
  no_domain: (host) => `${host} is not a domain name`,
  mailbox_host: (host) => `${host} belongs to a mailbox provider, not to one company`,
  page_of_many: (host) =>
    `is a page of ${host}, which shows many companies; accept_hosts takes it all the same`,
  short_link: (host) => `is a short link of ${host}, which hides whose page it is`,
  hidden_target: (host) => `is a link of ${host}, which hides where it leads`,
  made_up: (host) => `${host} stands for no website`,
  builder: (host) => `${host} is a builder of websites, and not the website of a company`,
  no_such_end: (end) => `ends in .${end}, as no domain does; accept_hosts takes its host all the same`,
  suffix: (host) => `${host} is what domains end in, and no domain`,
  email_for_website: 'is an e-mail address, not a website',

  // ------------------------------------------------------------------------------------------------ profiles
  slug_for_url: 'is a slug, not a URL',
  nobodys_slug: (slug) => `has "${slug}" where a person or a company stands, as programs write it for none`,
  email_for_profile: 'is an e-mail address, not a profile',
  link_word: 'is a word for a link, not a slug',
  no_slug_there: (host) => `no slug can be read from a page of ${host}`,
  no_person_page: 'is not the profile of a person on LinkedIn, which starts with /in/…',
  no_company_page:
    'is not the profile of a company on LinkedIn, which starts with /company/…, /school/…, or /showcase/…',
  whole_site: (host) => `is all of ${host}, and no page of it`,
  nothing_but_fragment: (host) => `has nothing but a host and a part behind #, which ${host} keeps to itself`,
  mail_program: 'is a page of a mail program',
  search: 'is a search',
  page_of_nobody: (host) => `is a page of ${host} that is nobody's profile`,
  page_of_person: 'is the page of a person, not of a company',
  page_of_company: 'is the page of a company, not of a person',
  other_network: (hosts) => `the vendor takes profiles of ${hosts} alone`,

  // -------------------------------------------------------------------------------------------------- e-mail
  no_email: 'is not an e-mail address',
  several_ats: 'has more than one @',
  unseen: 'contains a character that nobody sees',
  taken_out: 'is marked as deleted, and takes no mail',
  several_emails: 'holds more than one e-mail address',
  hidden_email: 'hides the address behind signs',
  stand_in_email: 'stands for no address',
  commented_out: 'begins with a sign that takes a line out of a list',
  two_scripts: 'has letters of two scripts before the @, some of which look alike',
  role_email:
    'is that of a department or a machine, and nobody is looked up by it; `role_addresses: send` in the job ' +
    'takes such for people',
  host_letters: (plain) => `has other letters than a to z after the @; write that as ${plain}`,

  // --------------------------------------------------------------------------------------------------- names
  long_name: (limit) => `is longer than ${limit} characters, and no name is`,
  two_people: 'names two people',
  office: 'is a department or an office, and no person',
  company_for_person: 'is a company, and no person',
  estate: 'is an estate, and no person',
  stand_in_name: 'stands for no name',
  sheet_value: (what) => `is ${what} of a spreadsheet, and no name`,
  pronouns: 'has pronouns beside the name',
  title: 'is a title, and no given name',
  no_given_name: 'is one name beside a title or a degree, and a full name has two',
  no_person: 'is not the name of a person',
  one_word: 'is one word, and a full name has two',
  address_for_name: 'is an address, not a name',
  no_company: 'is not the name of a company',
  no_country: 'is not a country',

  // ------------------------------------------------------------------------------------------------- numbers
  spreadsheet_number: (number) => `looks like a rounded number from a spreadsheet (${number})`,
  letters: 'contains letters',
  sign: (sign) => `contains the sign ${sign}`,
  acn: 'is an ACN; the ABN has those nine digits behind two more',
  no_acn: 'is no ACN',
  phone_for_abn: 'is a telephone number, and no ABN',
  digits: (count) => `has ${count} ${count === '1' ? 'digit' : 'digits'}, an ABN has 11`,
  leading_zero: 'starts with 0, an ABN never does',
  checksum: 'the checksum fails',
  rounded: 'ends in zeros and fails the checksum, like a number that a spreadsheet has rounded',
  no_phone: 'is not a telephone number',
  no_country_code: 'has no country in front, as in +61, and stands beside none',
  no_register_number: 'is not the number of a register',
} as const satisfies Readonly<Record<string, Words>>;

export type Code = keyof typeof WORDS;

export const CODES = Object.keys(WORDS) as readonly Code[];

/** @param problem an unusable reading. */
export function problemWords({ code, about = '' }: { readonly code: Code; readonly about?: string }): string {
  const words: Words = WORDS[code];
  return typeof words === 'string' ? words : words(about);
}
