/**
 * Vendors as their references show them, for a process that stands in for each: what a request asks about, what the answer to it looks
 * like, and what the vendor books for it. Of three people, or numbers, a vendor knows the first and the third.
 */

export interface Request {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Body;
}

// biome-ignore lint/suspicious/noExplicitAny: the body of a request, in which a vendor looks for what it needs
type Body = any;

interface Said {
  readonly status?: number;
  readonly body: unknown;
  /** In the vendor's own credits. */
  readonly charged: number;
}

export interface StandIn {
  readonly dialect: string;
  readonly operation: 'find-email' | 'check-email' | 'check-phone';
  readonly secrets?: Readonly<Record<string, { readonly value: string }>>;
  /** By what it is asked, of the columns of the list. */
  readonly asked: Readonly<Record<string, string>>;
  isAllowed(request: Request): boolean;
  /** What the request asks about: a word that the cell of the person has in it. */
  question(request: Request): string;
  /** The id in a request for a later answer; undefined for any other request. */
  later?(request: Request): string | undefined;
  /** The first answer of a vendor that answers later. */
  accepted?(id: string): Pick<Said, 'status' | 'body'>;
  notYet?: Pick<Said, 'status' | 'body'>;
  says(name: string): Said;
  /** The cells that the three rows get. */
  readonly wanted: readonly [string, string, string];
}

export const KEY = 'key-of-eight-1f3d';
const KNOWN = ['ann', 'cat'];
const isKnown = (name: string): boolean => KNOWN.includes(name);
const addressOf = (name: string): string => `${name}@found.example`;
const FOUND = [addressOf('ann'), '', addressOf('cat')] as const;
const CHECKED = ['valid', 'unknown', 'invalid'] as const;
const basic = (name: string, word: string): string => `Basic ${btoa(`${name}:${word}`)}`;

const NAMES = { first_name: 'First', last_name: 'Last', domain: 'Site' };
const EMAIL = { email: 'Email' };

/** The first person is valid, the second no one can tell, and the third is not. */
const wordFor = (name: string, words: readonly [string, string, string]): string =>
  words[['ann', 'bob', 'cat'].indexOf(name)] ?? '';

