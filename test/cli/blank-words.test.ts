/**
 * Goal: a word that a tool left in a cell where it found nothing is nothing, and what a person wrote is not.
 * Method: the real command before a vendor on a real socket, with lists whose cells an earlier tool has filled.
 */
import { expect, test } from 'vitest';
import { type DeskBefore, deskBefore } from './desk.ts';

const FINDER = {
  operations: {
    'find-email': {
      method: 'POST',
      path: '/find',
      by: ['first_name+last_name+domain'],
      gives: { email: 'data.email' },
      credits: { most: 1, found: 1 },
    },
  },
};

const JOB = {
  operation: 'find-email',
  columns: { first_name: 'First', last_name: 'Last', domain: 'Site' },
  add: { Email: 'email' },
  on_existing: 'fill',
  budget: { credits: 99 },
};

async function deskOf(...rows: readonly string[]): Promise<DeskBefore> {
  const at = await deskBefore(({ input }) =>
    input.first_name === 'Ann'
      ? { data: { email: 'ann@a.example' } }
      : Response.json({ error: 'No match' }, { status: 404 }),
  );
  at.speak(FINDER);
  await at.desk.write('job.yaml', JSON.stringify(JOB));
  await at.desk.write('list.csv', `First,Last,Site,Email\n${rows.join('\n')}\n`);
  return at;
}

test('a word of a tool is asked for, named by the plan, and comes back where nothing is found', async () => {
  const at = await deskOf(
    'Ann,Lee,a.example,❌ No email found',
    'Bob,Poe,b.example,Run condition not met',
    'Cat,Roy,c.example,cat@c.example',
    'Dan,Fox,d.example,via reception',
    'Eve,Kay,e.example,N/A',
  );
  const plan = await at.desk.json(['plan', 'job.yaml', 'list.csv']);
  expect(plan).toMatchObject({ rows: 5, skipped: 2, to_buy: 3 });
  expect(plan.blank_words).toEqual([
    { column: 'Email', word: '❌ No email found', count: 1, first_rows: [2] },
    { column: 'Email', word: 'Run condition not met', count: 1, first_rows: [3] },
    { column: 'Email', word: 'N/A', count: 1, first_rows: [6] },
  ]);
  const { stdout } = await at.desk.type(['plan', 'job.yaml', 'list.csv']);
  expect(stdout).toContain(
    'Email: "❌ No email found" (row 2), "Run condition not met" (row 3) and "N/A" (row 6)',
  );
  await at.desk.type(['run', 'job.yaml', 'list.csv', '-o', 'out.csv', '--yes']);
  expect(at.asked.map(({ input }) => input.first_name)).toEqual(['Ann', 'Bob', 'Eve']);
  expect(at.desk.place.rows().map(({ Email, _status: status }) => `${Email} | ${status}`)).toEqual([
    'ann@a.example | matched',
    'Run condition not met | no_match',
    'cat@c.example | skipped',
    'via reception | skipped',
    'N/A | no_match',
  ]);
});

test('nobody is asked for by a word of a tool, and conditions take such a cell for blank', async () => {
  const at = await deskOf(
    '[Not Provided],Lee,a.example,x',
    'Ann,Lee,Unavailable,x',
    'Ann,Lee,a.example,Loading…',
  );
  await at.desk.write(
    'job.yaml',
    JSON.stringify({ ...JOB, on_existing: 'replace', only_if: { Email: 'filled' } }),
  );
  const plan = await at.desk.json(['plan', 'job.yaml', 'list.csv']);
  expect(plan).toMatchObject({ rows: 3, invalid: 2, skipped: 1, to_buy: 0 });
});

test('a mask, a place for an address and a word for none are looked for; her own words are kept and named', async () => {
  const at = await deskOf(
    'Ann,Lee,a.example,a***@gmail.com',
    'Bob,Poe,b.example,{{email}}',
    'Cat,Roy,c.example,Private',
    'Dan,Fox,d.example,anna(at)bell.com',
    'Eve,Kay,e.example,ask reception',
    'Fay,Orr,f.example,✅',
  );
  const plan = await at.desk.json(['plan', 'job.yaml', 'list.csv']);
  expect(plan).toMatchObject({ rows: 6, skipped: 3, to_buy: 3 });
  expect(plan.blank_words).toMatchObject([
    { word: 'a***@gmail.com' },
    { word: '{{email}}' },
    { word: 'Private' },
  ]);
  await at.desk.type(['run', 'job.yaml', 'list.csv', '-o', 'out.csv', '--yes']);
  expect(at.asked.map(({ input }) => input.first_name)).toEqual(['Ann', 'Bob', 'Cat']);
  const rows = at.desk.place.rows();
  expect(rows.map(({ Email }) => Email)).toEqual([
    ...['ann@a.example', '{{email}}', 'Private', 'anna(at)bell.com', 'ask reception', '✅'],
  ]);
  expect(rows[4]?._reason).toBe(
    '"Email" holds "ask reception", which is not an e-mail address; "Email" is filled, so the row would get nothing',
  );
});

test('an address is hidden behind whatever signs, one or many, and no repair makes an address of one', async () => {
  const masks = [
    'j•••@gmail.com',
    '●●●@gmail.com',
    '…@gmail.com',
    'j…@gmail.com',
    'j█@gmail.com',
    'j@g∗∗.com',
  ];
  const kept = ['•jo@gmail.com', 'jo@gmail.com…'];
  const at = await deskOf(...[...masks, ...kept].map((cell, nth) => `Ann,Lee,a${nth}.example,${cell}`));
  const plan = await at.desk.json(['plan', 'job.yaml', 'list.csv']);
  expect(plan).toMatchObject({ to_buy: masks.length, skipped: kept.length });
  expect(plan.blank_words.map(({ word }: { word: string }) => word)).toEqual(masks);
  const check = { operation: 'enrich-person', account: 'data', columns: { email: 'Email' } };
  await at.desk.write('check.yaml', JSON.stringify({ ...check, repair: true }));
  const asked = await at.desk.json(['plan', 'check.yaml', 'list.csv']);
  expect(asked).toMatchObject({ to_buy: 0, invalid: masks.length + kept.length });
});
