/**
 * Goal: what belongs together is asked together, and what a vendor gives is read where its dialect says, at the price of a match or of a miss.
 * Method: the real command, a dialect of the user's, and a vendor on a real socket that keeps what arrives.
 */
import { describe, expect, test } from 'vitest';
import { abn } from '../../bench/program.ts';
import { enrich } from '../../src/index.ts';
import { type DeskBefore, deskBefore } from './desk.ts';

const FINDER = {
  path: '/find',
  method: 'POST',
  by: ['profile_url', 'first_name+last_name+domain', 'full_name+company'],
  gives: { email: 'data.email', verdict: 'data.state' },
  verdicts: { valid: ['ok', true], accept_all: 'catchall', invalid: 'bad' },
  credits: { most: 3, found: 2, miss: 1 },
};
const CHECKER = {
  path: '/check',
  method: 'POST',
  gives: { verdict: 'state' },
  verdicts: {
    valid: ['ok', 'OK'],
    accept_all: ['catchall', 'accept-all'],
    invalid: 'bad',
    unknown: 'unknown',
  },
  credits: { most: 1, found: 1 },
};

const mail = (email: string, state = 'ok'): object => ({ data: { email, state } });

const speaking = (operations: object): object => ({ operations });

const run = (operation: string, ...more: string[]): string[] => [
  'run',
  operation,
  'list.csv',
  '--account',
  'data',
  '--budget',
  '90',
  '-o',
  'out.csv',
  '--yes',
  ...more,
];

async function deskOf(operations: object, answer: DeskBefore['answer'], list: readonly string[]) {
  const at = await deskBefore(answer);
  at.speak(speaking(operations));
  await at.desk.write('list.csv', `${list.join('\n')}\n`);
  return at;
}

/** The cells of these columns, a row each. */
const shown = ({ desk }: DeskBefore, ...columns: string[]): string[] =>
  desk.place.rows().map((row) => columns.map((column) => row[column] ?? '').join(' | '));

/** What the books of the account say, whatever a row shows. */
const spent = async ({ desk }: DeskBefore): Promise<number> =>
  (await desk.json(['spend', '--by', 'account'])).groups[0].spent;

const PEOPLE = [
  'First name,Surname,Website,Company,LinkedIn',
  'Mia,Tran,https://www.acme.example,Acme,https://www.linkedin.com/in/mia-tran',
  ' Leo , Park,leo@beta.example,,',
  'ANN,lee,gmail.com,Gamma,',
  'Zoe,,delta.example,Delta,',
];

test('a person is asked for once, by the first that the row can fill, and a row that can fill none says what it lacks', async () => {
  const at = await deskOf(
    { 'find-email': FINDER },
    ({ input }) => mail(`${input.last_name ?? 'x'}@a.example`),
    PEOPLE,
  );
  expect((await at.desk.type(run('find-email', '--add', 'Email=email', '--add', 'State=verdict'))).code).toBe(
    3,
  );
  expect(at.asked.map(({ input }) => input)).toEqual([
    { profile_url: 'https://www.linkedin.com/in/mia-tran' },
    { first_name: 'Leo', last_name: 'Park', domain: 'beta.example' },
    { full_name: 'ANN lee', company: 'Gamma' },
  ]);
  expect(shown(at, 'Email', 'State', '_matched_by', '_credits', '_reason')).toEqual([
    'x@a.example | valid | profile_url | 2 | ',
    'Park@a.example | valid | first_name+last_name+domain | 2 | ',
    'x@a.example | valid | full_name+company | 2 | domain gmail.com: gmail.com belongs to a mailbox provider, not to one company',
    ` |  |  | 0 | none of ${FINDER.by.slice(0, 2).join(', ')} and full_name+company is complete: profile URL: blank; last name: blank`,
  ]);
});

test('a person in another case is the same person, and is bought once', async () => {
  const list = ['Name,Company', 'Ann McDonald,Kauri KG', 'ann mcdonald,KAURI KG'];
  const at = await deskOf({ 'find-email': FINDER }, () => mail('a@b.example'), list);
  await at.desk.type(run('find-email', '--column', 'full_name=Name', '--column', 'company=Company'));
  expect(at.asked.map(({ input }) => input)).toEqual([{ full_name: 'Ann McDonald', company: 'Kauri KG' }]);
  expect(shown(at, '_status', '_credits')).toEqual(['matched | 2', 'matched | 0']);
});

