import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import sqlite from '../../src/ledger/stores/sqlite.ts';
import { Clocks } from '../cli/clocks.ts';
import { Workplace } from '../faults/workplace.ts';
import { openStore } from '../ledger/stores/places.ts';
import { proof } from '../support/combinations.ts';
import { ask, endOf, servedIn, worked } from './scene.ts';
import { Served } from './served.ts';

/**
 * Goal: what is brought to the page is kept whole and closed to others, is never found by a name of the sender's,
 * and goes when nobody needs it.
 * Method: raw requests to a real `rowonce serve`, runs by the real command, and the vendor's own book.
 */

async function openPage(sandbox = '--match-rate 1') {
  const place = await Workplace.open();
  onTestFinished(() => place[Symbol.asyncDispose]());
  const served = await servedIn(place.folder, { ROWONCE_SANDBOX: sandbox });
  return {
    place,
    served,
    lists: place.path('store/lists'),
    bring: (name: string, body: string, as = '') =>
      ask(served, 'PUT', `/lists?name=${encodeURIComponent(name)}${as && `&as=${as}`}`, body),
    ask: (path: string) => ask(served, 'GET', `/lists${path}`),
    rows: (id: string, order: object = {}) => ask(served, 'POST', `/lists/${id}/rows`, order),
  };
}

const LEADS = 'Name,Domain\nA,a.example\nB,b.example\n"C",not a domain\n';

test('a list is kept whole, closed to others, under an id and never under its name', async () => {
  const { bring, ask: asked, rows, lists, served } = await openPage();
  const brought = await bring('../../etc/Leads.CSV', LEADS);
  expect(brought).toMatchObject({ status: 201, name: 'Leads.CSV' });
  const path = join(lists, brought.id, 'list.csv');
  expect(readFileSync(path, 'utf8')).toBe(LEADS);
  const modes = [lists, join(lists, brought.id), path, join(lists, brought.id, 'note.json')];
  expect(modes.map((each) => statSync(each).mode & 0o777)).toEqual([0o700, 0o700, 0o600, 0o600]);
  expect(await bring('Leads.CSV', LEADS), 'the same file again').toMatchObject({ id: brought.id });
  expect((await asked('')).lists).toHaveLength(1);
  const plan = (input: object) => ask(served, 'POST', '/plan', input);
  const described = await plan({ file: brought.id });
  expect(described).toMatchObject({ rows: 3, encoding: 'UTF-8', columns: [{ name: 'Name' }, { filled: 3 }] });
  expect(await rows(brought.id, { limit: 1 })).toMatchObject({
    columns: [
      { name: 'Name', from: 'list' },
      { name: 'Domain', from: 'list' },
    ],
    rows: [{ row: 2, cells: ['A', 'a.example'] }],
    next: 3,
  });
  expect(await rows(brought.id, { from: 4 })).toMatchObject({ rows: [{ row: 4 }], next: null, last: 4 });
  expect(await plan({ file: brought.id, header_row: '99' })).toMatchObject({
    status: 400,
    error: { message: expect.stringContaining('Leads.CSV') },
  });
  for (const id of ['..', '%2e%2e%2f', 'f'.repeat(16)]) expect((await rows(id)).status).toBe(404);
  const removed = await served.tool(`/api/lists/${brought.id}`, { method: 'DELETE' });
  expect([removed.status, readdirSync(lists)]).toEqual([200, []]);
});

test('what is refused leaves nothing behind: no format, nothing in it', async () => {
  const { bring, lists } = await openPage();
  expect(await bring('leads.pdf', 'x')).toMatchObject({ status: 400, error: { code: 'input' } });
  expect(await bring('leads.csv', '')).toMatchObject({ error: { message: 'The file is empty.' } });
  expect(readdirSync(lists)).toEqual([]);
});

