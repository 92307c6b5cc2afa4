/**
 * Goal: what a vendor sells as an address or a number is one, or it is not found: the next account is asked, the row says what
 * stood there, and the money is booked, as the vendor's book has it.
 * Method: the real command before one vendor on a real socket that answers for several accounts, each at a path of its own, and
 * keeps a book: it charges whatever it has put into the place of what was asked for, and nothing for a blank one.
 */
import { rm } from 'node:fs/promises';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { type DeskBefore, deskBefore } from './desk.ts';

const FINDER = {
  method: 'POST',
  by: ['first_name+last_name+domain'],
  credits: { most: 2, found: 2, miss: 0 },
  path: '/find',
  gives: { email: 'person.work_email' },
};
const COLUMNS = { first_name: 'First', last_name: 'Last', domain: 'Site' };
const NAMES = ['Ann', 'Bob', 'Cat', 'Dee', 'Eve', 'Fay', 'Gus', 'Hal'];
const listOf = (count: number): string =>
  `First,Last,Site\n${NAMES.slice(0, count)
    .map((name) => `${name},Lee,${name.toLowerCase()}.example\n`)
    .join('')}`;

type Gives = (input: Readonly<Record<string, string>>) => unknown;

interface FoundDesk extends DeskBefore {
  /** What each account has charged. */
  readonly book: Record<string, number>;
  run(...more: readonly string[]): ReturnType<DeskBefore['desk']['type']>;
  /** The cells of the columns of each row. */
  cells(...columns: readonly string[]): readonly string[];
  spent(): Promise<number>;
}

/** @param gives what each account has in the place of what is asked for. */
async function deskOf(
  gives: Readonly<Record<string, Gives>>,
  {
    operation = FINDER,
    find = {},
    rows = 1,
    name = 'find-email',
  }: {
    operation?: object;
    find?: object;
    rows?: number;
    name?: string;
  } = {},
): Promise<FoundDesk> {
  const book: Record<string, number> = {};
  const before = await deskBefore(({ path, input }) => {
    const [, account = ''] = path.split('/');
    const value = gives[account]?.(input);
    const isSold = value !== undefined && value !== null && value !== '' && value !== 'N/A';
    book[account] = (book[account] ?? 0) + (isSold ? 2 : 0);
    return { person: { work_email: value, title: 'Buyer' } };
  });
  const { desk } = before;
  const { base_url: url } = JSON.parse(await desk.read('config/accounts.yaml')).accounts.data;
  desk.place.writeAccounts(
    Object.fromEntries(
      Object.keys(gives).map((account) => [
        account,
        {
          vendor: 'provider',
          id: account,
          base_url: `${url.replace(/\/$/, '')}/${account}`,
          key: 'a-test-key',
          dialect: 'ours.yaml',
          limits: { per_second: 2_000, concurrency: 1 },
        },
      ]),
    ),
  );
  before.speak({ operations: { [name]: operation } });
  const step = { account: Object.keys(gives), add: { Email: 'email' }, ...find };
  await desk.write('job.yaml', JSON.stringify({ columns: COLUMNS, operations: { [name]: step } }));
  await desk.write('list.csv', listOf(rows));
  return Object.assign(before, {
    book,
    run: (...more: readonly string[]) =>
      desk.type(['run', 'job.yaml', 'list.csv', '-o', 'out.csv', '--budget', '900', ...more]),
    cells: (...columns: readonly string[]) =>
      desk.place.rows().map((row) => columns.map((column) => row[column] ?? '').join(' | ')),
    spent: async () => (await desk.json(['status'])).batches[0].credits.spent,
  });
}

test.each<[unknown, string]>([
  [true, '`true`'],
  ['Not available', '"Not available"'],
  ['hidden', '"hidden"'],
  ['a***@acme.example', '"a***@acme.example"'],
  ['anna(at)acme.example', '"anna(at)acme.example"'],
  ['+61 2 9000 1234', '"+61 2 9000 1234"'],
])(
  '%j is no address: the next account is asked, both are paid, and the row says it',
  async (value, shown) => {
    const at = await deskOf({ one: () => value, two: () => 'ann@two.example' });
    const { code, stderr } = await at.run();
    expect(code, stderr).toBe(0);
    expect(at.cells('Email', 'Email_source', '_status', '_credits', '_reason')).toEqual([
      `ann@two.example | two | matched | 4 | one: in the place of the email stands ${shown}`,
    ]);
    expect(at.book).toEqual({ one: 2, two: 2 });
    expect(await at.spent()).toBe(4);
    expect((await at.run()).code).toBe(0);
    expect(at.asked).toHaveLength(2);
  },
);