test('an operation that the dialect lacks is refused, and no row is blamed for it', async () => {
  const { desk } = await deskOf({ 'find-email': FINDER }, () => ({}), PEOPLE);
  const { code, stderr } = await desk.type(run('find-phone'));
  expect([code, stderr]).toEqual([2, expect.stringMatching(/has no operation find-phone.*Add operations/s)]);
});

test('a word for no verdict that stands beside an address is shown as it came', async () => {
  const at = await deskOf(
    { 'find-email': FINDER },
    () => mail('a@b.example', 'sparkling'),
    PEOPLE.slice(0, 2),
  );
  await at.desk.type(run('find-email', '--add', 'State=verdict'));
  expect(shown(at, 'State', '_status')).toEqual(['sparkling | matched']);
});

test('a waterfall of the job rules over what the dialect takes', async () => {
  const at = await deskOf({ 'find-email': FINDER }, () => ({ data: { email: null } }), PEOPLE.slice(0, 2));
  await at.desk.type(run('find-email', '--waterfall', 'full_name+domain,profile_url'));
  expect(at.asked.map(({ input }) => Object.keys(input))).toEqual([['full_name', 'domain'], ['profile_url']]);
  expect(shown(at, '_reason', '_credits')).toEqual(['no match by full_name+domain, profile_url | 2']);
});

/** Answers to a finder: how the row ends, what it is booked at, and what then stands in the column. */
const ANSWERS: readonly (readonly [name: string, said: object, ends: string])[] = [
  ['an address', mail('a@b.example'), 'matched | 2 | a@b.example'],
  ['a word for nothing', mail('N/A'), 'no_match | 1 | '],
  ['nothing', { data: { email: null, first_name: 'Ann' } }, 'no_match | 1 | '],
  ['an empty object', { data: {} }, 'no_match | 1 | '],
  ['a miss that says its price', { data: { email: '' }, credits_used: 0 }, 'no_match | 0 | '],
  ['a match that says its price', { ...mail('a@b.example'), credits_used: 3 }, 'matched | 3 | a@b.example'],
  ['not yet, with a blank place', { status: 'processing', data: { email: null } }, 'in_doubt | 0 | '],
  ['nothing but an id', { enrichment_id: 'e-1' }, 'in_doubt | 0 | '],
  ['an error beside a blank place', { success: false, data: { email: null } }, 'in_doubt | 0 | '],
  ['an address that a word calls bad', mail('a@b.example', 'bad'), 'matched | 2 | a@b.example'],
];

test.each(ANSWERS)('%s, by the table', async (_, said, ends) => {
  const at = await deskOf({ 'find-email': FINDER }, () => said, PEOPLE.slice(0, 2));
  await at.desk.type(run('find-email', '--add', 'Email=email'));
  expect(shown(at, '_status', '_credits', 'Email')).toEqual([ends]);
});

test('an id beside a blank place is a miss, where the answer is flat', async () => {
  const flat = { ...FINDER, gives: { email: 'email' }, verdicts: undefined };
  const answer = { request_id: 'r-1', email: null, state: 'completed' };
  const at = await deskOf({ 'find-email': flat }, () => answer, PEOPLE.slice(0, 2));
  await at.desk.type(run('find-email'));
  expect(shown(at, '_status', '_credits')).toEqual(['no_match | 1']);
});