proof('a list is kept for 30 days after its last batch began, and never while one is open', async () => {
  const day = 24 * 60 * 60 * 1000;
  const first = await openPage();
  const { id } = await first.bring('leads.csv', LEADS);
  const other = await first.bring('unused.csv', `${LEADS}D,d.example\n`);
  const { place, lists } = first;
  const input = join('store/lists', id, 'list.csv');
  await place.typeHere([...place.words({ input, budget: 1 })]);
  await first.served.stop();
  const clocks = new Clocks(place.path('clocks.json'));
  const startAt = async (days: number, told = days): Promise<readonly string[]> => {
    clocks.set({ wallMs: days * day });
    const ledger = await openStore(sqlite, place.path('store'));
    const [batch] = await ledger.batches();
    await ledger.keepAgreedTime(batch?.accountIdentity ?? '', Date.now() + told * day);
    await ledger.close();
    await (await Served.start([], { cwd: place.folder, env: clocks.env })).stop();
    return readdirSync(lists);
  };
  expect(await startAt(0)).toHaveLength(2);
  expect(await startAt(29)).toHaveLength(2);
  expect(await startAt(60, 29), 'the clock alone removes nothing').toHaveLength(2);
  expect(await startAt(31), 'a batch is open').toEqual([id]);
  expect(existsSync(join(lists, other.id))).toBe(false);
  const second = await Served.start([], { cwd: place.folder });
  const kept = await second.tool(`/api/lists/${id}`, { method: 'DELETE' });
  expect([kept.status, kept.body]).toEqual([409, expect.stringContaining('is not done yet')]);
  await second.stop();
  const listed = await place.typeHere(['status', '--json', '--store', place.path('store')]);
  const [{ batch }] = JSON.parse(listed.stdout).batches;
  expect((await place.typeHere(['cancel', batch, '--store', place.path('store')])).code).toBe(0);
  expect(await startAt(32)).toEqual([]);
});

test('a list that cannot be read as it is chosen now is still there, and chosen otherwise, whatever was mended in it', async () => {
  const { bring, ask: asked, served } = await openPage();
  const { id: file } = await bring('leads.csv', LEADS);
  const job = { operation: 'enrich-company', ...PLAY };
  const mend = (value: string | null) =>
    ask(served, 'PUT', `/lists/${file}/mends`, { mends: [{ row: 4, column: 'Domain', value }] });
  await mend('c.example');
  const { id: plan } = await ask(served, 'POST', '/plan', { file, job });
  await worked(served, 'run', { file, job, plan });
  await mend(null);
  const read = (header_row: string) =>
    ask(served, 'PUT', `/lists/${file}/job`, { ...job, read: { header_row } });
  expect(await read('99')).toMatchObject({ status: 200, standing: { is: 'mended' } });
  expect((await asked('')).lists).toHaveLength(1);
  expect(await read('1')).toMatchObject({ standing: { cells: [{ value: 'not a domain', taken: true }] } });
});

test('of the name of a list stays what is no path and can be shown on one line', async () => {
  const { bring } = await openPage();
  // Another list each time: the same one keeps its name.
  for (const [given, name] of [
    ['a\r\nX-Odd: y\r\n\r\n.csv', 'a X-Odd: y .csv'],
    ['../../etc/leads.csv', 'leads.csv'],
    ['C:\\leads\\mine.csv', 'mine.csv'],
    ['leads\u202evsc.exe\u2066.csv', 'leadsvsc.exe.csv'],
    ['a\0b\u001b[31m.csv', 'ab.csv'],
  ] as const)
    expect(await bring(given, `${LEADS}${name},\n`), name).toMatchObject({ status: 201, name });
});

test('a list is searched, sorted and filtered before anything is asked, and read as it is now', async () => {
  const { bring, rows, served } = await openPage();
  const names = ['Zoe', 'anna', '', 'Bob', '10', '9'];
  const { id } = await bring('people.csv', `Name,City\n${names.map((name) => `${name},Perth\n`).join('')}`);
  const found = async (order: object) => (await rows(id, order)).rows.map(({ row }: { row: number }) => row);
  expect(await found({ sort: 'Name' })).toEqual([7, 6, 3, 5, 2, 4]);
  expect(await found({ sort: '-Name', from: 5, limit: 2 })).toEqual([5, 3]);
  expect(await found({ search: 'ANN' })).toEqual([3]);
  expect(await found({ where: { Name: 'Bob' } })).toEqual([5]);
  expect(await rows(id, { sort: 'Town' })).toMatchObject({ status: 400, error: { code: 'usage' } });
  await ask(served, 'PUT', `/lists/${id}/mends`, { mends: [{ row: 4, column: 'Name', value: 'Hanna' }] });
  expect(await found({ search: 'ann' })).toEqual([3, 4]);
  const earlier = await bring('earlier.csv', 'Name,_status\nA,matched\nB,done\n');
  expect((await rows(earlier.id, { where: { _status: 'done' } })).rows, 'a column of the list').toHaveLength(
    1,
  );
});

test('of what two tabs send at once every mend is kept, and of two choices one is told that it came too late', async () => {
  const { bring, ask: asked, served } = await openPage();
  const { id: file } = await bring('leads.csv', LEADS);
  const job = { operation: 'enrich-company', ...PLAY };
  const mends = [2, 3, 4].map((row) => ({ row, column: 'Domain', value: `mended${row}.example` }));
  const plan = () => ask(served, 'POST', '/plan', { file, job });
  await Promise.all(
    mends.flatMap((mend) => [ask(served, 'PUT', `/lists/${file}/mends`, { mends: [mend] }), plan()]),
  );
  expect((await asked(`/${file}`)).mends).toHaveLength(3);
  expect(await plan()).toMatchObject({ to_buy: 3, invalid: 0 });
  const choose = () => ask(served, 'PUT', `/lists/${file}/job?version=0`, job);
  const chosen = await Promise.all([choose(), choose()]);
  expect(chosen.map(({ status }) => status).toSorted()).toEqual([200, 409]);
});

