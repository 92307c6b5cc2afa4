/**
 * Goal: a list as a spreadsheet program of any country saves it goes through a run as it is, and its output opens in that
 * program again.
 * Method: the real command before the sandbox as a vendor; lists in other encodings and shapes, and what the
 * command says of them.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { openDesk } from './desk.ts';

const RUN = ['run', 'enrich-company', '--budget', '9'] as const;

test('a table of semicolons in Windows-1252 comes back as one, and what was guessed is said', async () => {
  const desk = await openDesk();
  const list = Buffer.from('Firma;Domain\r\nM\xfcller;x.example\r\n\xdcber;not a domain\r\n', 'latin1');
  await writeFile(desk.place.path('list.csv'), list);
  const guess = 'read as Windows-1252, because its byte 0xFC is not UTF-8; use --encoding to change that.';
  for (const plan of [['plan'], ['plan', 'enrich-company']]) {
    expect((await desk.type([...plan, 'list.csv'])).stderr).toContain(guess);
  }
  const { code, stderr } = await desk.type([...RUN, 'list.csv', '--formulas', 'raw']);
  expect(code).toBe(3);
  expect(stderr).toContain(guess);
  const output = await readFile(desk.place.path('list.enriched.csv'), 'latin1');
  expect(output).toMatch(
    /^Firma;Domain;[^\r]*_status;[^\r]*\r\nM\xfcller;x\.example;[^\r]*matched;[^\r]*\r\n\xdcber;/,
  );
  expect(await readFile(desk.place.path('list.enriched.needs-attention.csv'), 'latin1')).toMatch(
    /^Firma;Domain;_row;_reason\r\n\xdcber;not a domain;3;/,
  );
});

test('title lines, short rows and a pipe are read as the flags say, and the same command goes on with the batch', async () => {
  const desk = await openDesk();
  await desk.write('list.txt', 'Report\n\nDomain|Name\nx.example\ny.example|Y\n');
  const flags = ['--header-row', '3', '--ragged', 'pad', '-o', 'out.txt'];
  expect(await desk.type([...RUN, 'list.txt', ...flags])).toMatchObject({ code: 0 });
  const [title, blank, header, first] = (await desk.read('out.txt')).split('\n');
  expect([title, blank]).toEqual(['Report', '']);
  expect(header).toMatch(/^Domain\|Name\|.*\|_status\|/);
  expect(first).toMatch(/^x\.example\|\|.*\|matched\|/);
  const before = await desk.requests();
  expect(await desk.type([...RUN, 'list.txt', ...flags])).toMatchObject({ code: 0 });
  expect(await desk.requests()).toBe(before);
});

test('a list that is packed with gzip is refused with the two ways to go on, however it comes', async () => {
  const desk = await openDesk();
  const packed = gzipSync('Domain\nx.example\n');
  const ways = 'Unpack it first, or `gunzip -c FILE | rowonce run JOB - -o OUT`.';
  await writeFile(desk.place.path('list.csv.gz'), packed);
  await writeFile(desk.place.path('named.csv'), packed);
  for (const file of ['list.csv.gz', 'named.csv'])
    expect(await desk.type([...RUN, file])).toMatchObject({ code: 2, stderr: expect.stringContaining(ways) });
  const piped = await desk.type([...RUN, '-', '-o', 'out.csv'], { stdin: packed });
  expect(piped).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^Standard input is packed with gzip/),
  });
  await desk.write('list.csv', 'Domain\nx.example\n');
  const named = await desk.type([...RUN, 'list.csv', '-o', 'out.csv.gz']);
  expect(named).toMatchObject({ code: 2, stderr: expect.stringContaining('out.csv.gz says otherwise') });
  expect(await desk.requests()).toBe(0);
});

test('what is wrong with standard input is told of it, in words, and not of the file that keeps it', async () => {
  const desk = await openDesk();
  const piped = async (stdin: string): Promise<string> =>
    (await desk.type([...RUN, '-', '-o', 'out.csv'], { stdin })).stderr;
  expect(await piped('')).toMatch(/^Standard input is empty: it has neither a header nor rows\./);
  expect(await piped('Domain,Name\nx.example\n')).toMatch(/^Standard input, row 2, line 2: 1 cell, but/);
  expect(await desk.requests()).toBe(0);
});

test('a list without a header is read from its first company on, and comes back below one line of names', async () => {
  const desk = await openDesk();
  await desk.write('list.csv', 'Acme,x.example\nBeta,y.example\n');
  const { code, stderr } = await desk.type([...RUN, 'list.csv']);
  expect({ code, stderr }).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('called A, B and so on'),
  });
  const [header, ...rows] = (await desk.read('list.enriched.csv')).trim().split('\n');
  expect(header).toMatch(/^A,B,.*_status/);
  expect(rows.map((row) => /^[^,]*,[^,]*/.exec(row)?.[0])).toEqual(['Acme,x.example', 'Beta,y.example']);
  expect(await desk.requests()).toBe(2);
  const job = 'operation: enrich-company\ncolumns:\n  domain: B\nread:\n  header_row: 0\n';
  await desk.write('job.yaml', job);
  expect(await desk.type(['run', 'job.yaml', 'list.csv', '--budget', '9'])).toMatchObject({ code: 0 });
  expect(await desk.requests(), 'its columns have these names in a job, too').toBe(2);
});

test('where only a person knows whether a row names the columns, nothing is sent before she has said it', async () => {
  const desk = await openDesk();
  await desk.write('list.csv', 'Our leads,\nAcme,x.example\nBeta,y.example\n');
  for (const words of [RUN, ['plan']]) {
    const asked = await desk.type([...words, 'list.csv', '--json']);
    expect(asked.code).toBe(2);
    expect(asked.stderr).toContain('list.csv: it is not clear where the list begins.');
    expect(JSON.parse(asked.stdout).stopped.choices).toEqual([
      { flag: '--header-row', value: '0', says: expect.stringMatching(/^no row names the columns/) },
      { flag: '--header-row', value: '2', says: 'row 2 (Acme, x.example) names the columns' },
    ]);
  }
  expect(await desk.requests()).toBe(0);
});
