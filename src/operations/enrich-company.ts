import { wordsIn } from '../core/plain-text.ts';
import { companyName } from '../values/company-name.ts';
import { abn, acn, formatAbn, registerNumber } from '../values/number.ts';
import { companyProfile, personProfile } from '../values/profile.ts';
import { country } from '../values/text.ts';
import { domain, website } from '../values/website.ts';
import { type Identifier, lookUpOperation } from './lookup/waterfall.ts';

/**
 * The identifiers in the order in which they are tried: first the number that only one company has, then
 * identifiers that companies may share.
 */
const companyIdentifiers: readonly Identifier[] = [
  {
    name: 'abn',
    kind: 'abn',
    about: 'the Australian Business Number, 11 digits in any spelling',
    aliases: wordsIn(
      'abn abnnumber abnno abnacn abnoracn acnabn australianbusinessnumber companyabn businessabn charityabn',
    ),
    read: abn.read,
    looksRight: abn.looksRight,
    checksummed: true,
    standsAlone: true,
    quote: formatAbn,
  },
  {
    name: 'domain',
    kind: 'domain',
    about: "the company's own domain; a website or a company e-mail address works too",
    aliases: ['domain', 'domainname', 'companydomain', 'businessdomain', 'webdomain', 'websitedomain'],
    read: domain.read,
    looksRight: domain.looksRight,
    derivedFrom: { names: ['website'], read: domain.read },
  },
  {
    name: 'profile_url',
    kind: 'profile_url',
    about: "the address of the company's profile page",
    aliases: wordsIn(`
      profileurl companyprofileurl companyprofile linkedin linkedinurl linkedincompanyurl companylinkedin
      companylinkedinurl linkedinprofile linkedinpage
    `),
    read: companyProfile.read,
    looksRight: companyProfile.looksRight,
    isOthers: personProfile.looksRight,
  },
  {
    name: 'website',
    kind: 'website',
    about: "the address of the company's website",
    aliases: wordsIn(`
      website websiteurl websiteaddress web webaddress url homepage homepageurl companywebsite companyurl
      businesswebsite charitywebsite organisationwebsite organizationwebsite
    `),
    read: website.read,
    looksRight: website.looksRight,
  },
  {
    name: 'name',
    kind: 'company_name',
    about: "the company's name",
    aliases: wordsIn(`
      name company companyname businessname organisation organization organisationname organizationname
      legalname entityname accountname charitylegalname tradingname
    `),
    generic: ['name'],
    read: companyName.read,
    needsBy: true,
  },
  {
    name: 'country',
    about: 'the country of the company, as its vendor writes it',
    aliases: wordsIn('country countrycode companycountry'),
    read: country.read,
    needsBy: true,
  },
  {
    name: 'number',
    kind: 'number',
    about: 'the number of the company in a register, such as a company number or an NZBN',
    aliases: wordsIn(`
      number companynumber registernumber registrationnumber companyregistrationnumber companyno acn nzbn crn
    `),
    generic: ['number'],
    read: registerNumber.read,
    derivedFrom: { names: ['abn'], read: acn.read },
    standsAlone: true,
    needsBy: true,
  },
];

export default lookUpOperation(
  {
    name: 'enrich-company',
    summary: 'Find a company by ABN, domain, profile URL or website, or by its name or number.',
    noun: ['company', 'companies'],
    title: 'companies',
    together: ['country'],
    checkedBy: undefined,
    offered: { finds: true, fills: 'industry', team: false },
    tried: ['domain', 'abn'],
    call: {
      folded: ['name'],
      gives: wordsIn(`
        name domain website profile_url abn number industry employees revenue founded phone email street city
        state postcode country
      `),
      wants: undefined,
      takesId: true,
      finds: 'company',
      isAbout: 'company',
      erased: 'values',
    },
  },
  companyIdentifiers,
);
