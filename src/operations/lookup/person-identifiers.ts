import { wordsIn } from '../../core/plain-text.ts';
import { companyName } from '../../values/company-name.ts';
import { email, isRole } from '../../values/email.ts';
import { fullName, personName, readBeside } from '../../values/person-name.ts';
import { companyProfile, personProfile, profileSlug, slugOfAddress } from '../../values/profile.ts';
import { type Read, unusable } from '../../values/reading.ts';
import { domain } from '../../values/website.ts';
import type { Identifier } from './waterfall.ts';

/** Identifiers of a person, and what is known of one, for all operations that look one up. */

export const OF_PEOPLE = wordsIn(`
  email phone first_name last_name full_name job_title seniority department company domain profile_url city
  state country
`);

export const NAMES = ['first_name', 'last_name', 'full_name', 'company'];

export const EMAIL: Identifier = {
  name: 'email',
  kind: 'email',
  about: 'one e-mail address, work or private',
  aliases: wordsIn(`
    email emailaddress emailid mail mailaddress workemail workemailaddress businessemail personalemail
    contactemail primaryemail
  `),
  read: email.read,
  looksRight: email.looksRight,
  standsAlone: true,
};

/** A department and a machine have mail, and are no person whom a vendor could find. */
const readOfPerson: Read = (cell, terms) => {
  const readEmail = email.read(cell, terms);
  if (readEmail.kind !== 'usable' || terms?.roleAddresses === 'send') return readEmail;
  return isRole(readEmail.value) ? unusable('role_address') : readEmail;
};

/** Each of these alone says who is meant. */
const ALONE: readonly Identifier[] = [
  { ...EMAIL, read: readOfPerson },
  {
    name: 'profile_url',
    kind: 'profile_url',
    about: "the address of the person's profile page",
    aliases: wordsIn(`
      profileurl personprofileurl linkedin linkedinurl linkedinprofile linkedinprofileurl personlinkedin
      personlinkedinurl contactlinkedin contactlinkedinurl
    `),
    read: personProfile.read,
    looksRight: personProfile.looksRight,
    isOthers: companyProfile.looksRight,
  },
  {
    name: 'profile_slug',
    kind: 'profile_slug',
    about: 'the last part of the profile address, such as jo-citizen; the whole address works too',
    aliases: wordsIn('profileslug linkedinslug linkedinhandle linkedinpublicidentifier publicidentifier'),
    read: profileSlug.read,
    isOnes: true,
    derivedFrom: { names: ['profile_url'], read: slugOfAddress },
  },
];

const besideOf = (name: string, isFirst: boolean): NonNullable<Identifier['beside']> => ({
  name,
  read: (cell, other, nothing) => readBeside(cell, other, { isFirst, nothing }),
});

/** These say it only together. */
const TOGETHER: readonly Identifier[] = (
  [
    {
      name: 'first_name',
      kind: 'person_name',
      about: "the person's given name",
      aliases: wordsIn('firstname first givenname forename contactfirstname'),
      read: personName.read,
      beside: besideOf('last_name', true),
    },
    {
      name: 'last_name',
      kind: 'person_name',
      about: "the person's family name",
      aliases: wordsIn('lastname last familyname surname contactlastname'),
      read: personName.read,
      beside: besideOf('first_name', false),
    },
    {
      name: 'full_name',
      kind: 'person_name',
      about: "the person's whole name; put together from the two others where it has no column",
      aliases: wordsIn('fullname name personname contactname contact'),
      generic: ['name', 'contact'],
      read: fullName.read,
      derivedFrom: { names: ['first_name', 'last_name'], read: fullName.read },
    },
    {
      name: 'company',
      kind: 'company_name',
      about: 'the name of the company that they work for',
      aliases: wordsIn('company companyname employer organisation organization accountname'),
      read: companyName.read,
    },
    {
      name: 'domain',
      kind: 'domain',
      about: 'the domain of that company; a website or a company e-mail address works too',
      aliases: wordsIn(`
        domain domainname companydomain businessdomain webdomain websitedomain website websiteurl web
        webaddress companywebsite companyurl homepage
      `),
      read: domain.read,
      looksRight: domain.looksRight,
    },
  ] as const
).map((each) => ({ ...each, needsBy: true }));

/**
 * The identifiers in the order in which they are tried: an address belongs to one person today, a profile may
 * be out of date.
 */
export const PERSON: readonly Identifier[] = [...ALONE, ...TOGETHER];

/**
 * The same for finders. Vendors differ in what they take together, so nothing is asked before the dialect's
 * `by` says it.
 */
export const PERSON_TO_FIND: readonly Identifier[] = PERSON.map((each) => ({ ...each, needsBy: true }));
