/**
 * Goal: an answer that is about another company or person is said, by its own ABN, profile or name. What was found stays, or is left blank,
 * as the job or a person says; the row stays matched and the price is booked. Another run comes to the same words.
 * Method: the real command before a vendor on a real socket, which answers a row's question with another one's data.
 */
import { parse } from 'csv-parse/sync';
import { expect, test } from 'vitest';
import { type Answer, type DeskBefore, deskBefore, type JsonResult } from './desk.ts';

const COMPANY = { operations: { 'enrich-company': { credits: { most: 1, found: 1 } } } };
const NAMED = {
  operations: {
    'enrich-company': { by: ['abn', 'name+country', 'name'], credits: { most: 1, found: 1 } },
    'enrich-person': {
      by: ['email', 'profile_url', 'first_name+last_name+domain'],
      gives: { email: 'mail' },
      credits: { most: 1, found: 1 },
    },
  },
};

const [HERS, OTHER] = ['51824753556', '53004085616'];

const RUN = ['run', 'job.yaml', 'list.csv', '--budget', '99', '-o', 'out.csv'];

async function deskOf(
  list: string,
  job: object,
  answer: Answer,
  dialect: object = COMPANY,
): Promise<DeskBefore> {
  const at = await deskBefore(answer);
  at.speak(dialect);
  await at.desk.write('list.csv', list);
  await at.desk.write('job.yaml', JSON.stringify({ account: 'data', ...job }));
  return at;
}

async function rows({ desk }: DeskBefore, ...columns: readonly string[]): Promise<string[]> {
  const written: JsonResult[] = parse(await desk.read('out.csv'), { columns: true, bom: true });
  return written.map((row) => columns.map((column) => row[column]).join(' | '));
}

/** The second of three companies is answered with another one. */
const companies = (job: object = {}) =>
  deskOf(
    `ABN\n${HERS}\n33051775556\n88000014675\n`,
    { operation: 'enrich-company', columns: { abn: 'ABN' }, add: { Staff: 'staff' }, ...job },
    ({ input }) => ({ abn: input.abn === '33051775556' ? '53 004 085 616' : input.abn, staff: 7 }),
  );

test('another ABN than was asked is said, and the row needs a person, who keeps it or leaves it blank', async () => {
  const at = await companies();
  const ran = await at.desk.type(RUN);
  expect(ran.code).toBe(3);
  const shown = ['Staff', '_status', '_match', '_credits'];
  expect(await rows(at, ...shown)).toEqual([
    '7 | matched |  | 1',
    '7 | matched | ABN differs: 53 004 085 616 | 1',
    '7 | matched |  | 1',
  ]);
  expect(await at.desk.read('out.needs-attention.csv')).toContain(
    '33051775556,3,ABN differs: 53 004 085 616',
  );
  expect(ran.stderr + ran.stdout).toContain('1 answer is about another company or person');
  const first = await at.desk.read('out.csv');
  // Another run says the same, asks no one, and writes the same bytes.
  expect((await at.desk.type(RUN)).code).toBe(3);
  expect(await at.desk.read('out.csv')).toBe(first);
  expect(await at.desk.json(['settle', 'last'])).toMatchObject({
    in_doubt: [],
    matches: [{ row: 3, match: 'ABN differs: 53 004 085 616', decision: null }],
  });
  expect(await at.desk.json(['status', 'last', '3'])).toMatchObject({ match: 'ABN differs: 53 004 085 616' });

  const blank = await at.desk.type(['settle', 'last', '3', '--blank']);
  expect(blank).toMatchObject({ code: 0, stdout: expect.stringContaining('Noted for 1 row: left blank.') });
  expect((await at.desk.type(RUN)).code).toBe(0);
  expect((await rows(at, ...shown))[1]).toBe(' | matched | ABN differs: 53 004 085 616 (left blank) | 1');
  await at.desk.type(['settle', 'last', '3', '--keep']);
  expect((await at.desk.type(['export', 'last'])).code).toBe(0);
  expect((await rows(at, ...shown))[1]).toBe('7 | matched | ABN differs: 53 004 085 616 (kept) | 1');
  expect(at.asked).toHaveLength(3);
  expect((await at.desk.type(['settle', 'last', '2', '--keep'])).code).toBe(2);
});

