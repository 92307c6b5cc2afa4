/**
 * Goal: a vendor that no one has described is described by a line of curl from its page and two answers, for the price of two
 * requests. Whatever ends the command between them, nothing is paid for twice, and a key in the line is kept nowhere.
 * Method: the real command, and vendors on real sockets that keep their own books.
 */
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type Script, ScriptedVendor } from '../faults/scripted-vendor.ts';
import { some } from '../support/combinations.ts';
import { type Desk, openDesk } from './desk.ts';
import { startRowonce } from './rowonce.ts';
import { typed } from './typed.ts';

const KEY = 'sk-live-4f9a77c1';

interface Book {
  readonly vendor: ScriptedVendor;
  readonly desk: Desk;
  /** What was asked and may cost something. */
  asked(): readonly string[];
  /** What the vendor has charged. */
  charged: number;
}

type Said = {
  readonly status?: number;
  readonly body: unknown;
  readonly cost?: number;
  readonly headers?: object;
};

/** @param says what it answers to a request with this text in its path or body. */
async function bookOf(says: (asked: string, method: string) => Said): Promise<Book> {
  const desk = await openDesk();
  const script: Script = ({ method, path, body }, response) => {
    const { status = 200, body: said, cost = 0, headers = {} } = says(`${path} ${body}`, method);
    book.charged += cost;
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(said));
  };
  const vendor = await ScriptedVendor.start(script);
  onTestFinished(() => vendor[Symbol.asyncDispose]());
  const isFree = ({ method }: { readonly method: string }): boolean => method === 'GET' && book.isPolled;
  const book = {
    vendor,
    desk,
    charged: 0,
    isPolled: false,
    asked: () => vendor.requests.filter((each) => !isFree(each)).map(({ path, body }) => `${path} ${body}`),
  };
  return book;
}

const PERSON = { full_name: 'Mia Tran', work_email: 'mia.tran@acme.com.au', job_title: 'Head of Operations' };

/** @param inFlight is called before the answer. */
const finder = (inFlight: () => unknown = () => {}): Promise<Book> =>
  bookOf((asked) => {
    inFlight();
    return asked.includes('"Mia"')
      ? { body: { ok: true, person: PERSON }, cost: 2, headers: { 'x-credits-used': '2' } }
      : {
          status: 404,
          body: { error: { code: 'not_found', message: 'We know nobody of that name' } },
          headers: { 'x-credits-used': '0' },
        };
  });

const lineTo = ({ vendor }: Book, key = 'YOUR_API_KEY'): string =>
  `curl -X POST ${vendor.url}/v1/find \\
  -H 'X-Key: ${key}' -H "Content-Type: application/json" \\
  -d '{"first":"Mia","last":"Tran","company_domain":"acme.com.au"}'`;

const words = (book: Book, ...more: readonly string[]): readonly string[] => [
  'try',
  lineTo(book),
  '--account',
  'acme',
  '--key-env',
  'ACME_KEY',
  ...more,
];

const start = { env: { ACME_KEY: KEY } };

test('a line of curl and two answers make a dialect: two requests are paid, and the first row of a list is right', async () => {
  const book = await finder();
  const { desk } = book;
  const tried = await desk.type(words(book, '--budget', '4', '--write'), start);
  expect(tried.code, tried.stderr).toBe(0);
  expect(book.asked()).toHaveLength(2);
  expect(tried.stdout).toContain('It is read as find-email, by first_name+last_name+domain.');
  expect(tried.stdout).toMatch(/●\s+work_email: "mia\.tran@acme\.com\.au"/);
  expect(tried.stdout).toMatch(/Answer {5}found, 2 credits .*│ Answer {5}no_match, 0 credits/);
  await desk.write('list.csv', 'First,Last,Site\nMia,Tran,acme.com.au\nBo,Li,other.com.au\n');
  const columns = ['first_name=First', 'last_name=Last', 'domain=Site'].flatMap((each) => ['--column', each]);
  const run = [
    'run',
    'find-email',
    'list.csv',
    '--account',
    'acme',
    '--budget',
    '9',
    '--add',
    'Email=email',
    ...columns,
  ];
  const ran = await desk.type([...run, '-o', 'out.csv'], start);
  expect(ran.code, ran.stderr).toBe(0);
  expect(desk.place.rows().map(({ Email, _status, _source }) => [Email, _status, _source])).toEqual([
    ['mia.tran@acme.com.au', 'matched', 'ledger'],
    ['', 'no_match', 'bought'],
  ]);
  expect(book.asked()).toHaveLength(3);
  const spend = await desk.json(['spend']);
  expect(spend.groups).toMatchObject([{ spent: book.charged, in_doubt: 0 }]);
});

