import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PLAYED_VENDORS, type PlayedName } from '../../src/core/played-vendors.ts';
import type { SandboxOptions } from '../../src/sandbox/server.ts';
import { openDesk } from '../cli/desk.ts';
import { bookOf, get, linesOf, post, type Reply, sandbox, temporaryFolder } from './client.ts';
import { playedDialect } from './options.ts';

/**
 * Goal: each of the vendors is a vendor of its own, which speaks as its shipped dialect reads, and tells all by its book.
 * Method: the real program before them, by accounts as users write them and by the built-in ones, and the requests that the vendors document
 * over bare HTTP.
 */

const MIA = ['first_name=Mia', 'last_name=Tran', 'domain=acme.example'];
const MIA_AS_ONE = ['full_name=Mia Tran', 'domain=acme.example'];
const HER_ADDRESS = ['email=mia.tran@acme.example'];
const HER_PAGE = ['profile_url=https://www.linkedin.com/in/mia-tran'];
const ACME = ['domain=acme.example'];

/** Vendor, operation, what is asked by, what a find costs and a miss, and what only that answer holds. */
const OPERATIONS: readonly (readonly [PlayedName, string, readonly string[], number, number, string])[] = [
  ['hunter', 'find-email', MIA, 1, 0, '"email":"mia.tran@acme.example"'],
  ['hunter', 'enrich-person', HER_ADDRESS, 1, 0, '"fullName":"Mia Tran (sandbox)"'],
  [
    'prospeo',
    'find-email',
    ['full_name=Mia Tran', 'company=Acme'],
    1,
    0,
    '{"email":"mia.tran@acme.example"}',
  ],
  ['prospeo', 'find-phone', HER_PAGE, 10, 0, '"mobile":"+61 2 5550'],
  ['prospeo', 'enrich-person', HER_ADDRESS, 1, 0, '"current_job_title":"'],
  ['prospeo', 'enrich-company', ACME, 1, 0, '"employee_count":'],
  ['pdl', 'find-email', MIA, 1, 0, '"work_email":"mia.tran@acme.example"'],
  ['pdl', 'find-phone', MIA_AS_ONE, 1, 0, '"mobile_phone":"+61 2 5550'],
  ['pdl', 'enrich-person', HER_ADDRESS, 1, 0, '"full_name":"Mia Tran (sandbox)"'],
  [
    'pdl',
    'enrich-company',
    ['website=https://www.acme.example'],
    1,
    0,
    '"website":"https://www.acme.example"',
  ],
  ['leadmagic', 'find-email', MIA, 1, 0, '"credits_consumed":1,"email":"mia.tran@acme.example"'],
  ['leadmagic', 'find-phone', HER_ADDRESS, 5, 0, '"mobile_number":"+61 2 5550'],
  ['leadmagic', 'enrich-company', ACME, 1, 0, '"companyName":"Acme (sandbox)"'],
  ['fullenrich', 'find-email', MIA, 1, 0, '"most_probable_email":"mia.tran@acme.example"'],
  ['cognism', 'find-email', MIA, 1, 0, '"email":{"address":"mia.tran@acme.example"}'],
  ['datagma', 'find-email', MIA_AS_ONE, 1, 0, '"email":"mia.tran@acme.example"'],
  ['datagma', 'find-phone', MIA_AS_ONE, 32, 2, '"creditBurn":32,"phone":{"mobiles":[{"value":"+61 2 5550'],
];

interface Tried {
  readonly answer: string;
  readonly reply: { readonly body: string };
}

const DIALECTS = join(import.meta.dirname, '..', '..', 'fixtures', 'dialects');

