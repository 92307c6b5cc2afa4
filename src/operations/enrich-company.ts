import { wordsIn } from '../core/plain-text.ts';
import { formatAbn } from './lookup/abn.ts';
import {
  normaliseAbn,
  normaliseCompanyName,
  normaliseCompanyProfile,
  normaliseCountry,
  normaliseDomain,
  normaliseRegisterNumber,
  normaliseWebsite,
} from './lookup/identifiers.ts';
import { isAbn, isCompanyProfile, isDomain, isWebsite } from './lookup/recognise.ts';
import { type Identifier, lookUpOperation } from './lookup/waterfall.ts';

/**
 * The identifiers in the order in which they are tried: first the number that only one company has, then
 * identifiers that companies may share.
 */
const companyIdentifiers: readonly Identifier[] = [
  {
    name: 'abn',
    label: 'ABN',
    about: 'the Australian Business Number, 11 digits in any spelling',
    aliases: wordsIn('abn abnnumber abnno australianbusinessnumber companyabn businessabn charityabn'),
    normalise: normaliseAbn,
    looksRight: isAbn,
    checksummed: true,
    standsAlone: true,
    quote: formatAbn,
  },
  {
    name: 'domain',
    label: 'domain',
    about: "the company's own domain; a website or a company e-mail address works too",
    aliases: ['domain', 'domainname', 'companydomain', 'businessdomain', 'webdomain', 'websitedomain'],
    normalise: normaliseDomain,
    looksRight: isDomain,
    derivedFrom: { names: ['website'], normalise: normaliseDomain },
  },
  {
    name: 'profile_url',
    label: 'profile URL',
    about: "the address of the company's profile page",
    aliases: wordsIn(`
      profileurl companyprofileurl companyprofile linkedin linkedinurl linkedincompanyurl companylinkedin
      companylinkedinurl linkedinprofile linkedinpage
    `),
    normalise: normaliseCompanyProfile,
    looksRight: isCompanyProfile,
  },
  {
    name: 'website',
    label: 'website',
    about: "the address of the company's website",
    aliases: wordsIn(`
      website websiteurl websiteaddress web webaddress url homepage homepageurl companywebsite companyurl
      businesswebsite charitywebsite organisationwebsite organizationwebsite
    `),
    normalise: normaliseWebsite,
    looksRight: isWebsite,
  },
  {
    name: 'name',
    label: 'name',
    about: "the company's name",
    aliases: wordsIn(`
      name company companyname businessname organisation organization organisationname organizationname
      legalname entityname accountname charitylegalname tradingname
    `),
    generic: ['name'],
    normalise: normaliseCompanyName,
    needsBy: true,
  },
  {
    name: 'country',
    label: 'country',
    about: 'the country of the company, as its vendor writes it',
    aliases: wordsIn('country countrycode companycountry'),
    normalise: normaliseCountry,
    needsBy: true,
  },
  {
    name: 'number',
    label: 'number',
    about: 'the number of the company in a register, such as a company number or an NZBN',
    aliases: wordsIn(`
      number companynumber registernumber registrationnumber companyregistrationnumber companyno acn nzbn crn
    `),
    generic: ['number'],
    normalise: normaliseRegisterNumber,
    standsAlone: true,
    needsBy: true,
  },
];

export default lookUpOperation(
  'enrich-company',
  'Find a company by ABN, domain, profile URL or website, or by its name or number.',
  companyIdentifiers,
);
