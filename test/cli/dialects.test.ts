/**
 * Goal: a dialect that comes with Rowonce sends the request that its vendor documents, no one is asked about it, and nothing shows or keeps a key
 * that stands in a query. Whatever dialect an account speaks, and whether it reaches its vendor directly or through a service, the same rows
 * get the same cells.
 * Method: the real command, an account that names the dialect, and a vendor on a real socket that keeps what arrives.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { documentedAnswers } from '../client/documented/judged.ts';
import { type Desk, type DeskBefore, deskBefore, openDesk, SERVICE } from './desk.ts';

const KEY = '0f8e7d6c-key-of-data';

interface Documented {
  readonly dialect: string;
  readonly asked: readonly string[];
  readonly line: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** What fills the slots of the dialect. */
  readonly secrets?: Readonly<Record<string, string>>;
  /** What a vendor that answers later says first, and the question that follows. */
  readonly later?: Pick<Documented, 'line' | 'headers' | 'body'> & { readonly accepted: object };
}

const DOCUMENTED = readFileSync(
  join(import.meta.dirname, '..', 'client', 'documented', 'requests.jsonl'),
  'utf8',
)
  .replaceAll('$KEY', KEY)
  .replaceAll('$BASIC', btoa(`${KEY}:`))
  .replaceAll('$NONAME', btoa(`:${KEY}`))
  .replaceAll('$USER', btoa(`AC00112233445566:${KEY}`))
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Documented);

const accountOf = ({ dialect, secrets = {} }: Documented): object => {
  const filled = Object.entries(secrets).map(([slot, value]) => [slot, { value }]);
  return { dialect, key: KEY, ...(filled.length > 0 && { secrets: Object.fromEntries(filled) }) };
};

test.each(DOCUMENTED)('$dialect: $asked', async ({ asked: question, line, headers, body, ...of }) => {
  const account = accountOf({ asked: question, line, headers, ...of });
  const { desk, asked } = await deskBefore(() => ({ name: 'Acme' }), account);
  const words = ['try', ...question, '--account', 'data', '--yes'];
  const { stdout, stderr } = await desk.type(words);
  expect(asked.map(({ method, path }) => `${method} ${path}`)).toEqual([line]);
  expect(asked[0]?.headers).toMatchObject(headers);
  const sent = asked[0]?.body ?? '';
  expect(sent === '' ? undefined : JSON.parse(sent)).toEqual(body);
  expect(stdout + stderr).not.toContain(KEY);
  const files = readdirSync(desk.place.path('store'), { recursive: true, withFileTypes: true });
  for (const file of files.filter((each) => each.isFile()))
    expect(readFileSync(join(file.parentPath, file.name)).includes(KEY), `the key is in ${file.name}`).toBe(
      false,
    );
});

const ANSWERED_LATER = DOCUMENTED.flatMap(({ later, ...first }) => (later ? [{ ...first, later }] : []));

test.each(ANSWERED_LATER)(
  '$dialect: $asked, answered later, is asked for as documented, and found',
  async ({ dialect, asked: question, line, later }) => {
    const found = documentedAnswers().find(
      (each) =>
        each.vendor === dialect && each.operation === question[0] && each.poll && each.wanted === 'found',
    );
    const answer = (_: unknown, nth: number) => (nth === 1 ? later.accepted : found?.body);
    const { desk, asked } = await deskBefore(answer, { dialect, key: KEY });
    const words = ['try', ...question, '--account', 'data', '--yes'];
    expect((await desk.type([...words, '--max-pause', '100ms'])).code).toBe(75);
    // The next command asks at once.
    expect(await desk.json(words)).toMatchObject({ answer: 'found', charged: found?.charged });
    expect(asked.map(({ method, path }) => `${method} ${path}`)).toEqual([line, later.line]);
    expect(asked[1]?.headers).toMatchObject(later.headers);
    const sent = asked[1]?.body ?? '';
    expect(sent === '' ? undefined : JSON.parse(sent)).toEqual(later.body);
  },
);

