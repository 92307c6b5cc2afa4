/**
 * Goal: an answer that may have cost something is never taken for a free one, and nothing that a vendor can say leaves
 * the program without a verdict.
 * Method: rule 9 line by line as a table over the built-in provider, then arbitrary replies over it and over dialects
 * that people might write.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type AnswerRule,
  type Dialect,
  type DialectOperation,
  dialectOperationOf,
} from '../../src/client/dialect.ts';
import provider from '../../src/client/dialects/provider.ts';
import service from '../../src/client/dialects/service.ts';
import { judge as judgeAt, type Verdict, type WireReply } from '../../src/client/judge.ts';
import { sayAll } from '../../src/core/finding-words.ts';
import type { Call } from '../../src/core/operation.ts';
import type { Reply } from '../../src/ledger/ledger.ts';

const RECEIVED_MS = Date.UTC(2026, 10, 20, 2, 13);
const operation: DialectOperation = { method: 'POST', path: '/enrich', credits: { most: 2, found: 2 } };

function answered(
  status: number,
  body: unknown = '',
  headers: Readonly<Record<string, string>> = {},
): WireReply {
  const bytes = Buffer.isBuffer(body)
    ? body
    : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  const raw: Reply = { status, headers, body: bytes, receivedAtMs: RECEIVED_MS };
  return { kind: 'answered', raw };
}

const LOOKUP: Call = { operation: 'enrich-company', parameters: { domain: 'asked.example' }, ifLost: 'hold' };
const judge = (reply: WireReply, dialect: Dialect, asked: DialectOperation, call = LOOKUP): Verdict =>
  judgeAt(reply, dialect, asked, call);
const judged = (reply: WireReply, dialect: Dialect = provider): Verdict => judge(reply, dialect, operation);

/** A verdict as a row of the table: what follows, what it was, what it cost. */
function inShort(verdict: Verdict): string {
  if (verdict.kind === 'answered') return `${verdict.answer}, ${verdict.charged} credits`;
  return verdict.kind === 'stopped' ? `stop, ${verdict.stop.code}` : verdict.kind;
}

describe('what costs by volume', () => {
  const search: DialectOperation = {
    ...operation,
    credits: { most: 25, found: 1, per_result: 2 },
    results: 'people',
  };
  const three = { people: [{ n: 'a' }, { n: 'b' }, { n: 'c' }] };

  const { results: _, ...anywhere } = search;
  const stating = { ...provider, credits_charged: { header: 'x-charged' } };
  const free: AnswerRule = { status: [404], means: 'no_match', charged: false };

  test.each<[string, WireReply, string, Dialect?, DialectOperation?]>([
    ['by what came', answered(200, three), 'found, 6 credits'],
    ['at nothing where nobody is in the list', answered(200, { people: [], id: 'r' }), 'no_match, 0 credits'],
    ['by the first list', answered(200, { id: 'r', ...three }), 'found, 6 credits', provider, anywhere],
    ['by the list below what is named', answered(200, { data: three }), 'found, 6 credits'],
    ['at the most where there is none', answered(200, { team: [{ n: 'a' }] }), 'found, 25 credits'],
    ['as is said', answered(200, three, { 'x-charged': '4' }), 'found, 4 credits', stating],
    ['as is said of nobody', answered(404, {}, { 'x-charged': '1' }), 'no_match, 1 credits', stating],
    [
      'at nothing where a rule says that a miss is free',
      answered(404, {}, { 'x-charged': '1' }),
      'no_match, 0 credits',
      { ...stating, answers: [free, ...provider.answers] },
    ],
    ['at nothing where it is refused', answered(422, three), 'refused, 0 credits'],
  ])('what costs by volume is booked %s', (_what, reply, expected, dialect = provider, asked = search) => {
    expect(inShort(judge(reply, dialect, asked))).toBe(expected);
  });
});

