/**
 * Goal: a list that unfolds to far more than its file says is asked about or refused before the store keeps a row of it and
 * before anything is sent; and what could not be written back is refused then as well.
 * Method: the real command before a vendor that counts; lists of some kilobytes, made by hand.
 */
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { bookParts, textRow, zipOf } from '../files/formats/workbook-file.ts';
import { type Desk, openDesk } from './desk.ts';

/** JSON lines of which every row has a cell for each name that any line has. */
function lines(names: number, rows: number): string {
  const all = Array.from({ length: names }, (_, at) => `"c${at}":""`).join();
  return `{"domain":"acme.example",${all}}\n${'{"domain":"acme.example"}\n'.repeat(rows - 1)}`;
}

/** A workbook whose cells all share one text of 30,000 characters. */
function sharedText(rows: number, columns: number): Buffer {
  const names = Array.from({ length: columns }, (_, at) => `<c t="inlineStr"><is><t>c${at}</t></is></c>`);
  const row = (number: number): string =>
    `<row r="${number}">${'<c t="s"><v>0</v></c>'.repeat(columns)}</row>`;
  const all = Array.from({ length: rows }, (_, at) => row(at + 2)).join('');
  const texts = `<si><t>${'x'.repeat(30_000)}</t></si>`;
  return zipOf(bookParts({ rows: `<row r="1">${names.join('')}</row>${all}`, texts }));
}

async function isUntouched(desk: Desk): Promise<void> {
  expect(await desk.requests()).toBe(0);
  if (!existsSync(desk.place.path('store'))) return;
  expect((await desk.json(['status'])).batches ?? []).toEqual([]);
}

const ACCEPTED = [{ flag: '--accept', value: 'large-list' }];

const runOf = (list: string): readonly string[] => ['run', 'enrich-company', list, '--budget', '10'];

test.each([
  [
    'more than 16,384 columns',
    'wide.csv',
    `domain${',c'.repeat(16_384)}\nacme.example${','.repeat(16_384)}\n`,
  ],
  ['more than 16,384 columns', 'wide.jsonl', lines(16_384, 1)],
  ['more than 200,000,000 cells', 'many.jsonl', lines(16_000, 12_600)],
  ['or 8 GB of text', 'texts.xlsx', sharedText(27, 10_000)],
])('a list with %s is refused before anything of it is kept or sent: %s', async (words, name, content) => {
  const desk = await openDesk();
  await writeFile(desk.place.path(name), content);
  const { code, stderr } = await desk.type([...runOf(name), '--accept', 'large-list']);
  expect(stderr).toContain(words);
  expect(code).toBe(2);
  await isUntouched(desk);
  if (name.startsWith('wide'))
    expect((await desk.type(['plan', name, '--accept', 'large-list'])).code).toBe(2);
});

test('a person is asked about a large list once, and the agreement holds for its content', async () => {
  const desk = await openDesk();
  const large = lines(16_000, 1_260);
  await desk.write('list.jsonl', large);
  const { stopped } = await desk.json(runOf('list.jsonl'));
  expect(stopped).toMatchObject({ code: 'consent', choices: ACCEPTED });
  expect(stopped.message).toContain('more than 20,000,000 cells, or 1 GB of text');
  expect(stopped.next).toContain('--accept large-list');
  await isUntouched(desk);
  expect((await desk.type(['plan', 'enrich-company', 'list.jsonl', '--accept', 'large-list'])).code).toBe(0);
  expect((await desk.type(['plan', 'enrich-company', 'list.jsonl'])).code).toBe(0);
  await desk.write('list.jsonl', `${large}{"domain":"other.example"}\n`);
  expect((await desk.json(['plan', 'enrich-company', 'list.jsonl'])).stopped.choices).toMatchObject(ACCEPTED);
});

test('one text that many cells share counts in each of them', async () => {
  const desk = await openDesk();
  await writeFile(desk.place.path('list.xlsx'), sharedText(34, 1_000));
  expect((await desk.json(['plan', 'list.xlsx'])).stopped.choices).toMatchObject(ACCEPTED);
});

const ROWS = `${textRow(1, 'Domain', 'Name')}${textRow(2, 'acme.example', 'Acme')}`;

test.each(['xl/../x.xml', '../x.xml', 'C:/x.xml', `${'x/'.repeat(40)}..`])(
  'a workbook with a part that no archive may have is refused before anything is bought: %s',
  async (name) => {
    const desk = await openDesk();
    const book = zipOf([...bookParts({ rows: ROWS }), { name, content: 'x' }]);
    await writeFile(desk.place.path('list.xlsx'), book);
    const { code, stderr } = await desk.type(runOf('list.xlsx'));
    expect(stderr).toContain('is not a readable Excel workbook: its directory is damaged');
    expect(code).toBe(2);
    await isUntouched(desk);
  },
);

test('a workbook that cannot come back as it is is refused before anything is bought', async () => {
  const desk = await openDesk();
  const columns = '<c r="XFD1" t="inlineStr"><is><t>Last</t></is></c>';
  const rows = ROWS.replace('</row>', `${columns}</row>`);
  await writeFile(desk.place.path('list.xlsm'), zipOf(bookParts({ rows })));
  const { code, stderr } = await desk.type([...runOf('list.xlsm'), '-o', 'out.xlsm']);
  expect(stderr).toMatch(/the output needs column|cannot come back with its macros/i);
  expect(code).toBe(2);
  await isUntouched(desk);
});

test('formats of cells that only look as if they began cost nothing, and come back', async () => {
  const desk = await openDesk();
  const styles = `<styleSheet><!--${'<cellXfs>'.repeat(100_000)}--><cellXfs/></styleSheet>`;
  const parts = bookParts({ rows: ROWS }).map((part) =>
    part.name === 'xl/styles.xml' ? { ...part, content: styles } : part,
  );
  await writeFile(desk.place.path('list.xlsx'), zipOf(parts));
  expect((await desk.type([...runOf('list.xlsx'), '-o', 'out.xlsx'])).code).toBe(0);
  expect(await desk.requests()).toBe(1);
  expect((await desk.type(['plan', 'out.xlsx'])).code).toBe(0);
});
