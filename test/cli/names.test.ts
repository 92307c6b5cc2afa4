/**
 * Goal: nobody is asked for by what is no name, and who is called Null is asked for like anybody.
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
  expect(reasons[0]).toContain('Sales: is a department or an office');
  expect(reasons[2]).toContain('Tom and Anna: names two people');
  expect(reasons[4]).toContain('{{first_name}}: is a place for a name');
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
  expect(at.desk.place.rows()[0]?._reason).toContain(
    '7-Nov: is a date, a truth value or a number of a spreadsheet',
  );
});