test('a list that is brought while its cells are mended waits for them, and is the one that was brought', async () => {
  const { bring, rows, served } = await openPage();
  // To write a mend into so many rows takes longer than to bring them.
  const long = `Name,Domain\n${'A,a.example\n'.repeat(20_000)}`;
  const { id } = await bring('leads.csv', long);
  const mends = [2, 3, 4].map((row) => ({ row, column: 'Name', value: 'mended' }));
  const mending = mends.map((each) => ask(served, 'PUT', `/lists/${id}/mends`, { mends: [each] }));
  const answers = await Promise.all([...mending, bring('leads.csv', `${long}New,new.example\n`)]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 201]);
  expect((await rows(id, { search: 'new.example' })).rows).toHaveLength(1);
});

test('a list that was edited is brought as the next version of the same list', async () => {
  const { bring, ask: asked, served } = await openPage();
  const first = await bring('leads.csv', LEADS);
  const plan = async () =>
    ask(served, 'POST', '/plan', { file: first.id, job: { operation: 'enrich-company', ...PLAY } });
  const { id } = await plan();
  await worked(served, 'run', { file: first.id, job: { operation: 'enrich-company', ...PLAY }, plan: id });
  const next = await bring('leads.csv', LEADS.replace('A,a.example', 'A,other.example'));
  expect(next.id).toBe(first.id);
  expect((await asked('')).lists).toHaveLength(1);
  expect(await plan()).toMatchObject({ to_buy: 1, bought_before: 1 });
});

test('a mended cell is the next version of the list: it alone is asked, and the brought file stays', async () => {
  const { bring, rows, served, lists } = await openPage();
  const { id: file } = await bring('leads.csv', LEADS);
  const job = { operation: 'enrich-company', ...PLAY };
  const plan = () => ask(served, 'POST', '/plan', { file, job });
  const run = async () => worked(served, 'run', { file, job, plan: (await plan()).id });
  expect(await run()).toMatchObject({ counts: { matched: 2, invalid: 1 } });
  const mend = (row: number, column: string, value: string | null) =>
    ask(served, 'PUT', `/lists/${file}/mends`, { mends: [{ row, column, value }] });
  expect(await mend(4, 'Domain', 'c.example')).toMatchObject({
    mends: [{ row: 4, column: 'Domain', value: 'c.example' }],
  });
  expect(await plan()).toMatchObject({ to_buy: 1, bought_before: 2, invalid: 0 });
  const mended = await run();
  expect(mended).toMatchObject({ counts: { matched: 3 }, credits: { spent: 1 } });
  const { body } = await served.tool(`/api/batches/${mended.batch}/files/output`);
  expect(body).toContain('c.example');
  const brought = readdirSync(join(lists, file)).filter((name) => name.startsWith('copy-'));
  expect(brought.map((name) => readFileSync(join(lists, file, name), 'utf8'))).toContain(LEADS);
  expect(await mend(9, 'Domain', 'x.example')).toMatchObject({ status: 400, error: { code: 'input' } });
  expect(await mend(4, 'Town', 'x')).toMatchObject({ status: 400, error: { code: 'input' } });

  expect(await mend(4, 'Domain', null)).toMatchObject({ mends: [] });
  expect(await plan()).toMatchObject({ to_buy: 0, bought_before: 2, invalid: 1 });
  expect(await rows(file, { from: 4 })).toMatchObject({ rows: [{ row: 4, cells: ['C', 'not a domain'] }] });
});

test('cells are mended together and taken back together: all of them, or none', async () => {
  const { bring, rows, served } = await openPage();
  const { id: file } = await bring('leads.csv', LEADS);
  const mend = (value: (row: number) => string | null, ...of: readonly number[]) =>
    ask(served, 'PUT', `/lists/${file}/mends`, {
      mends: of.map((row) => ({ row, column: 'Domain', value: value(row) })),
    });
  const domains = async () => (await rows(file, {})).rows.map(({ cells }: { cells: string[] }) => cells[1]);
  const before = await domains();
  const refused = await mend((row) => `mended${row}.example`, 2, 3, 99);
  expect(refused).toMatchObject({ status: 400, error: { code: 'input' } });
  expect(await domains()).toEqual(before);
  const { mends } = await mend((row) => `mended${row}.example`, 2, 3);
  expect(mends.map(({ row }: { row: number }) => row)).toEqual([2, 3]);
  expect(new Set(mends.map(({ at }: { at: string }) => at)).size, 'one time').toBe(1);
  expect((await domains()).slice(0, 2)).toEqual(['mended2.example', 'mended3.example']);
  expect(await mend(() => null, 2, 3)).toMatchObject({ mends: [] });
  expect(await domains()).toEqual(before);
});