/** One call of the real program before a played vendor, by its shipped dialect, which asks sooner for what comes later. */
async function tried(
  vendor: PlayedName,
  operation: string,
  asked: readonly string[],
  options: SandboxOptions,
): Promise<Tried> {
  const desk = await openDesk();
  const base_url = await played(vendor, options);
  const account = { vendor: 'provider', dialect: 'shipped.yaml', base_url, key: 'key-1' };
  desk.place.writeAccounts({ data: account });
  const shipped = readFileSync(join(DIALECTS, `${vendor}.yaml`), 'utf8');
  await desk.write('config/shipped.yaml', shipped.replace(/\bevery: \w+/, 'every: 200ms'));
  return desk.json(['try', operation, ...asked, '--account', 'data', '--yes']);
}

async function played(vendor: PlayedName, options: SandboxOptions = {}): Promise<string> {
  return (await sandbox({ played: await playedDialect(vendor), ...options })).url;
}

test.each(OPERATIONS)(
  '%s, %s by %s: what the played vendor found or missed is read by its shipped dialect',
  async (vendor, operation, asked, price, ofMiss, told) => {
    const found = await tried(vendor, operation, asked, { matchRate: 1 });
    expect(found).toMatchObject({ answer: 'found', charged: price, stopped: null });
    expect(found.reply.body).toContain(told);
    const missed = await tried(vendor, operation, asked, { matchRate: 0 });
    expect(missed).toMatchObject({ answer: 'no_match', charged: ofMiss, stopped: null });
  },
);

test.each(['hunter', 'leadmagic'])('%s, check-email: each verdict comes in its own words', async (vendor) => {
  const desk = await openDesk();
  const addresses = Array.from({ length: 60 }, (_, number) => `mia.tran@host-${number}.example`);
  await desk.write('list.csv', ['Email', ...addresses].join('\n'));
  await desk.write(
    'check.yaml',
    `operation: check-email\naccount: sandbox-${vendor}\nadd: { Verdict: verdict }\nbudget: { credits: 60 }\n`,
  );
  expect(await desk.type(['run', 'check.yaml', 'list.csv', '--yes', '-o', 'out.csv'])).toMatchObject({
    code: 0,
  });
  const verdicts = new Set(desk.place.rows().map(({ Verdict }) => Verdict));
  expect([...verdicts].sort()).toEqual(['accept_all', 'invalid', 'unknown', 'valid']);
});

// ------------------------------------------------------------------------------- as the vendors document

interface Documented {
  readonly dialect: PlayedName;
  readonly asked: readonly [string, ...string[]];
  readonly line: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: object;
}

const DOCUMENTED = readFileSync(
  join(import.meta.dirname, '..', 'client', 'documented', 'requests.jsonl'),
  'utf8',
)
  .replaceAll('$KEY', 'key-1')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Documented)
  .filter(({ dialect }) => PLAYED_VENDORS.includes(dialect));
/** Vendors that give an id first. */
const IN_TWO_STEPS: readonly PlayedName[] = ['fullenrich', 'cognism'];
const AT_ONCE = PLAYED_VENDORS.filter((vendor) => !IN_TWO_STEPS.includes(vendor));

function sent(
  url: string,
  { line, headers, body }: Pick<Documented, 'line' | 'headers' | 'body'>,
): Promise<Reply> {
  const [, path = ''] = line.split(' ');
  return body === undefined ? get(url, path, undefined, headers) : post(url, path, undefined, body, headers);
}

test.each(DOCUMENTED.filter(({ dialect }) => AT_ONCE.includes(dialect)))(
  '$dialect, $asked: the documented request is booked by our names, with what was found',
  async ({ dialect, asked: [operation, ...inputs], ...request }) => {
    const bookPath = join(temporaryFolder(), 'book.jsonl');
    const url = await played(dialect, { bookPath, matchRate: 1 });
    expect(await sent(url, request)).toMatchObject({ status: 200 });
    const parameters = Object.fromEntries(inputs.map((each) => each.split(/=(.*)/s)));
    const [entry, ...others] = linesOf(bookPath);
    expect([entry, others]).toEqual([expect.objectContaining({ operation, parameters }), []]);
    expect(Object.values(entry.gave).some((value) => value !== null)).toBe(true);
  },
);