test('what is probably paid has the price of a miss, and no other operation is dearer by it', async () => {
  const companies = { path: '/company', credits: { most: 10, found: 10, miss: 1 } };
  const list = ['ABN', ...Array.from({ length: 24 }, (_, at) => abn(at))];
  const found = () => (at.asked.length % 2 === 0 ? { name: 'Acme Ltd', employees: 3, town: 'Perth' } : {});
  const at: DeskBefore = await deskOf({ 'enrich-company': companies }, () => found(), list);
  await at.desk.type(['run', 'enrich-company', 'list.csv', '--account', 'data', '--budget', '240']);
  await at.desk.write('more.csv', `ABN\n${abn(30)}\n${abn(31)}\n`);
  const companiesPlan = await at.desk.json(['plan', 'enrich-company', 'more.csv', '--account', 'data']);
  expect(companiesPlan.credits).toMatchObject({ most: 20, expected: 11 });
  const people = 'Email,LinkedIn\na@b.example,https://www.linkedin.com/in/mia-tran\n';
  await at.desk.write('people.csv', people);
  const plan = await at.desk.json(['plan', 'enrich-person', 'people.csv', '--account', 'data']);
  expect(plan.credits.most).toBe(2);
});

/** The rule of a miss, the price of one in the dialect, and what it is booked at. */
const MISSES: readonly (readonly [rule: object, miss: number | undefined, booked: number])[] = [
  [{ means: 'no_match' }, undefined, 0],
  [{ means: 'no_match' }, 1, 1],
  [{ means: 'no_match', charged: true }, undefined, 2],
  [{ means: 'no_match', charged: true }, 1, 1],
  [{ means: 'no_match', charged: false }, 1, 0],
  [{ means: 'found' }, 1, 1],
  [{ means: 'found', charged: false }, 1, 0],
];

const FREE_MISS = [{ status: [200], means: 'no_match', charged: false }];

test.each(MISSES)(
  'a miss by the rule %j, with miss: %s, is booked at %i, at once and when it is read later',
  async (rule, miss, booked) => {
    const answer = { code: 7, data: { email: null } };
    const credits = { most: 3, found: 2, ...(miss === undefined ? {} : { miss }) };
    const answers = [{ status: [200], body: { path: 'code', equals: 7 }, ...rule }];
    const right = { ...FINDER, credits, answers };
    const at = await deskOf({ 'find-email': right }, () => answer, PEOPLE.slice(0, 2));
    await at.desk.type(run('find-email'));
    expect(shown(at, '_status', '_credits')).toEqual([`no_match | ${booked}`]);
    // Another dialect took the same answer for a free miss: the difference counts once it is read anew.
    const free = { ...right, credits: { most: 3, found: 2 }, answers: FREE_MISS };
    const late = await deskOf({ 'find-email': free }, () => answer, PEOPLE.slice(0, 2));
    await late.desk.type(run('find-email'));
    expect(await spent(late)).toBe(0);
    late.speak(speaking({ 'find-email': right }));
    await late.desk.write('list.csv', `${PEOPLE.slice(0, 2).join('\n')}\nAnn,,,,\n`);
    await late.desk.type(run('find-email'));
    expect(shown(late, '_status')[0]).toBe('no_match');
    expect(late.asked).toHaveLength(1);
    expect(await spent(late)).toBe(booked);
  },
);