test('the same command sends nothing again, and writes what it has shown', async () => {
  const book = await finder();
  const { desk } = book;
  expect((await desk.type(words(book, '--budget', '4'), start)).code).toBe(0);
  expect(existsSync(desk.place.path('config/acme.yaml'))).toBe(false);
  const shown = await desk.json(words(book), start);
  expect(shown).toMatchObject({ answer: 'found', beside: { answer: 'no_match' }, credits: { spent: 0 } });
  const written = await desk.json(words(book, '--write'), start);
  expect(written.proposal).toMatchObject({ is_read: true, written: desk.place.path('config/acme.yaml') });
  const file = await desk.read('config/acme.yaml');
  expect(file).toContain(shown.proposal.dialect);
  expect(file).toContain('x-key: "{key}"');
  expect(book.asked()).toHaveLength(2);
  const again = await desk.type(words(book, '--write'), start);
  expect(again.code).toBe(2);
  expect(again.stderr).toContain('There is already an account acme.');
});

test.each(some(['after-send', 'after-keep', 'after-end', 'before-row', 'after-row', 'before-finish'], 3))(
  'killed at %s of the first of both, the same command pays for nothing twice',
  async (point) => {
    const book = await finder();
    const { desk } = book;
    const killed = await desk.type(words(book, '--budget', '4', '--write'), {
      env: { ...start.env, ROWONCE_TEST_HOOKS: '1', ROWONCE_CRASH_AT: point },
    });
    expect(killed.code).not.toBe(0);
    expect(book.asked()).toHaveLength(1);
    const again = await desk.type(words(book, '--budget', '4', '--write'), start);
    const ofMia = book.asked().filter((each) => each.includes('"Mia"'));
    expect(ofMia).toHaveLength(1);
    if (point === 'after-send') {
      expect(again.code).toBe(3);
      expect(again.stdout).toContain('The answer was lost');
    } else {
      expect(again.code, again.stderr).toBe(0);
      expect(book.asked()).toHaveLength(2);
      expect(existsSync(desk.place.path('config/acme.yaml'))).toBe(true);
    }
  },
);

test('a key in the line is used, and stands in no file but that of the accounts, and in nothing that is printed', async () => {
  const book = await finder();
  const { desk } = book;
  const first = await desk.type(['try', lineTo(book, KEY), '--account', 'acme', '--budget', '4']);
  const last = await desk.type(['try', lineTo(book, KEY), '--account', 'acme', '--write']);
  expect([first.code, last.code]).toEqual([0, 0]);
  expect(book.vendor.requests.every(({ headers }) => headers['x-key'] === KEY)).toBe(true);
  expect(first.stdout + first.stderr + last.stdout + last.stderr).not.toContain(KEY);
  const folder = desk.place.path('');
  for (const file of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!file.isFile() || file.name === 'accounts.yaml' || file.parentPath.includes('vendor')) continue;
    const text = readFileSync(join(file.parentPath, file.name));
    expect(text.includes(KEY), `the key is in ${file.name}`).toBe(false);
  }
  expect(await desk.read('config/accounts.yaml')).toContain(`key: ${KEY}`);
});