test('an answer in the form of a script, as the register of companies of Australia sends it, is read', async () => {
  const company = {
    Abn: '51824753556',
    AbnStatus: 'Active',
    EntityName: 'Australian Taxation Office',
    Message: '',
  };
  const { desk } = await deskBefore(() => `c(${JSON.stringify(company)})`, { dialect: 'abr', key: KEY });
  const words = ['try', 'enrich-company', 'abn=51824753556', '--account', 'data', '--yes'];
  const { stdout } = await desk.type(words);
  expect(stdout).toContain('Australian Taxation Office');
  expect(stdout).toMatch(/^Answer +found/m);
});

const REST_GET = join(import.meta.dirname, '..', '..', 'jobs', 'dialects', 'rest-get.yaml');

/** The rows without the time at which the vendor answered. */
function cells({ place }: Desk): readonly object[] {
  return place.rows().map(({ _as_of, ...row }) => row);
}

test('the same rows get the same cells directly, through a service, in another dialect, and in both at once', async () => {
  const direct = await openDesk({ matchRate: 0.5 });
  direct.list(6);
  await direct.type(direct.run());
  const wanted = cells(direct);
  expect(new Set(direct.place.statuses())).toEqual(new Set(['matched', 'no_match']));
  expect(wanted[0]).toHaveProperty('employee_count');

  const both = { way: 'via', flags: ['--dialect', REST_GET], account: { dialect: REST_GET } } as const;
  for (const way of [{ way: 'via' }, { way: 'rest-get' }, both] as const) {
    const desk = await openDesk({ matchRate: 0.5, ...way });
    desk.list(6);
    expect((await desk.type(desk.run())).code).toBe(0);
    // A miss is told in other words by each of them.
    const reasonless = (row: object): object => ({ ...row, _reason: '' });
    expect(cells(desk).map(reasonless)).toEqual(wanted.map(reasonless));
    expect(await desk.place.vendor.book()).toMatchObject({ requests: 6, charged_twice: [] });
  }
});

/** A desk whose provider is reached through a step of the service that answers so. */
async function deskBehind(answer: object): Promise<DeskBefore> {
  const at = await deskBefore(() => answer);
  const { place } = at.desk;
  const { data } = JSON.parse(await at.desk.read('config/accounts.yaml')).accounts;
  const workspace = { ...SERVICE, base_url: data.base_url, key: 'key-1', dialect: 'service.yaml' };
  const step = { via: 'workspace', connected_account: 'acme-data', api_call_url: `${data.base_url}/call` };
  place.writeAccounts({ workspace, data: { vendor: 'provider', ...step, limits: data.limits } });
  place.writeDialect({}, 'service.yaml');
  return at;
}

const ACME = { name: 'Acme', industry: 'Retail', status: 'active', headers: { x: 'y' } };

test('a step that returns the body itself is in doubt until the dialect says so, and is then read without a request', async () => {
  const { desk, asked } = await deskBehind(ACME);
  desk.list(3);
  await desk.write('job.yaml', 'operation: enrich-company\nadd: { company: name, state: status }\n');
  const run = ['run', 'job.yaml', 'list.csv', '--budget', '9', '-o', 'out.csv'];
  const doubtful = await desk.type(run);
  expect(doubtful.code).toBe(3);
  expect(desk.place.statuses()).toEqual(['in_doubt', 'in_doubt', 'in_doubt']);
  const note = "An answer from the service has no vendor's answer at `body`";
  expect(doubtful.stderr.split(note)).toHaveLength(2);
  expect(doubtful.stderr).toContain(
    "it has name, industry, status, headers. Write under api_call in the dialect of the service account where it is, as `answer: { body: NAME, status: NAME }`: the body is `.` where all of it is the vendor's answer, and the status null where it names none.",
  );

  await desk.write('config/service.yaml', 'api_call: { answer: { body: . } }\n');
  expect(await desk.json(run)).toMatchObject({ counts: { matched: 3 }, credits: { spent: 3, in_doubt: 0 } });
  expect(desk.place.rows()[0]).toMatchObject({ company: 'Acme', state: 'active' });
  expect(asked).toHaveLength(3);
  const written = await desk.read('out.csv');
  await rm(desk.place.path('config/accounts.yaml'));
  await desk.type(['export', 'last', '-o', 'again.csv']);
  expect(await desk.read('again.csv')).toBe(written);
});