describe('a check of addresses', () => {
  const ADDRESSES = ['Email', ...Array.from({ length: 8 }, (_, at) => `p${at}@acme.example`)];

  test('one verdict for many addresses is normal, and `add` has our word for it', async () => {
    const at = await deskOf({ 'check-email': CHECKER }, () => ({ state: 'Accept-All' }), ADDRESSES);
    const { code } = await at.desk.type(run('check-email', '--add', 'Verdict=verdict'));
    expect([code, ...new Set(shown(at, 'Verdict', '_status', '_credits'))]).toEqual([
      0,
      'accept_all | matched | 1',
    ]);
  });

  test('a verdict beside the words that it is still to come is none yet', async () => {
    const answer = { state: 'unknown', status: 'pending' };
    const at = await deskOf({ 'check-email': CHECKER }, () => answer, ADDRESSES.slice(0, 2));
    await at.desk.type(run('check-email'));
    expect(shown(at, '_status', '_credits')).toEqual(['in_doubt | 0']);
  });

  test('a word that the dialect lacks is in doubt, and is read without a request once it has it', async () => {
    const at = await deskOf({ 'check-email': CHECKER }, () => ({ state: 'risky' }), ADDRESSES.slice(0, 3));
    const words = run('check-email', '--add', 'Verdict=verdict');
    expect((await at.desk.type(words)).code).toBe(3);
    expect(shown(at, '_status', '_reason')[0]).toMatch(
      /^in_doubt \| .*"risky".*with a verdict that `verdicts`/,
    );
    const told = ['settle', 'last', '2', '--answer', 'Verdict=accept_all'];
    expect((await at.desk.type(told)).code).toBe(2);
    await at.desk.type(['settle', 'last', '2', '--answer', 'verdict=accept_all']);
    at.speak(
      speaking({
        'check-email': { ...CHECKER, verdicts: { ...CHECKER.verdicts, unknown: ['unknown', 'risky'] } },
      }),
    );
    await at.desk.type(words);
    expect(shown(at, 'Verdict', '_status')).toEqual(['accept_all | matched', 'unknown | matched']);
    expect(at.asked).toHaveLength(2);
  });

  const TOLD: readonly (readonly [verdicts: object, told: string, shows: string])[] = [
    [{ valid: 'ok', accept_all: 'valid' }, 'valid', 'valid | matched'],
    [{ valid: [true, 'ok'], unknown: ['unknown', 'valid'] }, 'valid', 'valid | matched'],
    [{ valid: 'ok', invalid: 'bad' }, 'bad', 'invalid | matched'],
    [{ valid: 'ok', invalid: 'bad' }, 'accept_all', ' | in_doubt'],
  ];

  test.each(TOLD)('with %j, a person who says %s is shown %s', async (verdicts, told, shows) => {
    const at = await deskOf(
      { 'check-email': { ...CHECKER, verdicts } },
      () => ({ state: 'risky' }),
      ADDRESSES.slice(0, 2),
    );
    await at.desk.type(run('check-email', '--add', 'Verdict=verdict'));
    const { code } = await at.desk.type(['settle', 'last', '2', '--answer', `verdict=${told}`]);
    await at.desk.type(run('check-email', '--add', 'Verdict=verdict'));
    expect([code, ...shown(at, 'Verdict', '_status')]).toEqual([shows.endsWith('doubt') ? 2 : 0, shows]);
  });

  test('five answers with one such word stop the run, which says where the word belongs', async () => {
    const at = await deskOf({ 'check-email': CHECKER }, () => ({ state: 'risky' }), ADDRESSES);
    const { code, stderr } = await at.desk.type(run('check-email'));
    expect([code, at.asked.length]).toEqual([75, 5]);
    expect(stderr).toMatch(/Add "risky" to operations\.check-email\.verdicts in the dialect; or settle/);
  });
});

test('a company is asked for by its name and country, or by the number of a register', async () => {
  const company = {
    ...FINDER,
    by: ['number', 'name+country'],
    gives: { name: 'items.0.title', employees: 'items.0.size' },
    verdicts: undefined,
  };
  const list = ['Company,Country,NZBN', 'Acme  Ltd,au,', 'Beta,NZ,94 290-41535 110', ',NZ,'];
  const at = await deskOf(
    { 'enrich-company': company },
    () => ({ items: [{ title: 'Acme', size: 0 }] }),
    list,
  );
  await at.desk.type(run('enrich-company', '--add', 'Name=name', '--add', 'Staff=employees'));
  expect(at.asked.map(({ input }) => input)).toEqual([
    { name: 'Acme Ltd', country: 'AU' },
    { number: '9429041535110' },
  ]);
  expect(shown(at, 'Name', 'Staff', '_status')).toEqual([
    'Acme | 0 | matched',
    'Acme | 0 | matched',
    ' |  | invalid',
  ]);
});

const UNSURE = [{ status: [200], body: { path: 'code', equals: 7 }, means: 'in_doubt' }];

