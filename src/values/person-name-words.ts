/**
 * What stands in columns of people's names and is nobody, with where each was seen. Letter case makes no
 * difference.
 */

type Seen = readonly (readonly [words: string, where: string])[];

/** Words for no name. */
export const NO_NAME: Seen = [
  ['linkedin member, linkedin user, facebook user, instagram user', 'networks, for people out of reach'],
  [
    'first name, firstname, given name, forename, last name, lastname, surname, family name',
    'a header again',
  ],
  ['full name, middle name, name, contact name, your name, yourname, person name', 'a header again'],
  ['no name, no first name, no last name, no surname, no contact, no contact name', 'CRM imports'],
  [
    'anonymous, deleted user, former user, former member, guest, guest user, unknown user, test user',
    'web shops',
  ],
  ['valued customer, sir/madam, to whom it may concern, the occupant, current resident', 'mail merges'],
];

/** A name that has no other words is a department, or an office that somebody holds. */
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