test('where the ABN had no match and the website has, another ABN than the list has is said, and no person has to decide', async () => {
  const dialect = {
    operations: { 'enrich-company': { by: ['abn', 'domain'], credits: { most: 1, found: 1 } } },
  };
  const at = await deskOf(
    `Name,ABN,Site\nKookaburra,${HERS},kookaburra.com.au\nWombat,33051775556,wombat.com.au\n`,
    {
      operation: 'enrich-company',
      columns: { abn: 'ABN', domain: 'Site' },
      add: { Staff: 'staff' },
      waterfall: ['abn', 'domain'],
    },
    ({ input }) => {
      if (input.abn !== undefined) return Response.json({ error: 'No match' }, { status: 404 });
      return { abn: input.domain === 'wombat.com.au' ? OTHER : HERS, staff: 7 };
    },
    dialect,
  );
  const { code, stdout } = await at.desk.type(RUN);
  expect(code).toBe(0);
  expect(await rows(at, '_matched_by', '_match')).toEqual([
    'domain | ',
    'domain | ABN differs: 53 004 085 616',
  ]);
  // What is no person's task is counted all the same, where she reads what came.
  expect(stdout).toMatch(/^Match {6}1 row found with another ABN; to keep or blank: .* settle .*$/m);
  const report = await at.desk.read('out.report.html');
  expect(report.replaceAll(/<[^>]+>/g, ' ')).toMatch(
    /Found with another ABN than yours: 1 row\s.*Row 3\s+Wombat/s,
  );
  const { figures } = await at.desk.json(RUN);
  expect(figures).toMatchObject({ attention: 0, other_abn: { count: 1, first_rows: [3] } });
  const filtered = await at.desk.json(['status', 'last', '--where', '_differs=abn']);
  expect(filtered.rows.map((each: JsonResult) => each.row)).toEqual([3]);
  await at.desk.type(['settle', 'last', '3', '--keep']);
  expect((await at.desk.json(RUN)).figures).not.toHaveProperty('other_abn');
});

test('a job leaves such cells blank, or says nothing', async () => {
  const at = await companies({ mismatch: 'blank' });
  expect((await at.desk.type(RUN)).code).toBe(3);
  expect((await rows(at, 'Staff', '_match', '_credits'))[1]).toBe(' | ABN differs: 53 004 085 616 | 1');
  const { columns } = (await at.desk.json(RUN)).figures;
  expect(columns).toMatchObject([{ name: 'Staff', filled: 2, found: 3 }]);
  const job = JSON.parse(await at.desk.read('job.yaml'));
  await at.desk.write('job.yaml', JSON.stringify({ ...job, mismatch: 'ignore' }));
  expect((await at.desk.type(RUN)).code).toBe(0);
  expect((await rows(at, 'Staff', '_match'))[1]).toBe('7 | ');
  expect(at.asked).toHaveLength(3);
});

test('an ABN that fails its check, or that stands for another company in the answer, is no other one', async () => {
  const answers = [
    { abn: '53004085617' },
    { parent: { abn: OTHER } },
    { company: { abn: '88 000 014 675' }, ultimate_parent_company: { abn: OTHER } },
    { query: { abn: OTHER } },
    { subsidiaries: [{ abn: OTHER }] },
  ];
  const at = await deskOf(
    `ABN\n${HERS}\n33051775556\n88000014675\n48123123124\n83914571673\n`,
    { operation: 'enrich-company', columns: { abn: 'ABN' }, add: { Staff: 'staff' } },
    (_, nth) => ({ ...answers[nth - 1], staff: nth }),
  );
  expect((await at.desk.type(RUN)).code).toBe(0);
  expect(new Set(await rows(at, '_match'))).toEqual(new Set(['']));
});

test('another profile of the same form is said; a number beside a word is none', async () => {
  const linkedin = (slug: string): string => `https://www.linkedin.com/in/${slug}`;
  const answers: Record<string, object> = {
    'jo-one': { linkedin_url: 'linkedin.com/in/jo-other-1', mail: 'a@a.example' },
    'jo-two': { linkedin_url: 'http://au.linkedin.com/in/Jo-Two/', mail: 'b@b.example' },
    'jo-three': { linkedin_id: '145991517', mail: 'c@c.example' },
    'jo-four': {
      linkedin: 'jo-other-4',
      company: { linkedin_url: 'linkedin.com/company/x' },
      mail: 'd@d.example',
    },
  };
  const at = await deskOf(
    `LinkedIn\n${Object.keys(answers).map(linkedin).join('\n')}\n`,
    { operation: 'enrich-person', columns: { profile_url: 'LinkedIn' }, add: { Mail: 'email' } },
    ({ input }) => answers[String(input.profile_url).split('/').at(-1) ?? ''],
    NAMED,
  );
  expect((await at.desk.type(RUN)).code).toBe(3);
  expect(await rows(at, 'Mail', '_match')).toEqual([
    'a@a.example | profile differs: www.linkedin.com/in/jo-other-1',
    'b@b.example | ',
    'c@c.example | ',
    'd@d.example | profile differs: www.linkedin.com/in/jo-other-4',
  ]);
});