/** What the dialect says of an answer, the paths of `add`, what a person tells, and what then stands there. */
const BESIDE: readonly (readonly [
  dialect: { readonly gives: object; readonly fields_at?: string },
  body: object,
  add: string,
  told: string[],
  shows: string,
])[] = [
  [
    { gives: { company: 'company.name', state: 'company.state' } },
    { code: 1, company: { name: 'Acme', size: 7, state: 'NSW' }, state: 'final' },
    'company,company.size,company.name,state,found_state',
    [],
    'Acme | 7 | Acme | NSW | final',
  ],
  [
    { gives: { company: 'company.name' } },
    { code: 7, company: { name: 'Acme', size: 7, city: 'Perth' } },
    'company,company.size,company.city',
    ['company=Acme Two', 'company.size=9'],
    'Acme Two | 9 | Perth',
  ],
  [
    { gives: { company: 'items.0.title' } },
    { code: 7, items: [{ title: 'Acme', size: 7, of: [{ id: 1 }, { id: 2 }] }, { title: 'Beta' }] },
    'company,items.0.size,items.1.title,items.0.of.0.id,items.0.of.1.id',
    ['company=Acme Two', 'items.0.of.1.id=3'],
    'Acme Two | 7 | Beta | 1 | 3',
  ],
  [
    { gives: { company: 'items.0.title' }, fields_at: 'items' },
    { code: 7, items: [{ title: 'Acme', size: 7 }, { title: 'Beta' }] },
    'company,0.size,1.title',
    ['company=Acme Two'],
    'Acme Two | 7 | Beta',
  ],
];

test.each(BESIDE)(
  'with %j, nothing that %j holds is lost: %s',
  async ({ gives, ...where }, body, paths, told, shows) => {
    const person = { ...FINDER, by: undefined, verdicts: undefined, gives, answers: UNSURE };
    const at = await deskOf({}, () => body, ['Email', 'mia@acme.example']);
    at.speak({ ...where, ...speaking({ 'enrich-person': person }) });
    const names = paths.split(',');
    const words = run('enrich-person', ...names.flatMap((path) => ['--add', `C-${path}=${path}`]));
    await at.desk.type(words);
    const answers = told.flatMap((pair) => ['--answer', pair]);
    if (told.length > 0) expect((await at.desk.type(['settle', 'last', '2', ...answers])).code).toBe(0);
    await at.desk.type(words);
    expect(shown(at, ...names.map((path) => `C-${path}`))).toEqual([shows]);
    // Without `add`, each of these is a column of its own, and a program gets all of them.
    await at.desk.type(run('enrich-person'));
    const cells = Object.values(at.desk.place.rows()[0] ?? {});
    const { place } = at.desk.here();
    const job = { job: 'enrich-person', account: 'data', store: place.path('store'), budget: 90 };
    for await (const row of enrich(place.path('list.csv'), job))
      for (const cell of shows.split(' | ')) {
        expect(cells).toContain(cell);
        expect(JSON.stringify(row.cells)).toContain(cell);
      }
    expect(at.asked).toHaveLength(1);
  },
);

const REFUSED: readonly (readonly [operations: object, says: RegExp])[] = [
  [
    { 'find-email': { ...FINDER, by: ['first_name+sirname'] } },
    /find-email has no input "sirname".*last_name/s,
  ],
  [{ 'find-email': { ...FINDER, by: undefined } }, /has no `by`, so/],
  [
    { 'find-email': { ...FINDER, fields: { domain: null } } },
    /asked by domain, for which the vendor has no field/,
  ],
  [
    { 'find-email': { ...FINDER, path: '/find/{domain}' } },
    /the path has \{domain\}, which a call by profile_url does not have/,
  ],
  [
    { 'find-email': { ...FINDER, gives: { mail: 'data.email' } } },
    /no answer to find-email gives "?mail"?.*email/s,
  ],
  [{ 'find-email': { ...FINDER, gives: { verdict: 'data.state' } } }, /where the email of find-email stands/],
  [{ 'check-email': { ...CHECKER, verdicts: { accept_all: 'x' } } }, /"valid" is missing/],
  [
    { 'check-email': { ...CHECKER, verdicts: { valid: 'x', invalid: ['y', 'X'] } } },
    /"?x"? has two meanings/,
  ],
  [{ 'check-email': { ...CHECKER, verdicts: { valid: 'x', risky: 'y' } } }, /risky/],
  [{ 'check-email': { ...CHECKER, verdicts: undefined } }, /`verdicts` does not say what its words mean/],
  [
    { 'find-email': { ...FINDER, credits: { most: 1, found: 1, miss: 2 } } },
    /a miss is booked at 2 credits, and only 1 are reserved/,
  ],
  [{ 'search-people': { by: ['company'] } }, /search-people has no `by`/],
];