test('where nobody has one the cell is blank, and what was sold is booked as a find', async () => {
  const values = [true, 'Not available', null, '', 'N/A', 'ann@acme.example'];
  const at = await deskOf(
    { one: ({ first_name }) => values[NAMES.indexOf(first_name ?? '')] },
    { rows: values.length },
  );
  const { code, stderr } = await at.run();
  expect(code, stderr).toBe(0);
  const missed = 'no match by first_name+last_name+domain';
  expect(at.cells('Email', '_status', '_credits', '_reason')).toEqual([
    ` | no_match | 2 | ${missed}; in the place of the email stands \`true\``,
    ` | no_match | 2 | ${missed}; in the place of the email stands "Not available"`,
    ...Array.from({ length: 3 }, () => ` | no_match | 0 | ${missed}`),
    'ann@acme.example | matched | 2 | ',
  ]);
  expect(at.book).toEqual({ one: 6 });
  expect(await at.spent()).toBe(6);
  // Two of the rows without an address were paid, and no face calls them free.
  const report = (await at.desk.read('out.report.html')).replaceAll(/<[^>]+>/g, ' ');
  expect(report).toMatch(/Not found +5, 2 of them paid /);
  const job = ['run', 'job.yaml', 'list.csv', '-o', 'out.csv', '--budget', '900'];
  expect((await at.desk.json(job)).figures).toMatchObject({ missed_paid: 2, for_misses: 0 });
});

test('what was sold and is none of its kind is no miss in any figure, nor in what a row says', async () => {
  const values = [true, 'a***@acme.example', '+61 2 9000 1234', null];
  const operation = { ...FINDER, credits: { most: 2, found: 2, miss: 1 } };
  const at = await deskOf(
    { one: ({ first_name }) => values[NAMES.indexOf(first_name ?? '')], two: () => 'ann@two.example' },
    { rows: values.length, operation },
  );
  const { stdout, stderr } = await at.run();
  expect(stdout, stderr).toContain(
    '  find-email at one: 0 of 4 rows found, at most 7 credits, 1 for misses\n',
  );
  const { groups } = await at.desk.json(['spend', '--by', 'account']);
  expect(groups).toMatchObject([
    { name: 'two', spent: 8, for_misses: 0 },
    { name: 'one', spent: 7, for_misses: 1 },
  ]);
  const status = async (row: string) => (await at.desk.type(['status', 'last', row])).stdout;
  expect(await status('2')).toMatch(
    /sold, and none of its kind, (?:at most )?2 credits at \S+ \(status 200, in the place of the email stands `true`\)/,
  );
  expect(await status('5')).toMatch(/no_match, (?:at most )?1 credit at /);
  const { attempts } = await at.desk.json(['status', 'last', '2']);
  expect(attempts[0].closure).toMatchObject({ sold: 'in the place of the email stands `true`', charged: 2 });
});

test('what an answer says that it cost is booked for such a find as well', async () => {
  const at = await deskOf({ one: () => true }, { operation: { ...FINDER, credits: { most: 5, found: 2 } } });
  at.answer = () => ({ person: { work_email: true }, credits_charged: 3 });
  await at.run();
  expect(at.cells('_status', '_credits')).toEqual(['no_match | 3']);
});

test('of a list the first that is an address is found, and `add` joins the list', async () => {
  const at = await deskOf(
    { one: () => ['hidden', 'ann@acme.example', 'bob@acme.example'] },
    { find: { add: { Email: 'email', All: 'person.work_email' } } },
  );
  expect((await at.run()).code).toBe(0);
  expect(at.cells('Email', 'All')).toEqual(['ann@acme.example | hidden; ann@acme.example; bob@acme.example']);
});

test('a telephone number is asked for elsewhere where the place of it says something else', async () => {
  const operation = { ...FINDER, gives: { phone: 'person.work_email' } };
  const find = { add: { Phone: 'phone' } };
  const at = await deskOf(
    { one: () => 'Upgrade to view', two: () => '(02) 9000 1235 x7' },
    { operation, find, name: 'find-phone' },
  );
  expect((await at.run()).code).toBe(0);
  expect(at.cells('Phone', '_status', '_reason')).toEqual([
    '(02) 9000 1235 x7 | matched | one: in the place of the phone stands "Upgrade to view"',
  ]);
});