test('a name is compared where a row was asked by no more than that, and never needs a person', async () => {
  const at = await deskOf(
    `ABN,Company\n,Brightwater Dental\n,Harbourline Removals\n${HERS},Old Mill Bakery\n`,
    { operation: 'enrich-company', columns: { abn: 'ABN', name: 'Company' }, add: { Staff: 'staff' } },
    ({ input: { name } }) =>
      name === 'Harbourline Removals'
        ? { company: { name: 'HARBOURLINE HOLDINGS PTY LTD' }, staff: 3 }
        : { name: 'Coolabah Freight Pty Ltd', staff: name === undefined ? 5 : 4 },
    NAMED,
  );
  expect((await at.desk.type(RUN)).code).toBe(0);
  expect(await rows(at, 'Staff', '_status', '_match')).toEqual([
    '4 | matched | name differs: "Coolabah Freight Pty Ltd"',
    '3 | matched | ',
    '5 | matched | ',
  ]);
});

test('a person who was asked by name and domain is another one by name, or by the profile in the list', async () => {
  const at = await deskOf(
    'First,Last,Site,LinkedIn\nAnn,Lee,a.example,\nBob,Poe,b.example,linkedin.com/in/bob-poe-1\n',
    {
      operation: 'enrich-person',
      columns: { first_name: 'First', last_name: 'Last', domain: 'Site', profile_url: 'LinkedIn' },
      waterfall: ['first_name+last_name+domain'],
      add: { Mail: 'email' },
    },
    ({ input }) =>
      input.first_name === 'Ann'
        ? { full_name: 'Cat Roy', mail: 'c@a.example' }
        : {
            first_name: 'Bob',
            last_name: 'Poe',
            linkedin_url: 'linkedin.com/in/bob-poe-2',
            mail: 'b@b.example',
          },
    NAMED,
  );
  expect((await at.desk.type(RUN)).code).toBe(3);
  expect(await rows(at, '_match')).toEqual([
    'name differs: "Cat Roy"',
    'profile differs: www.linkedin.com/in/bob-poe-2',
  ]);
});

test('rows of one question that a profile or an ABN tells apart say with which row they share their answer', async () => {
  const dialect = {
    operations: {
      'find-email': {
        by: ['first_name+last_name+domain'],
        gives: { email: 'mail' },
        credits: { most: 1, found: 1 },
        method: 'POST',
        path: '/find',
      },
    },
  };
  const at = await deskOf(
    'First,Last,Site,LinkedIn,Phone\nJohn,Smith,a.example,linkedin.com/in/john-one,1\n' +
      'John,Smith,a.example,linkedin.com/in/john-two,1\nJohn,Smith,a.example,linkedin.com/in/John-One/,2\n' +
      'John,Smith,a.example,,3\n',
    {
      operation: 'find-email',
      columns: { first_name: 'First', last_name: 'Last', domain: 'Site' },
      add: { Mail: 'email' },
    },
    () => ({ mail: 'js@a.example' }),
    dialect,
  );
  const shown = ['js@a.example | ', 'js@a.example | shared with row 2', 'js@a.example | ', 'js@a.example | '];
  expect((await at.desk.type(RUN)).code).toBe(0);
  expect(await rows(at, 'Mail', '_match')).toEqual(shown);
  expect(await at.desk.json(['status', 'last', '3'])).toMatchObject({ match: 'shared with row 2' });
  // A list that has grown asks no one again, and says the same.
  await at.desk.write('list.csv', `${await at.desk.read('list.csv')}Ann,Lee,b.example,,\n`);
  expect((await at.desk.type(RUN)).code).toBe(0);
  expect((await rows(at, 'Mail', '_match')).slice(0, 4)).toEqual(shown);
  expect(at.asked).toHaveLength(2);
  expect((await at.desk.type(['settle', 'last', '3', '--keep'])).code).toBe(2);
});

test('companies of one domain that their ABNs tell apart say so, and one ABN in two spellings tells nobody apart', async () => {
  const at = await deskOf(
    `ABN,Site\n${HERS},a.example\n53 004 085 616,a.example\n53-004-085-616,a.example\n51 824 753 556,a.example\n`,
    {
      operation: 'enrich-company',
      columns: { abn: 'ABN', domain: 'Site' },
      waterfall: ['domain'],
      add: { Staff: 'staff' },
    },
    () => ({ staff: 7 }),
  );
  expect((await at.desk.type(RUN)).code).toBe(0);
  expect(await rows(at, 'Staff', '_match', '_credits')).toEqual([
    ...['7 |  | 1', '7 | shared with row 2 | 0', '7 | shared with row 2 | 0', '7 |  | 0'],
  ]);
  expect(at.asked).toHaveLength(1);
});