test.each([[['--buget', '3']], [['--key-env', 'NOPE', '--yes']], [['--budget', 'x']], [['foo=bar']]])(
  'a command that is refused, %j, is printed without the key in its line',
  async (more) => {
    const book = await finder();
    const { code, stdout, stderr } = await book.desk.type([
      'try',
      lineTo(book, KEY),
      '--account',
      'acme',
      ...more,
    ]);
    expect(code).toBe(2);
    expect(stdout + stderr).not.toContain(KEY);
    expect(book.asked()).toEqual([]);
  },
);

test('without an agreement nothing is sent, and somebody whom the vendor does not know costs no second request', async () => {
  const book = await finder();
  const { desk } = book;
  const unasked = await desk.type(words(book), start);
  expect(unasked.code).toBe(2);
  expect(unasked.stderr).toContain(
    'This would send two requests, the second about an invented name, for at most 2 credits, and you have not agreed.',
  );
  expect(book.asked()).toEqual([]);
  const unknown = [
    'try',
    lineTo(book),
    'first_name=Bo',
    'last_name=Li',
    '--account',
    'acme',
    '--key-env',
    'ACME_KEY',
  ];
  const tried = await desk.type([...unknown, '--budget', '4', '--write'], start);
  expect(tried.code).toBe(3);
  expect(tried.stdout).toContain('The first answer has no email, so the second request was not sent.');
  expect(book.asked()).toHaveLength(1);
  expect(existsSync(desk.place.path('config/acme.yaml'))).toBe(false);
});

test('Ctrl-C while the first request is in flight keeps its answer and sends no second one', async () => {
  const book = await finder(() => command.exitCode === null && command.kill('SIGINT'));
  const { desk } = book;
  const command = startRowonce(words(book, '--budget', '4', '--write'), {
    cwd: desk.place.folder,
    env: { ...desk.environment(), ...start.env },
  });
  command.stdout?.resume();
  command.stderr?.resume();
  const [code] = await once(command, 'close');
  expect(code).toBe(130);
  expect(book.asked()).toHaveLength(1);
  const again = await desk.type(words(book, '--budget', '4', '--write'), start);
  expect(again.code, again.stderr).toBe(0);
  expect(book.asked()).toHaveLength(2);
});

test('a first answer that cost more than half of the budget stops before the second, and more goes on', async () => {
  const book = await bookOf((asked) =>
    asked.includes('"Mia"')
      ? { body: { person: PERSON }, cost: 5, headers: { 'x-credits-used': '5' } }
      : { status: 404, body: { error: { code: 'not_found' } }, headers: { 'x-credits-used': '0' } },
  );
  const { desk } = book;
  const stopped = await desk.type(words(book, '--budget', '2', '--write'), start);
  expect(stopped.code, stopped.stderr).toBe(4);
  expect(stopped.stderr).toContain('The first answer cost 5 credits');
  expect(stopped.stderr).toContain('--budget 10');
  expect(book.asked()).toHaveLength(1);
  expect((await desk.type(words(book, '--budget', '9', '--write'), start)).code).toBe(4);
  const again = await desk.type(words(book, '--budget', '10', '--write'), start);
  expect(again.code, again.stderr).toBe(0);
  expect(book.asked()).toHaveLength(2);
});

test.each([
  [401, { error: 'Invalid API key' }, {}, 77, /refused the key/],
  [429, { error: 'Too many requests' }, { 'retry-after': '3600' }, 75, /Too many requests/],
])(
  'a first answer with status %i stops before the second request, as a run stops',
  async (status, body, headers, code, why) => {
    const book = await bookOf(() => ({ status, body, headers }));
    const stopped = await book.desk.type(words(book, '--budget', '2', '--write', '--max-pause', '1s'), start);
    expect(stopped.code, stopped.stderr).toBe(code);
    expect(stopped.stderr).toMatch(why);
    expect(book.asked()).toHaveLength(1);
    expect(existsSync(book.desk.place.path('config/acme.yaml'))).toBe(false);
  },
);