test('a person is found by any fact of theirs, and a cell of another kind is blank', async () => {
  const operation = { ...FINDER, gives: { email: 'person.work_email', job_title: 'person.title' } };
  const find = { add: { Email: 'email', Title: 'job_title' } };
  const at = await deskOf({ one: () => true }, { operation, find, name: 'enrich-person' });
  const { code, stderr } = await at.run();
  expect(code, stderr).toBe(0);
  expect(at.cells('Email', 'Title', '_status', '_credits')).toEqual([' | Buyer | matched | 2']);
});

// ---------------------------------------------------------------------------------------- the finder's own verdict

const JUDGING = {
  ...FINDER,
  gives: { email: 'person.work_email', verdict: 'person.state' },
  verdicts: { valid: 'ok', accept_all: 'catchall', invalid: 'bad', unknown: 'unknown' },
};
const STATES: Readonly<Record<string, unknown>> = { Ann: 'ok', Bob: 'catchall', Cat: 'risky', Dee: null };

/** One and two find everybody; two says of all of them that they are there. */
async function judging(find: object): Promise<FoundDesk> {
  const at = await deskOf({ one: () => 'x', two: () => 'x' }, { operation: JUDGING, rows: 4, find });
  at.answer = ({ path, input: { first_name: name = '' } }) => {
    const [, account] = path.split('/');
    const email = `${name}@${account}.example`.toLowerCase();
    return { person: { work_email: email, state: account === 'one' ? STATES[name] : 'ok' } };
  };
  return at;
}

test("a finder's verdict stands beside its address, and all of them count", async () => {
  const at = await judging({});
  expect((await at.run()).code).toBe(0);
  const [header = ''] = (await at.desk.read('out.csv')).split('\n');
  expect(header).toContain('Site,Email,Email_source,Email_verdict,_status');
  const rows = [
    ...['ann@one.example | one | valid', 'bob@one.example | one | accept_all'],
    ...['cat@one.example | one | risky', 'dee@one.example | one | '],
  ];
  expect(at.cells('Email', 'Email_source', 'Email_verdict')).toEqual(rows);
  // Its own output has these columns once.
  await at.desk.write('list.csv', await at.desk.read('out.csv'));
  expect((await at.run()).code).toBe(0);
  expect((await at.desk.read('out.csv')).split('\n')[0]).toBe(header);
  expect(at.asked).toHaveLength(4);
});

test('where the job says which verdicts count, another account is asked for all others, and what was paid is told', async () => {
  const at = await judging({ accept: ['valid', 'accept_all'] });
  // Each account may be paid for an address that does not count.
  const { credits: planned } = await at.desk.json(['plan', 'job.yaml', 'list.csv']);
  expect(planned.most).toBe(16);
  const { code, stderr } = await at.run();
  expect(code, stderr).toBe(0);
  expect(at.cells('Email', 'Email_verdict', '_credits')).toEqual([
    ...['ann@one.example | valid | 2', 'bob@one.example | accept_all | 2'],
    ...['cat@two.example | valid | 4', 'dee@two.example | valid | 4'],
  ]);
  const alone = await judging({ account: 'one', accept: ['valid'] });
  await alone.run();
  const taken = ({ Email = '', _status = '', _reason = '' }) => `${Email} | ${_status} | ${_reason}`;
  expect(alone.desk.place.rows().map(taken)).toEqual([
    'ann@one.example | matched | ',
    ...['accept_all', 'risky', 'unknown'].map((word) => {
      return ` | no_match | find-email: its address is ${word} by one`;
    }),
  ]);
});

test('another set of verdicts is another batch, and buys nothing that is there', async () => {
  const at = await judging({ account: 'one' });
  await at.run();
  const job = JSON.parse(await at.desk.read('job.yaml'));
  job.operations['find-email'].accept = ['valid'];
  await at.desk.write('job.yaml', JSON.stringify(job));
  await at.run();
  expect(at.cells('Email')).toEqual(['ann@one.example', '', '', '']);
  expect(at.asked).toHaveLength(4);
});