describe('rule 9, line by line', () => {
  test.each<[string, WireReply, string]>([
    ['a 200 with data', answered(200, { name: 'Acme' }), 'found, 2 credits'],
    ['204', answered(204), 'no_match, 0 credits'],
    ['404', answered(404, { error: 'No match' }), 'no_match, 0 credits'],
    ['words for nothing', answered(200, { company: { size: '(blank)', city: 'NaN' } }), 'in_doubt'],
    ['400', answered(400, { error: 'bad' }), 'refused, 0 credits'],
    ['409', answered(409, {}), 'refused, 0 credits'],
    ['422', answered(422, { error: 'abn must have 11 digits' }), 'refused, 0 credits'],
    ['429', answered(429), 'paused'],
    ['401', answered(401), 'stop, key'],
    ['403 of the provider', answered(403), 'stop, key'],
    ['402', answered(402), 'stop, vendor_credits'],
    ['302', answered(302), 'stop, address'],
    ['408', answered(408), 'in_doubt'],
    ['425', answered(425), 'in_doubt'],
    ['499', answered(499), 'in_doubt'],
    ['500', answered(500, { name: 'Acme' }), 'in_doubt'],
    ['503 with Retry-After', answered(503, '', { 'retry-after': '5' }), 'not_served'],
    ["the same in the vendor's JSON", answered(503, { error: 'busy' }, { 'retry-after': '5' }), 'not_served'],
    ['the same in HTML', answered(503, '<html>Busy</html>', { 'retry-after': '5' }), 'in_doubt'],
    ['503 with a time that nobody can read', answered(503, '', { 'retry-after': 'soon' }), 'in_doubt'],
    ['503', answered(503, { error: 'busy' }), 'in_doubt'],
    ['502 with Retry-After', answered(502, '', { 'retry-after': '5' }), 'in_doubt'],
    ['a 200 without a byte', answered(200), 'in_doubt'],
    ['a 200 that is not JSON', answered(200, '<html>Welcome</html>'), 'in_doubt'],
    ['a 200 whose JSON is cut off', answered(200, '{"name":"Ac'), 'in_doubt'],
    ['a status from outside of HTTP', answered(999, { name: 'Acme' }), 'in_doubt'],
    ['a lost answer', { kind: 'lost', how: 'none_came', message: 'the other side closed' }, 'in_doubt'],
    ['a name that does not resolve', { kind: 'not_sent', cause: 'unresolved', message: 'x' }, 'not_sent'],
    ['a connection that is refused', { kind: 'not_sent', cause: 'unreachable', message: 'x' }, 'not_sent'],
  ])('%s', (_, reply, expected) => {
    expect(inShort(judged(reply))).toBe(expected);
  });

  test('a change is in doubt after a 503, whenever its service says to come back', () => {
    const change = { subject: { project: 'p-1', name: 'u-17' }, leaves: { state: 'gone' } } as const;
    const removal: Call = { ...LOOKUP, operation: 'remove-user', change };
    const reply = answered(503, { error: 'busy' }, { 'retry-after': '5' });
    expect(inShort(judge(reply, service, dialectOperationOf(service, removal), removal))).toBe('in_doubt');
  });

  test("an operation's own rules come before those of the dialect", () => {
    const strict = { ...operation, answers: [{ status: [404], means: 'refused' } satisfies AnswerRule] };
    expect(inShort(judge(answered(404), provider, strict))).toBe('refused, 0 credits');
    expect(inShort(judge(answered(204), provider, strict))).toBe('no_match, 0 credits');
  });

  test('a rule may say that a server error is not charged: then it is tried again by itself', () => {
    const free: Dialect = { ...provider, answers: [{ status: ['5xx'], means: 'in_doubt', charged: false }] };
    expect(judged(answered(500), free)).toMatchObject({ kind: 'not_sent' });
  });

  test('rules look at headers too', () => {
    const rules: AnswerRule[] = [{ status: ['2xx'], header: { 'x-result': '^none$' }, means: 'no_match' }];
    const dialect = { ...provider, answers: [...rules, ...provider.answers] };
    expect(inShort(judged(answered(200, { name: 'Acme' }, { 'x-result': 'NONE' }), dialect))).toBe(
      'no_match, 0 credits',
    );
    expect(inShort(judged(answered(200, { name: 'Acme' }, { 'x-result': 'one' }), dialect))).toBe(
      'found, 2 credits',
    );
    expect(inShort(judged(answered(200, { name: 'Acme' }), dialect))).toBe('found, 2 credits');
  });
});

/** What stands between here and the vendor answers so. */
const PAGE = '<html><head><title>404 Not Found</title></head></html>';
const NOT_THE_VENDORS: readonly (readonly [string, string])[] = [
  ['a page', PAGE],
  ['a plain text', '404 page not found'],
  ['no byte', ''],
  ['blanks', ' \n'],
  ['a number, which is JSON by chance', '404'],
  ['JSON that is cut off', '{"error":"No ma'],
];