test('a vendor that answers later is asked for its answer, by the path that leads to the id', async () => {
  const book = await bookOf((asked, method) => {
    if (method === 'POST') {
      const id = asked.includes('"Mia"') ? 'job-1' : 'job-2';
      return { status: 202, body: { id, status: 'queued' }, cost: id === 'job-1' ? 1 : 0 };
    }
    return {
      body: asked.includes('job-1')
        ? { id: 'job-1', status: 'done', result: PERSON }
        : { id: 'job-2', status: 'done', result: null },
    };
  });
  Object.assign(book, { isPolled: true });
  const { desk } = book;
  const tried = await desk.type(words(book, '--budget', '2', '--write'), start);
  expect(tried.code, tried.stdout + tried.stderr).toBe(0);
  expect(book.asked()).toHaveLength(2);
  expect(await desk.read('config/acme.yaml')).toContain(
    'later: { id: id, path: "/v1/find/{id}", every: 5s, gives_up: 2h }',
  );
  expect((await desk.json(['spend'])).groups).toMatchObject([{ spent: book.charged, in_doubt: 0 }]);
  const shown = await desk.type(['accounts', 'test', 'acme'], start);
  expect(shown.stdout).toContain('acme: its 2 examples are read as they say.');
});

test('a vendor that is still at work is asked again, by the same command too, and nothing is sent twice', async () => {
  let polls = 0;
  const book = await bookOf((asked, method) => {
    if (method === 'POST') {
      const id = asked.includes('"Mia"') ? 'job-1' : 'job-2';
      return { status: 202, body: { id, status: 'queued' } };
    }
    if (asked.includes('job-2')) return { body: { id: 'job-2', status: 'done', result: null } };
    polls += 1;
    const done = { id: 'job-1', status: 'done', result: PERSON };
    return { body: polls < 3 ? { id: 'job-1', status: 'queued' } : done };
  });
  Object.assign(book, { isPolled: true });
  const { desk } = book;
  const stopped = await desk.type(words(book, '--budget', '2', '--write', '--max-pause', '1s'), start);
  expect(stopped.code, stopped.stderr).toBe(75);
  expect(stopped.stderr).toContain('The vendor is still at work.');
  expect([book.asked().length, polls]).toEqual([1, 1]);
  const again = await desk.type(words(book, '--budget', '2', '--write'), start);
  expect(again.code, again.stdout + again.stderr).toBe(0);
  expect([book.asked().length, polls]).toEqual([2, 3]);
});

test('what may be a company under a name that nobody knows is sent for every row, which is said before anything is sent', async () => {
  const book = await finder();
  const line = (name: string): string =>
    `curl -X POST ${book.vendor.url}/v1/find -H 'X-Key: K' -d '{"first":"Mia","last":"Tran","domain":"acme.com.au","${name}":"brightpipe.com"}'`;
  const more = ['--account', 'acme', '--key-env', 'ACME_KEY'];
  const unsent = await book.desk.type(['try', line('at_site_of'), ...more], start);
  expect(unsent.code).toBe(2);
  expect(unsent.stdout).toContain('at_site_of=brightpipe.com is sent for every row.');
  expect(book.asked()).toEqual([]);
  const tried = await book.desk.json(['try', line('at_site_of'), ...more, '--budget', '4'], start);
  expect(tried.proposal.notes).toContain('at_site_of=brightpipe.com is sent for every row.');
});

test.each(['website_domain', 'corporate_domain'])('%s is the domain', async (name) => {
  const { desk, vendor } = await finder();
  const line = `curl -X POST ${vendor.url}/v1/find -d '{"first":"Mia","last":"Tran","${name}":"acme.com.au"}'`;
  const tried = await desk.type(['try', line, '--account', 'acme', '--key-env', 'ACME_KEY'], start);
  expect(tried.stdout).toContain('It is read as find-email, by first_name+last_name+domain.');
});