test('a cell that is mended while the list is worked on is so at once, and is asked by the next start', async () => {
  const { bring, rows, served } = await openPage('--match-rate 1 --latency 300ms --rate 4/s');
  const { id: file } = await bring('leads.csv', LEADS);
  const job = { operation: 'enrich-company', ...PLAY };
  const plan = () => ask(served, 'POST', '/plan', { file, job });
  const { work } = await ask(served, 'POST', '/run', { file, job, plan: (await plan()).id });
  const mend = { row: 4, column: 'Domain', value: 'c.example' };
  expect(await ask(served, 'PUT', `/lists/${file}/mends`, { mends: [mend] })).toMatchObject({
    mends: [mend],
  });
  expect(await rows(file, { from: 4 })).toMatchObject({ rows: [{ cells: ['C', 'c.example'] }] });
  expect(await endOf(served, work.id)).toMatchObject({ counts: { matched: 2, invalid: 1 } });
  expect(await plan()).toMatchObject({ to_buy: 1, bought_before: 2 });
});

test('a list that an earlier build has brought is mended too, and keeps its mends', async () => {
  const { bring, rows, served, lists } = await openPage();
  const { id: file } = await bring('leads.csv', LEADS);
  const folder = join(lists, file);
  const [copy = ''] = readdirSync(folder).filter((name) => name.startsWith('copy-'));
  const mend = (row: number, value: string) =>
    ask(served, 'PUT', `/lists/${file}/mends`, { mends: [{ row, column: 'Domain', value }] });
  rmSync(join(folder, copy));
  await mend(4, 'c.example');
  renameSync(join(folder, copy), join(folder, 'brought.csv'));
  await mend(2, 'd.example');
  expect(await rows(file)).toMatchObject({
    rows: [{ cells: ['A', 'd.example'] }, { cells: ['B', 'b.example'] }, { cells: ['C', 'c.example'] }],
  });
});

const PLAY = { account: 'sandbox-provider' };

test('a batch goes on with what it has read, and the version that was brought since is there again', async () => {
  const { bring, served, rows } = await openPage();
  const lines = (...domains: readonly string[]) =>
    domains.map((domain) => `${JSON.stringify({ domain })}\n`).join('');
  const job = { operation: 'enrich-company', account: 'sandbox-provider' };
  const { id: file } = await bring('leads.jsonl', lines('a.example', 'b.example', 'c.example'));
  const planned = () => ask(served, 'POST', '/plan', { file, job });
  const { id: plan } = await planned();
  const { work } = await ask(served, 'POST', '/run', { file, job, plan, budget: 1 });
  await endOf(served, work.id);
  await bring('leads.jsonl', lines('d.example', 'e.example'), file);
  const { batches } = await ask(served, 'GET', '/batches');
  const goOn = async () => {
    const again = await ask(served, 'POST', '/tasks', { batch: batches[0].batch, budget: 3 });
    if (again.work) await endOf(served, again.work.id);
    return again;
  };
  await goOn();
  const { credits } = (await ask(served, 'GET', '/batches')).batches[0];
  expect(credits).toMatchObject({ spent: 3, budget: 3 });
  expect(await planned()).toMatchObject({ rows: 2, to_buy: 2 });
  expect((await rows(file)).rows).toMatchObject([{ cells: ['d.example'] }, { cells: ['e.example'] }]);
  const next = await ask(served, 'POST', '/run', { file, job, plan: (await planned()).id, budget: 1 });
  await endOf(served, next.work.id);
  expect((await goOn()).error.message).toBe('A later start of this list is not done.');
});

test('a list of JSON is kept beside its note, and a list that an earlier build has kept is found by the note of that build', async () => {
  const { bring, ask: asked, rows, lists } = await openPage();
  const { id } = await bring('list.json', '{"data":[{"domain":"a.example"},{"domain":"b.example"}]}');
  expect(await rows(id)).toMatchObject({ rows: [{ row: 1, cells: ['a.example'] }, { row: 2 }] });
  const earlier = await bring('leads.csv', LEADS);
  renameSync(join(lists, earlier.id, 'note.json'), join(lists, earlier.id, 'list.json'));
  expect(await rows(earlier.id)).toMatchObject({ rows: [{ row: 2 }, { row: 3 }, { row: 4 }] });
  expect((await asked('')).lists.map(({ name }: { name: string }) => name)).toEqual([
    'leads.csv',
    'list.json',
  ]);
});