describe("what is not the vendor's own word is no answer", () => {
  const CLIENT_ERRORS = Array.from({ length: 100 }, (_, at) => 400 + at);
  const BUILT_IN: readonly (readonly [string, Dialect])[] = [
    ['provider', provider],
    ['service', service],
  ];
  const operationsOf = ({ operations }: Dialect): readonly DialectOperation[] => Object.values(operations);

  describe.each(BUILT_IN)('to the %s', (_, dialect) => {
    test.each(NOT_THE_VENDORS)('a 4xx with %s settles no call of any operation', (_what, body) => {
      for (const status of CLIENT_ERRORS) {
        for (const asked of operationsOf(dialect)) {
          const repeated = { ...asked, answers: [...(asked.repeated ?? []), ...(asked.answers ?? [])] };
          for (const each of [asked, repeated]) {
            const { kind, why } = judge(answered(status, body), dialect, each);
            expect(['in_doubt', 'paused', 'stopped'], `status ${status}: ${why}`).toContain(kind);
          }
        }
      }
    });
  });
});

describe('what an answer cost', () => {
  const charged = (
    body: unknown,
    headers: Readonly<Record<string, string>>,
    more: Partial<Dialect>,
  ): string => inShort(judged(answered(200, body, headers), { ...provider, ...more }));
  const byHeader = { credits_charged: { header: 'x-credits' } };
  const byPath = { credits_charged: { path: 'meta.credits' } };

  test.each<[string, unknown, Record<string, string>, Partial<Dialect>, number]>([
    ['by the header', { name: 'Acme' }, { 'x-credits': '3' }, byHeader, 3],
    ['by the body', { name: 'Acme', meta: { credits: 1 } }, {}, byPath, 1],
    ['by a number in a text', { name: 'Acme', meta: { credits: '0' } }, {}, byPath, 0],
    [
      'rounded up, so that what is shown is never below the bill',
      { name: 'Acme', meta: { credits: 0.2 } },
      {},
      byPath,
      1,
    ],
    ['left out: the price', { name: 'Acme' }, {}, byPath, 2],
    ['garbage: the price', { name: 'Acme', meta: { credits: 'free' } }, {}, byPath, 2],
    ['blank: the price', { name: 'Acme' }, { 'x-credits': ' ' }, byHeader, 2],
    ['negative: the price', { name: 'Acme', meta: { credits: -4 } }, {}, byPath, 2],
    [
      'by the larger of two that disagree',
      { name: 'Acme', meta: { credits: 7 } },
      { 'x-credits': '3' },
      { credits_charged: { header: 'x-credits', path: 'meta.credits' } },
      7,
    ],
    [
      'by the one of two that can be read',
      { name: 'Acme', meta: { credits: 1 } },
      { 'x-credits': 'n/a' },
      { credits_charged: { header: 'x-credits', path: 'meta.credits' } },
      1,
    ],
    ['larger than a ledger can count: the price', { name: 'Acme', meta: { credits: 1e300 } }, {}, byPath, 2],
  ])('%s', (_, body, headers, dialect, expected) => {
    expect(charged(body, headers, dialect)).toBe(`found, ${expected} credits`);
  });

  test('a miss that a vendor charges for is booked', () => {
    const rules: AnswerRule[] = [{ status: [404], means: 'no_match', charged: true }];
    expect(inShort(judged(answered(404), { ...provider, answers: rules }))).toBe('no_match, 2 credits');
  });
});