test('a check has a verdict in both answers, and a place in a list is named by what stands there', async () => {
  const check = await bookOf((asked) => ({
    body: {
      email: 'jo@acme.com.au',
      status: asked.includes('mia.tran') ? 'deliverable' : 'undeliverable',
      reason: asked.includes('mia.tran') ? 'accepted_email' : 'rejected_email',
    },
    cost: 1,
  }));
  const line = `curl '${check.vendor.url}/v1.1/email/verify?email=mia.tran@acme.com.au' -H 'x-api-key: <api-key>'`;
  const verified = await check.desk.json(
    ['try', line, '--account', 'checks', '--key-env', 'ACME_KEY', '--budget', '2', '--write'],
    start,
  );
  expect(verified.proposal).toMatchObject({ operation: 'check-email', is_read: true });
  expect(verified.proposal.dialect).toContain('gives: { verdict: status }');
  const signal = await bookOf((asked) => ({
    body: asked.includes('mia-tran')
      ? [
          {
            status: 'success',
            candidate: {
              fullName: 'Mia Tran',
              contacts: [
                { type: 'phone', value: '+61 400 000 001' },
                { type: 'email', value: 'mia.tran@acme.com.au' },
              ],
            },
          },
        ]
      : [{ status: 'failed' }],
  }));
  const items = `curl -X POST ${signal.vendor.url}/api/v1/candidate/search -H 'apikey: your_secret_api_key' --data '{"items": ["https://www.linkedin.com/in/mia-tran"]}'`;
  const found = await signal.desk.json(
    ['try', items, '--account', 'signal', '--key-env', 'ACME_KEY', '--budget', '2'],
    start,
  );
  expect(found.proposal.places).toContainEqual({
    name: 'email',
    path: '0.candidate.contacts[type=email].value',
    value: 'mia.tran@acme.com.au',
  });
});

test.each([
  [
    'curl https://api.vendor.example/v1/people',
    /No part of this line of curl is known as a person or a company/,
  ],
  [
    'curl -d email=jo@acme.com.au https://api.vendor.example/x',
    /It sends a form, and a dialect sends JSON or a query/,
  ],
  ['curl -F file=@list.csv https://api.vendor.example/x', /-F of curl is not known here/],
  ['curl http://api.vendor.example/x?email=jo@acme.com.au', /the address must begin with https:\/\//],
  ["curl 'https://api.vendor.example/x?email=<email>'", /The line has no example to ask for: email/],
  ["curl https://api.vendor.example/x -d '{a:1}' --json x", /The body of this line of curl is not JSON/],
  ["curl 'https://api.vendor.example/x?email=jo@acme.com.au", /One of its quotes is never closed/],
])('%s is refused before anything is sent', async (line, why) => {
  const desk = await openDesk();
  const { code, stderr } = await desk.type(
    ['try', line, '--account', 'other', '--key-env', 'ACME_KEY', '--yes'],
    start,
  );
  expect(code).toBe(2);
  expect(stderr).toMatch(why);
  expect(await desk.requests()).toBe(0);
});

test('on a terminal it asks for the key and for both requests, and again where the first cost more, and whether it is right: four answers', async () => {
  const book = await finder();
  const { place } = book.desk;
  vi.stubEnv('ROWONCE_CONFIG', place.path('config'));
  vi.stubEnv('ROWONCE_STORE', place.path('store'));
  vi.stubEnv('XDG_STATE_HOME', place.path('state'));
  onTestFinished(() => void vi.unstubAllEnvs());
  const { code, stderr } = await typed(['try', lineTo(book), '--account', 'acme'], {
    answers: [KEY, 'y', 'y', 'y'],
  });
  expect(code, stderr).toBe(0);
  expect(book.vendor.requests[0]?.headers['x-key']).toBe(KEY);
  expect(stderr).toContain('The first cost 2 credits.');
  expect(stderr).not.toContain(KEY);
  expect(existsSync(place.path('config/acme.yaml'))).toBe(true);
});
