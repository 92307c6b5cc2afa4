/**
 * Goal: a step that reads what an earlier one finds is asked where that was found, and where no one can find it the row says why.
 * Method: the real command before a vendor that finds an address for a name, and people by their addresses.
 */
import { parse } from 'csv-parse/sync';
import { expect, test } from 'vitest';
import { type DeskBefore, deskBefore, type JsonResult } from './desk.ts';

const FINDS = {
  method: 'POST',
  path: '/find/email',
  by: ['first_name+last_name+domain'],
  gives: { email: 'email' },
  credits: { most: 1, found: 1 },
};

const JOB = {
  columns: { first_name: 'First', last_name: 'Last', domain: 'Website', email: 'Email' },
  operations: { 'find-email': { add: { Email: 'email' } }, 'enrich-person': { add: { Title: 'job_title' } } },
  on_existing: 'fill',
};

const RUN = ['run', 'job.yaml', 'list.csv', '--budget', '9', '-o', 'out.csv'];

async function deskWith(list: string): Promise<DeskBefore> {
  const at = await deskBefore(({ path, input }) => {
    if (input.first_name === 'Lost') return undefined;
    return path === '/find/email'
      ? { email: `${input.first_name}@${input.domain}` }
      : { job_title: 'Engineer', email: input.email };
  });
  at.speak({ operations: { 'find-email': FINDS } });
  await at.desk.write('job.yaml', JSON.stringify(JOB));
  await at.desk.write('list.csv', `First,Last,Website,Email\n${list}`);
  return at;
}

test('a row by which nobody can be asked for what a later step reads ends with both reasons, and is not paid for', async () => {
  const { desk, asked } = await deskWith('Ada,,a.example,\n');
  expect(await desk.json(['plan', 'job.yaml', 'list.csv'])).toMatchObject({ rows: 1, invalid: 1 });
  expect(await desk.type(RUN)).toMatchObject({ code: 3 });
  expect(asked).toEqual([]);
  const rows: JsonResult[] = parse(await desk.read('out.csv'), { columns: true });
  expect(rows).toMatchObject([
    { _status: 'invalid', _reason: expect.stringMatching(/find-email: .*; enrich-person: /), Title: '' },
  ]);
});

test('a lost answer of a step is told by the names that its columns read, and the next step is asked by it', async () => {
  const { desk, asked } = await deskWith('Lost,Chen,c.example,\n');
  expect(await desk.type(RUN)).toMatchObject({ code: 3 });
  const wrong = await desk.type(['settle', 'last', '2', '--answer', 'job_title=Boss']);
  expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('reads job_title') });
  expect((await desk.type(['settle', 'last', '2', '--answer', 'email=lo@c.example'])).code).toBe(0);
  expect(await desk.type(RUN)).toMatchObject({ code: 0 });
  expect(asked.at(-1)?.input).toEqual({ email: 'lo@c.example' });
  const rows: JsonResult[] = parse(await desk.read('out.csv'), { columns: true });
  expect(rows).toMatchObject([{ _status: 'matched', Email: 'lo@c.example', Title: 'Engineer' }]);
});