test('verdicts that no finder gives, and a column of hers with that name, are refused before anything is sent', async () => {
  const none = await deskOf({ one: () => 'ann@one.example' }, { find: { accept: ['valid'] } });
  const refused = await none.run();
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain('gives no verdict to what find-email finds');
  const taken = await judging({});
  await taken.desk.write('list.csv', 'First,Last,Site,Email_verdict\nAnn,Lee,a.example,hers\n');
  const clash = await taken.run();
  expect(clash.code).toBe(2);
  expect(clash.stderr).toContain('which says what the finder says of each address');
  expect([...none.asked, ...taken.asked]).toEqual([]);
});

// ------------------------------------------------------------------------------------------- what was found before

/** The finished list is as an earlier build has left it, which took whatever stands in the place for an address. */
function asFoundBefore({ desk }: DeskBefore): void {
  const database = new Database(desk.place.path('store/ledger.db'));
  const guards = database.prepare<[], { name: string; sql: string }>(
    "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'",
  );
  const kept = guards.all();
  for (const { name } of kept) database.exec(`DROP TRIGGER ${name}`);
  database.exec(`
    UPDATE attempts SET said = 'found', why = '[{"code":"answer","facts":{"status":200}}]', dialect = 5 WHERE why LIKE '%"none_of_its_kind"%';
    UPDATE rows SET state = 'matched', findings = NULL, matched_by = 'first_name+last_name+domain'
      WHERE findings LIKE '%"none_of_its_kind"%';
    UPDATE uses SET is_filling = attempt = (SELECT min(a.id) FROM attempts a
      WHERE a.said = 'found' AND a.batch = uses.batch AND a.row = uses.row);
    UPDATE batches SET facts = json_remove(facts, '$.settings.by_kind', '$.settings.answer_at.byKind');`);
  for (const { sql } of kept) database.exec(sql);
  database.close();
}

test('what an earlier build took for addresses stays in its list; a plan says what it was, and nothing is bought unasked', async () => {
  const gives = ({ first_name: name }: Readonly<Record<string, string>>) =>
    name === 'Cat' ? 'cat@one.example' : true;
  const at = await deskOf(
    { one: gives, two: () => 'ann@two.example' },
    { rows: 3, find: { account: 'one' } },
  );
  const both = {
    columns: COLUMNS,
    operations: { 'find-email': { account: ['one', 'two'], add: { Email: 'email' } } },
  };
  const { desk } = at;
  await at.run();
  asFoundBefore(at);
  const before = ['true | matched', 'true | matched', 'cat@one.example | matched'];
  const counted = { rows: 2, found_by: [{ value: '`true`', rows: 2 }] };
  expect(await desk.json(['plan', 'job.yaml', 'list.csv'])).toMatchObject({
    reread: { ...counted, most: 0 },
  });
  const plan = await desk.type(['plan', 'job.yaml', 'list.csv']);
  expect(plan.stdout).toContain('reads differently: 2 rows were found by `true`; to settle them again');
  const kept = await at.run();
  expect(kept.stderr).toContain('They keep their outcome; to settle them again, agree with --yes.');
  expect(at.cells('Email', '_status')).toEqual(before);

  // Another list has the same people: what the answers are today is read there, and the other account is in its price.
  await desk.write('both.yaml', JSON.stringify(both));
  expect(await desk.json(['plan', 'both.yaml', 'list.csv'])).toMatchObject({
    to_buy: 2,
    credits: { most: 4 },
  });
  const ran = await desk.type(['run', 'both.yaml', 'list.csv', '-o', 'both.csv', '--budget', '9']);
  expect(ran.code, ran.stderr).toBe(0);
  expect(at.book).toEqual({ one: 6, two: 4 });
  expect(desk.place.rows('both.csv').map(({ Email }) => Email)).toEqual([
    ...['ann@two.example', 'ann@two.example', 'cat@one.example'],
  ]);
  await rm(desk.place.path('out.csv'));
  await at.run();
  expect(at.cells('Email', '_status')).toEqual(before);
  expect(at.asked).toHaveLength(5);
});

test('agreed, a list that was found by something else is settled again, and the next account is asked', async () => {
  const at = await deskOf({ one: () => true, two: () => 'ann@two.example' });
  await at.run();
  asFoundBefore(at);
  await at.run();
  expect(at.cells('Email', '_status')).toEqual(['true | matched']);
  expect((await at.run('--yes')).code).toBe(0);
  expect(at.cells('Email', '_status')).toEqual(['ann@two.example | matched']);
  expect(at.book).toEqual({ one: 2, two: 2 });
});