describe('whatever arrives gets a verdict, and none throws', () => {
  const bytes = fc.oneof(
    fc.uint8Array().map((array) => Buffer.from(array)),
    fc.json().map((text) => Buffer.from(text)),
    fc.string({ unit: 'binary' }).map((text) => Buffer.from(text)),
  );
  const headers = fc.dictionary(
    fc.constantFrom('retry-after', 'date', 'location', 'x-credits', 'content-type', '__proto__'),
    fc.string({ unit: 'binary' }),
  );
  const reply: fc.Arbitrary<WireReply> = fc
    .record({ status: fc.oneof(fc.integer({ min: 100, max: 599 }), fc.integer()), headers, body: bytes })
    .map((raw) => ({ kind: 'answered', raw: { ...raw, receivedAtMs: RECEIVED_MS } }));
  const body = fc.record(
    {
      path: fc.constantFrom('error', 'a.b', '', '.', 'constructor'),
      is: fc.constantFrom('empty' as const, 'readable' as const, 'unreadable' as const, 'blank' as const),
      equals: fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null)),
      // Some of these are no regular expressions: the schema does not know, so judging must bear it.
      matches: fc.constantFrom('x', '(', '[', '\\', '.*'),
    },
    { requiredKeys: [] },
  );
  const means = fc.constantFrom(
    ...(['found', 'no_match', 'refused', 'rate_limited', 'key_dead', 'project_refused'] as const),
    ...(['credits_used_up', 'wrong_address', 'in_doubt'] as const),
  );
  const status = fc.array(fc.constantFrom(200, 404, '2xx', '4xx', '5xx'), { minLength: 1 });
  const rule = fc.record(
    { status, means, body, charged: fc.boolean() },
    { requiredKeys: ['status', 'means'] },
  );
  const dialect = fc
    .array(rule)
    .map(
      (answers) =>
        ({ ...provider, answers, credits_charged: { header: 'x-credits', path: 'a.b' } }) as Dialect,
    );

  test('whatever arrives gets a verdict by any rules', () => {
    fc.assert(
      fc.property(reply, dialect, (each, rules) => void expectWhole(judge(each, rules, operation))),
      {
        numRuns: 1000,
      },
    );
  });
});

test('an answer that is in doubt for what it lacks names what that is', () => {
  const invite = service.operations['create-invite'];
  if (invite === undefined) throw new Error('The dialect of the service has no create-invite.');
  const call: Call = {
    operation: 'create-invite',
    parameters: { email: 'jo@a.example', role: 'viewer' },
    ifLost: 'hold',
    after: 0,
    change: { subject: { name: 'jo@a.example' }, leaves: { state: 'invited' } },
  };
  const why = (body: unknown): string =>
    sayAll(judge(answered(200, body), service, invite, call).why, 'file');
  expect(why({ id: 'r-1' })).toBe('status 200, {"id":"r-1"}, without "invite_code"');
  expect(why({ success: false })).toBe('status 200, {"success":false}, without "invite_code"');
  expect(why('')).toBe('status 200, without a body');
  expect(why({ error: 'oh' })).toBe('status 200, "oh", without "invite_code"');
});

/** What the ledger can keep: a clause, and whole credits that are not negative. */
function expectWhole(verdict: Verdict): void {
  expect(verdict.why).not.toBe('');
  if (verdict.kind !== 'answered') return;
  expect(Number.isSafeInteger(verdict.charged)).toBe(true);
  expect(verdict.charged).toBeGreaterThanOrEqual(0);
}

describe('an answer of brackets', () => {
  const nested = (levels: number): string => `{"data":${'['.repeat(levels)}1${']'.repeat(levels)}}`;

  test('an answer of brackets that nobody can look into is in doubt, because it may have been charged, and says why', () => {
    const verdict = judged(answered(200, nested(200_000)));
    expect(sayAll(verdict.why, 'file')).toBe('status 200, its lists and objects are more than 100 deep');
    for (const body of [nested(200_000), '['.repeat(200_000), '{"a":'.repeat(200_000)])
      expect(judged(answered(200, body)).kind).toBe('in_doubt');
  });
});

describe('what is said of a key', () => {
  test.each([
    [400, 'Invalid next_token'],
    [400, 'Missing idempotency key'],
    [400, "The 'sort_key' parameter is incorrect"],
    [422, 'The cursor token has expired'],
  ])(
    'a word said of a key that is one of something else is refused for its row, and stops no run: %s %s',
    (status, message) => {
      expect(inShort(judged(answered(status, { message })))).toBe('refused, 0 credits');
    },
  );

  test.each([
    [400, 'Token has been revoked'],
    [422, 'Invalid API key'],
    [200, 'Please provide a valid API key'],
  ])("a word said of a key that is the account's own stops the run: %s %s", (status, message) => {
    expect(inShort(judged(answered(status, { error: message })))).toBe('stop, key');
  });
});

