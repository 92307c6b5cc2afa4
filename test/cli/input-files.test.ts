/**
 * Goal: a list as a spreadsheet program of any country saves it goes through a run as it is, and its output opens in that
 * program again.
 * Method: the real command before the sandbox as a vendor; lists in other encodings, shapes and packings, and what the
 * command says of them.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { gunzipSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { proof } from '../combinations.ts';
import { openDesk } from './desk.ts';

const RUN = ['run', 'enrich-company', '--budget', '9'] as const;

test('a packed table of semicolons in Windows-1252 comes back as one, and what was guessed is said', async () => {
  const desk = await openDesk();
  const list = Buffer.from('Firma;Domain\r\nM\xfcller;x.example\r\n\xdcber;not a domain\r\n', 'latin1');
  await writeFile(desk.place.path('list.csv.gz'), gzipSync(list));
  const guess =
    'read as Windows-1252, because byte 0xFC on line 2 is not UTF-8; use --encoding to change that.';
  for (const plan of [['plan'], ['plan', 'enrich-company']]) {
    expect((await desk.type([...plan, 'list.csv.gz'])).stderr).toContain(guess);
  }
  const { code, stderr } = await desk.type([...RUN, 'list.csv.gz', '--formulas', 'raw']);
  expect(code).toBe(3);
  expect(stderr).toContain(guess);
  const output = gunzipSync(await readFile(desk.place.path('list.enriched.csv.gz'))).toString('latin1');
  expect(output).toMatch(
    /^Firma;Domain;[^\r]*_status;[^\r]*\r\nM\xfcller;x\.example;[^\r]*matched;[^\r]*\r\n\xdcber;/,
  );
  const attention = await readFile(desk.place.path('list.enriched.needs-attention.csv.gz'));
  expect(gunzipSync(attention).toString('latin1')).toMatch(
    /^Firma;Domain;_row;_reason\r\n\xdcber;not a domain;3;/,
  );
});

test('title lines, short rows and a pipe are read as the flags say, and the same command goes on with the batch', async () => {
  const desk = await openDesk();
  await desk.write('list.txt', 'Report\n\nDomain|Name\nx.example\ny.example|Y\n');
  const flags = ['--skip-lines', '2', '--ragged', 'pad', '-o', 'out.txt'];
  expect(await desk.type([...RUN, 'list.txt', ...flags])).toMatchObject({ code: 0 });
  const [title, blank, header, first] = (await desk.read('out.txt')).split('\n');
  expect([title, blank]).toEqual(['Report', '']);
  expect(header).toMatch(/^Domain\|Name\|.*\|_status\|/);
  expect(first).toMatch(/^x\.example\|\|.*\|matched\|/);
  const before = await desk.requests();
  expect(await desk.type([...RUN, 'list.txt', ...flags])).toMatchObject({ code: 0 });
  expect(await desk.requests()).toBe(before);
});

proof('standard input may be packed, and the output is not when its name says so', async () => {
  const desk = await openDesk();
  const packed = gzipSync('Domain\nx.example\n');
  expect(await desk.type([...RUN, '-', '-o', 'out.csv'], { stdin: packed })).toMatchObject({ code: 0 });
  expect(await desk.read('out.csv')).toMatch(/^Domain,.*_status,.*\nx\.example,.*matched,/);
});

test('what is wrong with standard input is told of it, in words, and not of the file that keeps it', async () => {
  const desk = await openDesk();
  const piped = async (stdin: string): Promise<string> =>
    (await desk.type([...RUN, '-', '-o', 'out.csv'], { stdin })).stderr;
  expect(await piped('')).toMatch(/^Standard input is empty: it has neither a header nor rows\./);
  expect(await piped('Domain,Name\nx.example\n')).toMatch(/^Standard input, row 2, line 2: 1 cell, but/);
  expect(await desk.requests()).toBe(0);
});

test('a cell that is as long as a book is an example by its beginning alone', async () => {
  const desk = await openDesk();
  await desk.write('list.csv', `Note,Domain\n${'word '.repeat(20_000)},x.example\n`);
  const { stdout } = await desk.type(['plan', 'list.csv']);
  expect(stdout).toMatch(/^ {2}Note {4}text {5}1 filled, such as (?:word ){5}[^\n]{1,90}…$/m);
  expect(JSON.stringify(await desk.json(['plan', 'list.csv'])).length).toBeLessThan(5_000);
});