export const EIGHT: readonly StandIn[] = [
  {
    dialect: 'tomba',
    operation: 'find-email',
    secrets: { secret: { value: 'ts_of-eight-22' } },
    asked: NAMES,
    isAllowed: ({ headers }) =>
      headers['x-tomba-key'] === KEY && headers['x-tomba-secret'] === 'ts_of-eight-22',
    question: ({ url }) => url.searchParams.get('first_name') ?? '',
    says: (name) => ({
      charged: isKnown(name) ? 1 : 0,
      body: {
        data: {
          email: isKnown(name) ? addressOf(name) : null,
          first_name: name,
          score: isKnown(name) ? 90 : null,
          verification: { date: null, status: isKnown(name) ? 'valid' : null },
          sources: [],
        },
      },
    }),
    wanted: FOUND,
  },
  {
    dialect: 'anymailfinder',
    operation: 'find-email',
    asked: NAMES,
    isAllowed: ({ headers }) => headers.authorization === KEY,
    question: ({ body }) => body.first_name,
    // What it is not sure of is free.
    says: (name) => {
      const charged = name === 'ann' ? 1 : 0;
      const email = isKnown(name) ? addressOf(name) : null;
      const status = wordFor(name, ['valid', 'not_found', 'risky']);
      return { charged, body: { credits_charged: charged, email, email_status: status, valid_email: null } };
    },
    wanted: FOUND,
  },
  {
    dialect: 'lemlist',
    operation: 'find-email',
    asked: NAMES,
    isAllowed: ({ headers }) => headers.authorization === basic('', KEY),
    question: ({ url }) => url.searchParams.get('firstName') ?? '',
    later: ({ method, url }) => (method === 'GET' ? url.pathname.split('/').at(-1) : undefined),
    accepted: (id) => ({ body: { id } }),
    notYet: { status: 202, body: { enrichmentStatus: 'in-progress', input: { firstName: 'x' }, data: {} } },
    says: (name) => ({
      charged: isKnown(name) ? 5 : 0,
      body: {
        enrichmentStatus: 'done',
        input: { firstName: name },
        data: { email: isKnown(name) ? { email: addressOf(name), notFound: false } : { notFound: true } },
      },
    }),
    wanted: FOUND,
  },
  {
    dialect: 'bouncer',
    operation: 'check-email',
    asked: EMAIL,
    isAllowed: ({ headers }) => headers['x-api-key'] === KEY,
    question: ({ url }) => url.searchParams.get('email') ?? '',
    says: (name) => ({
      charged: name === 'bob' ? 0 : 1,
      body: {
        email: `${name}@x.example`,
        status: wordFor(name, ['deliverable', 'unknown', 'undeliverable']),
        reason: wordFor(name, ['accepted_email', 'timeout', 'rejected_email']),
        domain: { name: 'x.example', acceptAll: 'no', disposable: 'no', free: 'no' },
        score: 10,
      },
    }),
    wanted: CHECKED,
  },
  {
    dialect: 'zerobounce',
    operation: 'check-email',
    asked: EMAIL,
    isAllowed: ({ url }) => url.searchParams.get('api_key') === KEY,
    question: ({ url }) => url.searchParams.get('email') ?? '',
    says: (name) => ({
      charged: name === 'bob' ? 0 : 1,
      body: {
        address: `${name}@x.example`,
        status: wordFor(name, ['valid', 'unknown', 'do_not_mail']),
        sub_status: wordFor(name, ['', 'mail_server_temporary_error', 'role_based']),
        account: name,
        domain: 'x.example',
        mx_found: 'true',
        processed_at: '2026-08-13 07:02:22.001',
      },
    }),
    wanted: CHECKED,
  },
  {
    dialect: 'seamless',
    operation: 'find-email',
    asked: NAMES,
    isAllowed: ({ headers }) => headers.token === KEY,
    question: ({ body }) => body.contacts[0].contactName,
    later: ({ url }) => url.searchParams.get('requestIds') ?? undefined,
    accepted: (id) => ({ status: 202, body: { success: true, requestIds: [id] } }),
    notYet: { body: { success: true, data: [{ requestId: 'x', status: 'researching', message: '' }] } },
    says: (name) => ({
      charged: isKnown(name) ? 1 : 0,
      body: {
        success: true,
        data: [
          isKnown(name)
            ? {
                status: 'done',
                message: '',
                contact: { firstName: name, email: addressOf(name), company: 'Acme' },
              }
            : { status: 'missing', message: '' },
        ],
      },
    }),
    wanted: FOUND,
  },
  {
    dialect: 'signalhire',
    operation: 'find-email',
    asked: { profile_url: 'Profile' },
    isAllowed: ({ headers }) => headers.apikey === KEY,
    question: ({ body }) => body.items[0],
    later: ({ method, url }) => (method === 'GET' ? url.pathname.split('/').at(-1) : undefined),
    accepted: (id) => ({ status: 201, body: { requestId: Number(id) } }),
    notYet: { status: 204, body: undefined },
    says: (name) => ({
      charged: isKnown(name) ? 1 : 0,
      body: [
        isKnown(name)
          ? {
              item: name,
              status: 'success',
              candidate: {
                fullName: name,
                contacts: [
                  { type: 'phone', value: '+61 491 570 156', subType: 'work_phone' },
                  { type: 'email', value: addressOf(name), subType: 'work' },
                ],
              },
            }
          : { item: name, status: 'failed' },
      ],
    }),
    wanted: FOUND,
  },
  {
    dialect: 'twilio',
    operation: 'check-phone',
    secrets: { user: { value: 'AC-of-eight' } },
    asked: { phone: 'Phone' },
    isAllowed: ({ headers }) => headers.authorization === basic('AC-of-eight', KEY),
    question: ({ url }) => decodeURIComponent(url.pathname.split('/').at(-1) ?? ''),
    says: (name) => ({
      charged: 0,
      body: { phone_number: '+61491570156', valid: name !== 'cat', validation_errors: [], caller_name: null },
    }),
    wanted: ['valid', 'valid', 'invalid'],
  },
];

/** The list of all of them. */
export const LIST = [
  'First,Last,Site,Email,Profile,Phone',
  'ann,Lee,a.example,ann@x.example,https://www.linkedin.com/in/ann,+61 491 570 156',
  'bob,Poe,b.example,bob@x.example,https://www.linkedin.com/in/bob,+61 491 570 157',
  'cat,Roy,c.example,cat@x.example,https://www.linkedin.com/in/cat,+61 491 570 158',
  '',
].join('\n');

/** Who is meant by what was asked: a name is in it, or the last digit of a number. */
export function personIn(question: string): string {
  const digit = ['ann', 'bob', 'cat'][Number(question.at(-1)) - 6];
  return ['ann', 'bob', 'cat'].find((name) => question.toLowerCase().includes(name)) ?? digit ?? question;
}