test.each(REFUSED)('a dialect with %j is refused with its line', async (operations, says) => {
  const { desk } = await deskOf(operations, () => ({}), PEOPLE);
  const { code, stderr } = await desk.type(['plan', 'find-email', 'list.csv', '--account', 'data']);
  expect([code, stderr]).toEqual([2, expect.stringMatching(says)]);
  expect(stderr).toMatch(/ours\.yaml:\d+:\d+: /);
});

test('a job by which a row may need more than 20 calls is refused with the sum', async () => {
  const { desk } = await deskOf({ 'find-email': FINDER }, () => ({}), PEOPLE);
  const names = ['first_name', 'last_name', 'full_name', 'company', 'domain', 'email', 'profile_url'];
  const pairs = names.flatMap((one, at) => names.slice(at + 1).map((other) => `${one}+${other}`));
  const job = `operations: [enrich-company, find-email]\naccount: data\nwaterfall: [domain, ${pairs.join(', ')}]\n`;
  await desk.write('job.yaml', job);
  const refused = await desk.type(['plan', 'job.yaml', 'list.csv']);
  expect(refused.code).toBe(2);
  expect(refused.stderr).toMatch(/job\.yaml:3:12: a row may need 2 \+ 21 = 23 calls, and the most is 20/s);
});

test('a list that lacks a column of what the vendor takes is refused, and the column is named', async () => {
  const { desk } = await deskOf({ 'find-email': FINDER }, () => ({}), PEOPLE);
  await desk.write(
    'job.yaml',
    'operation: enrich-person\naccount: data\ncolumns: { first_name: First name, last_name: Surname }\n',
  );
  await desk.write('few.csv', 'First name,Surname,Site\nMia,Tran,acme.example\n');
  const few = await desk.type(['plan', 'find-email', 'few.csv', '--account', 'data']);
  expect([few.code, few.stderr]).toEqual([
    2,
    expect.stringMatching(/the list has no column for the web domain\..*--column domain=…/s),
  ]);
  expect(
    (await desk.type(['plan', 'find-email', 'few.csv', '--account', 'data', '--column', 'domain=Site'])).code,
  ).toBe(0);
  const alone = await desk.type(['plan', 'job.yaml', 'list.csv']);
  expect([alone.code, alone.stderr]).toEqual([
    2,
    expect.stringMatching(/takes first_name and last_name only together/),
  ]);
});

const UNASKED: readonly (readonly [words: string, says: RegExp])[] = [
  [
    'enrich-person --column full_name=Name --column company=Company',
    /takes full_name and company only together/,
  ],
  ['enrich-person --column email=Mail --column company=Company', /takes company only together/],
  ['enrich-company --column name=Company --column domain=Web', /takes name only together.*the dialect ours/s],
  [
    'enrich-company --column name=Company --waterfall domain',
    /takes name only together.*the waterfall of the/s,
  ],
];

test.each(UNASKED)('no column is told as asked that nobody asks by: %s', async (words, says) => {
  const { desk } = await deskOf({}, () => ({}), [
    'Name,Company,Web,Mail',
    'Mia Tran,Acme,a.example,m@a.example',
  ]);
  const [operation = '', ...flags] = words.split(' ');
  const { code, stderr } = await desk.type(['plan', operation, 'list.csv', '--account', 'data', ...flags]);
  expect([code, stderr]).toEqual([2, expect.stringMatching(says)]);
});

test('a lost answer that the vendor says was a miss ends its row, and what it reserved counts', async () => {
  const read_back = {
    method: 'GET',
    path: '/lost',
    answers: [{ status: [200], body: { path: 'data', is: 'readable' }, says: 'happened' }],
    sure_after: '0s',
  };
  const at = await deskOf(
    { 'find-email': { ...FINDER, read_back } },
    ({ method }) => (method === 'GET' ? { data: { email: null } } : undefined),
    PEOPLE.slice(0, 2),
  );
  await at.desk.type(run('find-email'));
  expect(at.asked.map(({ method }) => method)).toEqual(['POST', 'GET']);
  expect(shown(at, '_status', '_credits')).toEqual(['no_match | 3']);
});
