/**
 * What stands in columns of people's names and is no one, with where each was seen. Letter case makes no
 * difference.
 */

type Seen = readonly (readonly [words: string, where: string])[];

/** Words for no name: in a whole name, and in either part of one. */
export const NO_NAME: Seen = [
  ['linkedin member, linkedin user, facebook user, instagram user', 'networks, for people out of reach'],
  [
    'first name, firstname, given name, forename, last name, lastname, surname, family name',
    'a header again',
  ],
  ['full name, middle name, name, contact name, your name, yourname, person name', 'a header again'],
  ['fname, lname, f name, l name', 'Mailchimp'],
  ['no name, no first name, no last name, no surname, no contact, no contact name', 'CRM imports'],
  ['name withheld, name unknown, name not known, not known', 'registers'],
  ['anonymous, deleted user, former user, former member, guest user, unknown user, test user', 'web shops'],
  ['valued customer, sir/madam, to whom it may concern, the occupant, current resident', 'mail merges'],
  ['deceased, the deceased, dec’d', 'registers, lists of members'],
  ['do not use, do not contact, do not call, do not email, to be deleted, delete, delete me', 'MYOB, CRMs'],
  ['asdf, asdfg, asdfgh, qwerty, qwertz', 'typed to pass a required field'],
];

/**
 * A name that has no other words is a department, or an office that somebody holds. Marion Sales is a person.
 */
export const OFFICES: Seen = [
  ['sales, marketing, support, service, services, customer, client, success, care, team, group', 'CRMs'],
  [
    'accounts, account, accounting, payable, receivable, billing, finance, payroll, procurement',
    'MYOB, Xero',
  ],
  ['purchasing, orders, invoices, human, resources, hr, recruitment, careers, people, culture', 'job boards'],
  ['office, reception, front, desk, help, helpdesk, department, dept, admin, administration', 'websites'],
  [
    'general, enquiries, enquiry, info, information, technology, it, systems, technical, operations',
    'websites',
  ],
  ['media, press, public, relations, communications, legal, compliance, events, bookings', 'websites'],
  [
    'manager, management, director, owner, secretary, treasurer, committee, board, store, the, and, of',
    'registers',
  ],
];

/**
 * A name that has no other words than these and those of offices stands for no one. Each of them is
 * somebody's name as well: Anna Test, Christopher Guest, James Last, Rosa Private, Carla Estate.
 */
export const STAND_INS: Seen = [
  ['linkedin, facebook, instagram, member, members, user, username', 'networks, web shops'],
  ['test, tests, tester, testing, dummy, demo, sample, example, fake, person, persona', 'test records'],
  ['first, last, middle, given, family, name, surname, contact, contacts', 'a header again'],
  ['guest, visitor, donor, anonymous, anon, prospect, lead, subscriber, attendee', 'web shops, tickets'],
  [
    'private, confidential, withheld, hidden, redacted, unknown, unnamed, undisclosed, tbc, tba, tbd',
    'registers, vendors',
  ],
  [
    'estate, deceased, late, trustee, trustees, executor, executors, beneficiary',
    'registers of shareholders',
  ],
  ['vacant, position, role, former, current, employee, staff, resident, occupant, householder', 'registers'],
  ['deleted, inactive, duplicate, dup, old, new, temp, temporary, default, generic', 'CRM clean-ups'],
  ['foo, bar, asdf, qwerty', 'typed to pass a required field'],
];

/** Before a name. Not here: Prince, Judge, Major, Dean and Col are given names, and Hon is one in Asia. */
export const TITLES: Seen = [
  ['mr, mrs, ms, miss, mx, messrs, dr, doctor, prof, professor, assoc, a/prof, sir, madam', 'CRMs'],
  ['rev, revd, reverend, capt, lt, sgt, pte, pvt, private, cllr', 'lists of members'],
  ['herr, frau, mme, mlle, monsieur, madame, señor, señora, signor, signora', 'Europe'],
];

/**
 * Behind a name. Not here: Ma, Ba, Md and Ao are names; JD and CA are initials; Jr and III belong to names.
 */
export const DEGREES: Seen = [
  ['mba, phd, dphil, edd, bsc, msc, bcom, beng, meng, llb, llm, mbbs, mphil, mph, mpa, pharmd', 'LinkedIn'],
  ['cpa, fcpa, cfa, acca, fcca, fca, pmp, cissp, gaicd, maicd, faicd, fracgp, oam, esq', 'LinkedIn'],
  ['mr, mrs, ms, dr, prof', 'lists with the surname first'],
];

/** Behind the name of a company or a trust, and of no one. */
export const LEGAL_FORM =
  /(?:^|\s)(?:(?:p(?:ty|te|vt)\.? )?(?:ltd|limited)|p\/l|pty|inc|incorporated|llc|llp|plc|gmbh|sarl|sdn\.? bhd|(?:family|unit|discretionary) trust|super(?:annuation)? fund)\.?$/i;