test.each(PLAYED_VENDORS)('%s refuses a request without its key, for nothing', async (vendor) => {
  const request = DOCUMENTED.find(({ dialect }) => dialect === vendor) as Documented;
  const url = await played(vendor);
  const asked = JSON.parse(JSON.stringify(request).replaceAll('key-1', ''));
  expect(await sent(url, asked)).toMatchObject({ status: 401 });
  expect(await bookOf(url)).toMatchObject({ requests: 1, charges: 0 });
});

const REFUSED = PLAYED_VENDORS.flatMap((vendor) => [
  { vendor, fault: 401, code: 'key' },
  { vendor, fault: 402, code: 'vendor_credits' },
]);

test.each(REFUSED)('$vendor: a fault $fault stops the program as $code', async ({ vendor, fault, code }) => {
  const options = { matchRate: 1, faults: `${fault}:x1` };
  const asked = IN_TWO_STEPS.includes(vendor) ? MIA : MIA_AS_ONE;
  expect(await tried(vendor, 'find-email', asked, options)).toMatchObject({
    credits: { spent: 0 },
    stopped: { code },
  });
});

test.each(PLAYED_VENDORS)('%s: after "too fast" the program waits and asks again', async (vendor) => {
  const options = { matchRate: 1, faults: '429:x1' };
  const asked = IN_TWO_STEPS.includes(vendor) ? MIA : MIA_AS_ONE;
  expect(await tried(vendor, 'find-email', asked, options)).toMatchObject({
    answer: 'found',
    stopped: null,
  });
});

test('fullenrich gives an id, and a second later what it found, which is charged once', async () => {
  const url = await played('fullenrich', { matchRate: 1 });
  const request = DOCUMENTED.find(({ dialect }) => dialect === 'fullenrich') as Documented;
  const { enrichment_id: id } = (await sent(url, request)).json as { enrichment_id: string };
  const result = () =>
    get(url, `/api/v1/contact/enrich/bulk/${id}`, undefined, { authorization: 'Bearer key-1' });
  expect((await result()).json).toMatchObject({ status: 'IN_PROGRESS' });
  expect(await bookOf(url)).toMatchObject({ charges: 0 });
  await expect
    .poll(async () => (await result()).json, { timeout: 5_000 })
    .toMatchObject({ status: 'FINISHED' });
  await result();
  expect(await bookOf(url)).toMatchObject({ charges: 1 });
});

test('cognism gives an id of what it knows, and what it has by that id, which is charged once', async () => {
  const url = await played('cognism', { matchRate: 1 });
  const request = DOCUMENTED.find(({ dialect, asked }) => dialect === 'cognism' && asked[0] === 'find-email');
  const { results } = (await sent(url, request as Documented)).json as { results: { redeemId: string }[] };
  expect(await bookOf(url)).toMatchObject({ charges: 0 });
  const body = { redeemIds: [results[0]?.redeemId] };
  const redeem = {
    line: 'POST /api/search/contact/redeem',
    headers: { authorization: 'Bearer key-1' },
    body,
  };
  const redeemed = { results: [{ email: { address: 'mia.tran@acme.com.au' } }] };
  expect((await sent(url, redeem)).json).toMatchObject(redeemed);
  expect((await sent(url, redeem)).json).toMatchObject(redeemed);
  expect(await bookOf(url)).toMatchObject({ charges: 1 });
});

// --------------------------------------------------------------------------------------- what they know

const HOSTS = Array.from({ length: 120 }, (_, number) => `host-${number}.example`);

