type Seen = readonly (readonly [words: string, where: string])[];

/**
 * The parts before the @ that stand for a department or a machine, with where each was seen. No one is called
 * so, and a vendor that is asked for the person behind one sells whom it likes.
 */
export const ROLES: Seen = [
  ['abuse, admin, administrator, hostmaster, noc, postmaster, security, webmaster, root', 'RFC 2142'],
  ['info, marketing, sales, support, news, usenet, ftp, www', 'RFC 2142'],
  ['noreply, no-reply, no_reply, no.reply, donotreply, do-not-reply, do_not_reply, do.not.reply', 'machines'],
  [
    'mailer-daemon, mailerdaemon, bounce, bounces, notifications, notification, notify, alerts, alert',
    'machines',
  ],
  ['newsletter, newsletters, unsubscribe, subscribe, subscriptions, updates, system, automated', 'machines'],
  [
    'enquiries, enquiry, inquiries, inquiry, contact, contactus, contact-us, hello, hi, hey',
    'Australian websites',
  ],
  ['office, reception, frontdesk, front.desk, general, mail, email, post, team, staff, everyone', 'websites'],
  [
    'accounts, account, accounting, accountspayable, accounts.payable, ap, ar, billing, invoice',
    'MYOB, Xero',
  ],
  [
    'invoices, finance, payments, payroll, orders, order, purchasing, procurement, quotes, tenders',
    'MYOB, Xero',
  ],
  ['hr, jobs, careers, career, recruitment, recruiting, humanresources, people, volunteers', 'job boards'],
  [
    'help, helpdesk, help.desk, customerservice, customer.service, customercare, service, services',
    'websites',
  ],
  [
    'feedback, complaints, returns, warranty, bookings, booking, reservations, reservation, events',
    'websites',
  ],
  [
    'media, press, pr, communications, legal, privacy, compliance, dpo, gdpr, it, tech, technical',
    'websites',
  ],
  ['shop, store, web, website, studio, clinic, pharmacy, school, library, membership, members', 'registers'],
  [
    'kontakt, anfrage, verkauf, vertrieb, buchhaltung, rechnung, bewerbung, buero, büro, empfang',
    'German sites',
  ],
  [
    'accueil, bonjour, ventes, commercial, contacto, ventas, administracion, informacion, info-au',
    'other languages',
  ],
  [
    'informazioni, vendite, amministrazione, segreteria, contato, vendas, atendimento, secretaria',
    'other languages',
  ],
  [
    'postmottak, firmapost, kundeservice, asiakaspalvelu, biuro, sekretariat, klantenservice',
    'other languages',
  ],
];

/** What stands before the @ where there is no address, whatever the host is: no one is called so. */
export const NOBODYS: Seen = [
  ['noemail, no-email, no_email, no.email, noemailaddress, nomail, no-mail, noaddress', 'Salesforce, MYOB'],
  ['notavailable, not-available, notprovided, not-provided, notgiven, nonegiven', 'CRM imports'],
  ['yourname, your.name, your-name, youremail, your.email, yourusername', 'placeholders'],
  ['first.last, firstname.lastname, first_last, firstname_lastname, email_not_unlocked', 'placeholders'],
];

/** What is typed or written to pass a required field, before the @ and as the name of the host. */
export const STAND_INS: Seen = [
  ['none, na, n-a, nil, null, unknown', 'CRM imports'],
  ['noone, nobody, nope, no, noname, tbc, tba, dummy, fake, asdf, qwerty, test, testing, x, xx', 'web forms'],
  ['name, email, user, username, someone, example', 'placeholders'],
];

/** The same before the @ alone: as hosts, some of them are companies. */
export const STAND_IN_NAMES: Seen = [
  ['you, your, foo, sample, demo, john.doe, jane.doe, johndoe, janedoe, jdoe', 'placeholders'],
];

/** Hosts that stand for none beside such a part, without their ends. */
export const STAND_IN_HOSTS =
  'domain, email, example, mail, nowhere, company, yourcompany, yourdomain, your-domain, bar';

/** What stands for none where the name of the host is the same. */
export const TWICE: Seen = [
  ['abc, abcd, abc123, xyz, aaa, aaaa, asd, asdasd, qwe, 123, 1234, 12345, foo, demo, sample', 'web forms'],
];
