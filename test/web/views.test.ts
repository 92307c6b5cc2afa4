/**
 * Goal: rows are found by what their cells say, in the words in which a start leaves rows out; and what is in view is a file: its
 * rows in their order, its columns under the names that stand there, with nothing in it that becomes a formula. The whole list stays what the terminal writes.
 * Method: a real `rowonce serve` before a real account; files are read back, and held against those of the command.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { parse } from 'csv-parse/sync';
import { expect, test } from 'vitest';
import { type Desk, deskBefore, openDesk } from '../cli/desk.ts';
import { ask, brought, endOf, servedIn } from './scene.ts';
import type { Served } from './served.ts';

const LIST = [
  'Company,Website,Status,Staff,Phone',
  'Alpha,alpha.example,Customer,=1+1,',
  'Beta,beta.example,prospect,20,n/a',
  'Gamma,gamma.example,Former,9,08 9000 0000',
  'Delta,delta.example,customer,100,+61 8 9000 0001',
  ',epsilon.example,Prospect,,',
].join('\n');

const JOB = { operation: 'enrich-company', account: 'data', add: { Found: 'name', Site: 'website' } };

const pageAt = (desk: Desk): Promise<Served> => servedIn(desk.place.folder, desk.environment());

const rowsIn = async (served: Served, path: string, order: object): Promise<readonly number[]> =>
  (await ask(served, 'POST', path, order)).rows.map(({ row }: { row: number }) => row);

async function fileOf(served: Served, path: string, body?: object) {
  const sent = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
  const { status, headers, body: text } = await served.tool(`/api${path}`, sent);
  const name = /''(.*)$/.exec(String(headers['content-disposition']))?.[1] ?? '';
  return { status, name: decodeURIComponent(name), text };
}

/** A file that is no text. */
async function rawOf(served: Served, path: string, body?: object): Promise<Buffer> {
  const { token, url } = served.note;
  const answer = await fetch(`http://127.0.0.1:${new URL(url).port}/api${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: body === undefined ? null : JSON.stringify(body),
  });
  expect(answer.status, path).toBe(200);
  return Buffer.from(await answer.arrayBuffer());
}

const linesOf = (text: string): readonly (readonly string[])[] => parse(text, { bom: true });

async function found(served: Served) {
  const id = await brought(served, 'renewals.csv', LIST);
  const { id: plan } = await ask(served, 'POST', '/plan', { file: id, job: JOB });
  const { work } = await ask(served, 'POST', '/run', { file: id, job: JOB, plan, budget: 100 });
  const { batch } = await endOf(served, work.id);
  return { id, batch: String(batch) };
}

test.each<[string, object, readonly number[]]>([
  ['is, in any case of letters', { only_if: { Status: 'CUSTOMER' } }, [2, 5]],
  ['is one of', { only_if: { Status: ['customer', 'Former'] } }, [2, 4, 5]],
  ['is not', { unless: { Status: 'Customer' } }, [3, 4, 6]],
  ['is blank, as a word for nothing is', { only_if: { Phone: 'blank' } }, [2, 3, 6]],
  ['is filled', { only_if: { Company: 'filled' } }, [2, 3, 4, 5]],
  [
    'several at once, sorted',
    { unless: { Status: 'Customer' }, only_if: { Staff: 'filled' }, sort: 'Staff' },
    [4, 3],
  ],
])('before a start rows are filtered by what a cell says: %s', async (_, filter, rows) => {
  const served = await servedIn();
  const id = await brought(served, 'renewals.csv', LIST);
  expect(await rowsIn(served, `/lists/${id}/rows`, filter)).toEqual(rows);
});

test('a filter leaves out just the rows that a start with the same words leaves out', async () => {
  const desk = await openDesk();
  const served = await pageAt(desk);
  const id = await brought(served, 'renewals.csv', LIST);
  const filter = { unless: { Status: 'Customer' }, only_if: { Company: 'filled' } };
  const job = { ...JOB, ...filter };
  const plan = await ask(served, 'POST', '/plan', { file: id, job });
  expect(plan).toMatchObject({ to_buy: 2, skipped: 3 });
  const { work } = await ask(served, 'POST', '/run', { file: id, job, plan: plan.id, budget: 2 });
  const { batch } = await endOf(served, work.id);
  expect(await rowsIn(served, '/status', { batch, where: { _status: 'matched,no_match' } })).toEqual(
    await rowsIn(served, `/lists/${id}/rows`, filter),
  );
  expect(await desk.place.vendor.book()).toMatchObject({ requests: 2 });
});

test('a found value that differs from hers is found, and one that says the same is not', async () => {
  // The vendor writes some names and each website in another form than she does.
  const names: Readonly<Record<string, string>> = { alpha: 'ALPHA Pty Ltd', beta: 'Betamax', gamma: '' };
  const { desk } = await deskBefore(({ input }) => {
    const host = input.domain?.replace('.example', '') ?? '';
    return { name: names[host] ?? `Other ${host}`, website: `https://www.${host}.example/`, id: host };
  });
  const served = await pageAt(desk);
  const { batch } = await found(served);
  expect(await rowsIn(served, '/status', { batch, differs: { Found: 'Company' } })).toEqual([3, 5]);
  expect(await rowsIn(served, '/status', { batch, differs: { Site: 'Website' } })).toEqual([]);
  expect(await rowsIn(served, '/status', { batch, only_if: { Found: 'blank' } })).toEqual([4]);
});