/** The addresses that a vendor gives of one person at each of many hosts, by its book. */
async function addressesOf(
  vendor: PlayedName,
  options: SandboxOptions = {},
): Promise<ReadonlyMap<string, string>> {
  const bookPath = join(temporaryFolder(), 'book.jsonl');
  const url = await played(vendor, { bookPath, ...options });
  const request = DOCUMENTED.find(({ dialect, asked }) => dialect === vendor && asked[0] === 'find-email');
  for (const host of HOSTS)
    await sent(url, JSON.parse(JSON.stringify(request).replaceAll('acme.com.au', host)));
  return new Map(linesOf(bookPath).map(({ parameters, gave }) => [parameters.domain, gave.email]));
}

const isStale = (address: string): boolean => address.includes('@old.');

test('all vendors that know a person give one address, but for some of one that were left long ago', async () => {
  const [hunter, ...others] = await Promise.all(
    AT_ONCE.map((vendor) => addressesOf(vendor, { matchRate: 1 })),
  );
  const right = new Map(HOSTS.map((host) => [host, `mia.tran@${host}`]));
  for (const other of others) expect(other).toEqual(right);
  const stale = [...(hunter?.values() ?? [])].filter(isStale);
  expect(stale.length / HOSTS.length).toBeGreaterThan(0.04);
  expect(stale.length / HOSTS.length).toBeLessThan(0.12);
  expect(new Map([...(hunter ?? [])].filter(([, address]) => !isStale(address)))).toEqual(
    new Map([...right].filter(([host]) => !stale.includes(`mia.tran@old.${host}`))),
  );
  const verifier = await played('leadmagic');
  for (const email of stale) {
    const reply = await post(
      verifier,
      '/v1/people/email-validation',
      undefined,
      { email },
      { 'x-api-key': 'key-1' },
    );
    expect(reply.json).toMatchObject({ email_status: 'invalid' });
  }
});

test('each vendor knows its own share of people, and together they know far more than one', async () => {
  const known = new Map<PlayedName, ReadonlySet<string>>();
  for (const vendor of AT_ONCE) known.set(vendor, new Set((await addressesOf(vendor)).keys()));
  const shares = [...known].map(([vendor, hosts]) => [vendor, hosts.size / HOSTS.length] as const);
  for (const [vendor, published] of Object.entries({
    hunter: 0.4,
    prospeo: 0.35,
    pdl: 0.45,
    leadmagic: 0.3,
    datagma: 0.25,
  }))
    expect(Math.abs((new Map<string, number>(shares).get(vendor) ?? 0) - published)).toBeLessThan(0.08);
  const together = new Set([...known.values()].flatMap((hosts) => [...hosts]));
  expect(together.size / HOSTS.length).toBeGreaterThan(0.8);
});

// ------------------------------------------------------------------------------------ built-in accounts

test('built-in accounts start their vendors by themselves, each with a book of its own, which a person is erased from', async () => {
  const desk = await openDesk();
  await desk.write('list.csv', 'First,Last,Website\nMia,Tran,acme.example\n');
  for (const vendor of ['hunter', 'pdl'] as const) {
    const words = ['run', 'find-email', 'list.csv', '--account', `sandbox-${vendor}`, '--yes'];
    const env = { ROWONCE_SANDBOX: '--match-rate 1' };
    expect(await desk.type([...words, '-o', `${vendor}.csv`], { env })).toMatchObject({ code: 0 });
  }
  const books = ['hunter', 'pdl'].map((vendor) => desk.place.path(`store/${vendor}-book.jsonl`));
  for (const book of books)
    expect(linesOf(book)).toEqual([expect.objectContaining({ operation: 'find-email', credits: 1 })]);
  await desk.type(['forget', 'mia.tran@acme.example', '--yes']);
  for (const book of books) expect(readFileSync(book, 'utf8')).not.toContain('mia.tran@');
});

test('a vendor that is not played is refused, with the nearest that is', async () => {
  const desk = await openDesk();
  const { code, stderr } = await desk.type(['sandbox', '--vendor', 'huntr']);
  expect([code, stderr]).toEqual([2, expect.stringContaining('Did you mean hunter?')]);
});
