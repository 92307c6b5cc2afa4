/**
 * What stands in columns of companies' names and is none, with where each was seen. Letter case makes no
 * difference. Some words for nothing are missing: companies are called Empty, Blank, Loading and Freelancer.
 */
export const NO_COMPANY: readonly (readonly [words: string, where: string])[] = [
  ['none, null, nil, n/a, na, undefined', 'databases, programs'],
  ['not provided, not available, not applicable, not found, not specified, not known', 'CRMs, web forms'],
  ['tbc, tba, tbd, to be confirmed, to be advised, unknown', 'lists of people'],
  ['unknown company, no company, no company name, no employer', 'HubSpot, Salesforce'],
  ['company name, companyname, company, organisation name, organization name', 'a header again'],
  ['business name, account name, employer name, your company, your company name', 'a header again'],
  [
    'private, confidential, company confidential, withheld, name withheld, undisclosed',
    'job boards, registers',
  ],
  ['self-employed, self employed, selfemployed, freelance, retired, unemployed', 'LinkedIn'],
];
