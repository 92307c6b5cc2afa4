/**
 * Goal: no one is asked for by what is no name, and who is called Null is asked for like anybody.
 * Method: the real command before a vendor on a real socket.
 */
import { expect, test } from 'vitest';
import { type DeskBefore, deskBefore } from './desk.ts';

async function deskOf(
  list: string,
  by: readonly string[] = ['first_name+last_name+domain'],
): Promise<DeskBefore> {
  const at = await deskBefore(() => Response.json({ error: 'No match' }, { status: 404 }));
  const credits = { most: 1, found: 1 };
  at.speak({
    operations: {
      'find-email': { method: 'POST', path: '/find', by, gives: { email: 'email' }, credits },
      'enrich-company': { method: 'POST', path: '/co', by: ['name'], gives: { name: 'name' }, credits },
    },
  });
  await at.desk.write('list.csv', list);
  return at;
}

const RUN = ['run', 'find-email', 'list.csv', '-o', 'out.csv', '--budget', '99', '--limit', '99'];
const PLAN = ['plan', 'find-email', 'list.csv'];
const asked = (at: DeskBefore): string[] =>
  at.asked.map(({ input }) => input.full_name ?? `${input.first_name} ${input.last_name}`);
const listOf = (...names: readonly string[]): string =>
  `First,Last,Domain\n${names.map((name) => `${name},acme.example`).join('\n')}\n`;

test('who is called Null, Na or Blank is asked for, and NULL is nobody', async () => {
  const at = await deskOf(listOf('Oliver,Null', 'Hoon,Na', 'Ann,NULL', 'Bob,nan', 'Null,Null'));
  await at.desk.type(RUN);
  expect(asked(at)).toEqual(['Oliver Null', 'Hoon Na']);
});

test('three rows that say so are those of a program', async () => {
  const at = await deskOf(listOf('Oliver,None', 'Ann,Lee', 'Bob,None', 'Cat,None'));
  await at.desk.type(RUN);
  expect(asked(at)).toEqual(['Ann Lee']);
});

test('a department, two people, a header and a place for a name are nobody, each with its reason', async () => {
  const at = await deskOf(
    listOf(
      'Sales,Team',
      'Marion,Sales',
      'Tom and Anna,Lord',
      'First Name,Last Name',
      '{{first_name}},Bell',
      'Ludwig,von und zu Stein',
    ),
  );
  await at.desk.type(RUN);
  expect(asked(at)).toEqual(['Marion Sales', 'Ludwig von und zu Stein']);
  const reasons = at.desk.place.rows().map(({ _reason: reason }) => reason ?? '');
  expect(reasons[0]).toContain(': name Sales Team: is a department or an office, not a person');
  expect(reasons[0]?.split('Sales')).toHaveLength(2);
  expect(reasons[2]).toContain('Tom and Anna: names two people');
  expect(reasons[4]).toContain('{{first_name}}: is a placeholder');
});

test('a whole name is put together of the parts as they are read', async () => {
  const at = await deskOf(listOf('Oliver,Null', 'Human,Resources'), ['full_name+domain']);
  await at.desk.type(RUN);
  expect(asked(at)).toEqual(['Oliver Null']);
});

test('no company is asked for by a date, a truth value or a word for none', async () => {
  const at = await deskOf(
    'Name\n7-Nov\nTRUE\n1.23457E+11\nTBC\n[not provided]\nTBC Consulting\nTrue North\n7-Eleven\n',
  );
  await at.desk.type(['run', 'enrich-company', 'list.csv', '-o', 'out.csv', '--budget', '99']);
  expect(at.asked.map(({ input }) => input.name)).toEqual(['TBC Consulting', 'True North', '7-Eleven']);
  expect(at.desk.place.rows()[0]?._reason).toContain('name 7-Nov: is a date of a spreadsheet, not a name');
  const { damage } = await at.desk.json(['plan', 'enrich-company', 'list.csv']);
  expect(damage).toMatchObject([{ column: 'Name', kind: 'sheet_value', count: 2, first_rows: [2, 4] }]);
});

test('the plan counts no word as blank that is the name of somebody who is asked for', async () => {
  const at = await deskOf(listOf('Oliver,Null', 'Hoon,Na', 'Ann,NULL', 'Null,Null', 'First Name,Lee'));
  const { to_buy, blank_words } = await at.desk.json([...PLAN]);
  expect(to_buy).toBe(2);
  expect(blank_words).toEqual([
    { column: 'Last', word: 'NULL', count: 1, first_rows: [4] },
    { column: 'First', word: 'Null', count: 1, first_rows: [5] },
    { column: 'Last', word: 'Null', count: 1, first_rows: [5] },
    { column: 'First', word: 'First Name', count: 1, first_rows: [6] },
  ]);
});

test('two parts that are no name together are refused by what they are together', async () => {
  const at = await deskOf(
    listOf('LinkedIn,Member', 'Bunya Timber,Pty Ltd', 'Dr,Singh', 'Anna,Test', 'Dr Anna,Singh'),
  );
  await at.desk.type(RUN);
  expect(asked(at)).toEqual(['Anna Test', 'Dr Anna Singh']);
  const reasons = at.desk.place.rows().map(({ _reason: reason }) => reason ?? '');
  expect(reasons.slice(0, 3).map((reason) => reason.replace(/^.*? is complete: /, ''))).toEqual([
    'name LinkedIn Member: is a placeholder, not a name',
    'name Bunya Timber Pty Ltd: is a company, not a person',
    'first name Dr: is a title, not a given name',
  ]);
  const { figures } = await at.desk.json(RUN);
  expect(figures.reasons).toMatchObject([
    { words: 'name: is a placeholder, not a name', rows: 1 },
    { words: 'name: is a company, not a person', rows: 1 },
    { words: 'first name: is a title, not a given name', rows: 1 },
  ]);
});

test('a sign of a web page in a name is repaired, as the plan shows, and is not sent as it stands', async () => {
  const at = await deskOf('Name\nMarks &amp; Spencer\nOak &#38; Ash\nAT&T\nR&D; Partners\n');
  const { damage } = await at.desk.json(['plan', 'enrich-company', 'list.csv']);
  expect(damage).toMatchObject([
    {
      kind: 'entities',
      repairable: 2,
      examples: [
        { cell: 'Marks &amp; Spencer', repaired: 'Marks & Spencer' },
        { cell: 'Oak &#38; Ash', repaired: 'Oak & Ash' },
      ],
    },
  ]);
  const run = ['run', 'enrich-company', 'list.csv', '-o', 'out.csv', '--budget', '99', '--limit', '99'];
  await at.desk.type(run);
  expect(at.asked.map(({ input }) => input.name)).toEqual(['AT&T', 'R&D; Partners']);
  expect(at.desk.place.rows()[0]?._reason).toContain(
    'repaired, it would be sent with name read as Marks & Spencer',
  );
  await at.desk.type([...run, '--repair']);
  expect(at.asked.slice(2).map(({ input }) => input.name)).toEqual(['Marks & Spencer', 'Oak & Ash']);
});