test.each([
  ['{"score":NaN}', 'NaN'],
  ['[1,-Infinity]', '-Infinity'],
])(
  'an answer with a number that JSON does not have is in doubt, and its reason names that: %s',
  (body, no) => {
    const verdict = judged(answered(200, body));
    expect(verdict.kind).toBe('in_doubt');
    expect(sayAll(verdict.why, 'file')).toBe(`status 200, ${no} stands in it, which JSON does not have`);
  },
);

describe('what an operation wants decides', () => {
  const at = (name: string, more: Partial<DialectOperation>): Dialect => ({
    ...provider,
    operations: { [name]: { ...operation, ...more } },
  });
  const verdicts = {
    valid: ['deliverable'],
    invalid: ['undeliverable'],
    unknown: ['unknown', 'in_progress'],
  };
  const CHECK = at('check-email', { gives: { verdict: 'status' }, verdicts });
  const FIND = at('find-email', { gives: { email: 'data.email' } });

  test.each([
    [{ status: 'deliverable', reason: 'accepted_email' }, 'found, 2 credits'],
    [{ status: 'undeliverable', reason: 'not_found' }, 'found, 2 credits'],
    [{ status: 'unknown', reason: 'rate_limited' }, 'found, 2 credits'],
    [{ status: 'undeliverable', success: false, message: 'No credits left' }, 'found, 2 credits'],
    [{ status: 'unknown', state: 'in_progress' }, 'in_doubt'],
    [{ status: 'in_progress' }, 'in_doubt'],
    [{ status: 'queued' }, 'in_doubt'],
  ])('a word under `verdicts` is the verdict, unless the vendor is still at work: %j', (body, expected) => {
    const call: Call = {
      operation: 'check-email',
      parameters: { email: 'jo@asked.example' },
      ifLost: 'hold',
    };
    expect(inShort(judge(answered(200, body), CHECK, dialectOperationOf(CHECK, call), call))).toBe(expected);
  });

  test.each([
    [{ data: { email: 'jo@found.example' }, status: 'not_found' }, 'found, 2 credits'],
    [{ data: { email: 'jo@found.example' }, message: 'You have no credits left' }, 'found, 2 credits'],
    [{ data: { email: null, name: 'Jo', city: 'Perth', phone: '0298765432' } }, 'no_match, 0 credits'],
    [{ data: { email: null }, status: 'in-progress' }, 'in_doubt'],
    [{ data: {}, enrichmentStatus: 'in-progress' }, 'in_doubt'],
    [{ data: null, searching: true }, 'in_doubt'],
    [{ data: { email: null }, message: 'No data: upgrade your plan' }, 'stop, vendor_credits'],
    [{ data: null, message: 'This endpoint is deprecated and returns no data' }, 'stop, address'],
    [{ data: null, message: 'Your trial has ended' }, 'stop, vendor_credits'],
  ])('an address at its place is found, and nothing else is: %j', (body, expected) => {
    const parameters = { full_name: 'Jo Bell', domain: 'asked.example' };
    const call: Call = { operation: 'find-email', parameters, ifLost: 'hold' };
    expect(inShort(judge(answered(200, body), FIND, dialectOperationOf(FIND, call), call))).toBe(expected);
  });
});

test.each([
  [402, 'Invalid authorization key', 'stop, key'],
  [402, 'The remote mail server gave an unexpected response', 'in_doubt'],
  [402, 'Verification failed', 'stop, vendor_credits'],
  [403, 'Your plan limit is reached', 'stop, vendor_credits'],
  [403, 'Missing Authentication Token', 'stop, address'],
  [401, 'Missing Authentication Token', 'stop, key'],
  [410, 'This endpoint has been sunset', 'stop, address'],
  [400, 'DAILY API LIMIT EXCEEDED', 'paused'],
  [400, 'invalid id', 'refused, 0 credits'],
  [404, 'The result is not ready yet', 'in_doubt'],
])('who is concerned is read from status and words together: %s %s', (status, message, expected) => {
  expect(inShort(judged(answered(status, { message })))).toBe(expected);
});

test('a 403 says both: that the account may not do it, and that the key may be wrong', () => {
  const verdict = judged(answered(403, { message: 'You are not subscribed to this API' }));
  expect(verdict).toMatchObject({
    stop: { code: 'key', next: { typed: expect.stringMatching(/what the account may do.*a working key/) } },
  });
});
