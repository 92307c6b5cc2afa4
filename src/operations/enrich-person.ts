import { wordsIn } from '../core/plain-text.ts';
import {
  normaliseEmail,
  normalisePersonProfile,
  normaliseProfileSlug,
  normaliseSlugOfAddress,
} from './lookup/identifiers.ts';
import { isEmail, isPersonProfile } from './lookup/recognise.ts';
import { type Identifier, lookUpOperation } from './lookup/waterfall.ts';

/**
 * The identifiers in the order in which they are tried: an address belongs to one person today, a profile may
 * be out of date.
 */
const personIdentifiers: readonly Identifier[] = [
  {
    name: 'email',
    label: 'e-mail',
    about: 'one e-mail address, work or private',
    aliases: wordsIn(`
      email emailaddress emailid mail mailaddress workemail workemailaddress businessemail personalemail
      contactemail primaryemail
    `),
    normalise: normaliseEmail,
    looksRight: isEmail,
    standsAlone: true,
  },
  {
    name: 'profile_url',
    label: 'profile URL',
    about: "the address of the person's profile page",
    aliases: wordsIn(`
      profileurl personprofileurl linkedin linkedinurl linkedinprofile linkedinprofileurl personlinkedin
      personlinkedinurl contactlinkedin contactlinkedinurl
    `),
    normalise: normalisePersonProfile,
    looksRight: isPersonProfile,
  },
  {
    name: 'profile_slug',
    label: 'profile slug',
    about: 'the last part of the profile address, such as jo-citizen; the whole address works too',
    aliases: wordsIn('profileslug linkedinslug linkedinhandle linkedinpublicidentifier publicidentifier'),
    normalise: normaliseProfileSlug,
    isOnes: true,
    derivedFrom: { name: 'profile_url', normalise: normaliseSlugOfAddress },
  },
];

export default lookUpOperation(
  'enrich-person',
  'Find a person by e-mail address, profile URL or profile slug.',
  personIdentifiers,
);