test('a column says how often each of its values stands in it, in any case of letters', async () => {
  const served = await servedIn();
  const id = await brought(served, 'renewals.csv', LIST);
  const values = (body: object) => ask(served, 'POST', `/lists/${id}/values`, body);
  expect(await values({ column: 'Status' })).toMatchObject({
    values: [
      { value: 'Customer', rows: 2 },
      { value: 'prospect', rows: 2 },
      { value: 'Former', rows: 1 },
    ],
    blank: 0,
    others: 0,
  });
  expect(await values({ column: 'Status', search: 'form' })).toMatchObject({
    values: [{ value: 'Former', rows: 1 }],
    others: 4,
  });
  expect(await values({ column: 'Phone' })).toMatchObject({ values: { length: 2 }, blank: 3 });
  expect(await values({ column: 'Nowhere' })).toMatchObject({ status: 400 });
});

test('what is in view is a file: its rows in their order, its columns by their names, and no formula of a vendor', async () => {
  const { desk } = await deskBefore(({ input }) => {
    return { name: `=HYPERLINK("${input.domain}")`, website: input.domain ?? '', id: input.domain };
  });
  const served = await pageAt(desk);
  const { batch } = await found(served);
  const columns = [{ name: 'Found', as: 'Name found' }, { name: 'Company' }, { name: 'Staff' }];
  const view = { as: 'csv', unless: { Status: 'prospect' }, sort: '-Company', columns };
  const { name, text } = await fileOf(served, `/batches/${batch}/view`, view);
  expect(name).toMatch(/^renewals.*\.csv$/);
  expect(linesOf(text)).toEqual([
    ['Name found', 'Company', 'Staff'],
    [`'=HYPERLINK("gamma.example")`, 'Gamma', '9'],
    [`'=HYPERLINK("delta.example")`, 'Delta', '100'],
    // Her own cells are hers.
    [`'=HYPERLINK("alpha.example")`, 'Alpha', '=1+1'],
  ]);
  const wrong = await fileOf(served, `/batches/${batch}/view`, { ...view, columns: [{ name: 'Nowhere' }] });
  expect(wrong).toMatchObject({ status: 400 });
});

test('a filtered workbook is one of its rows alone, and the whole list is what the command writes, in either form', async () => {
  const desk = await openDesk({ matchRate: 1 });
  const served = await pageAt(desk);
  const { batch } = await found(served);
  const book = await rawOf(served, `/batches/${batch}/view`, { as: 'xlsx', only_if: { Status: 'Customer' } });
  await writeFile(desk.place.path('view.xlsx'), book);
  const { rows } = await desk.json(['plan', 'enrich-company', 'view.xlsx']);
  expect(rows).toBe(2);

  for (const as of ['csv', 'xlsx']) {
    const whole = await rawOf(served, `/batches/${batch}/files/output?as=${as}`);
    const path = desk.place.path(`whole.${as}`);
    await desk.type(['export', batch, '--copy', '-o', path]);
    expect(Buffer.compare(whole, await readFile(path)), as).toBe(0);
  }
});

test('a list of which nothing was asked is downloaded as it is in view', async () => {
  const served = await servedIn();
  const id = await brought(served, 'renewals.csv', LIST);
  await ask(served, 'PUT', `/lists/${id}/mends`, {
    mends: [{ row: 6, column: 'Company', value: 'Epsilon' }],
  });
  const { text } = await fileOf(served, `/lists/${id}/view`, {
    as: 'csv',
    only_if: { Status: ['Prospect'] },
    columns: [{ name: 'Company' }, { name: 'Status' }],
  });
  expect(linesOf(text)).toEqual([
    ['Company', 'Status'],
    ['Beta', 'prospect'],
    ['Epsilon', 'Prospect'],
  ]);
});

test('ten thousand rows in view come whole and in order', async () => {
  const served = await servedIn();
  const numbers = Array.from({ length: 10_000 }, (_, at) => at);
  const id = await brought(
    served,
    'long.csv',
    `Number,Half\n${numbers.map((at) => `${at},${at % 2}`).join('\n')}`,
  );
  const view = { as: 'csv', only_if: { Half: '1' }, sort: '-Number', columns: [{ name: 'Number' }] };
  const { text } = await fileOf(served, `/lists/${id}/view`, view);
  const odd = numbers.filter((at) => at % 2 === 1).toReversed();
  expect(linesOf(text).flat()).toEqual(['Number', ...odd.map(String)]);
});
