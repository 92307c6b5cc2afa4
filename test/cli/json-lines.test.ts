/**
 * Goal: a program that speaks JSON lines needs no table. It pipes objects in, and gets each back with what was found, as values
 * and not as texts.
 * Method: the real command before the sandbox as a vendor; a list as a program writes it, in and out by name and by `-`.
 */
import { writeFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { proof } from '../combinations.ts';
import { type JsonResult, openDesk } from './desk.ts';

const RUN = ['run', 'enrich-company', '--budget', '9'] as const;
const LIST = '{"id":1.50,"domain":"x.example","tags":["a"]}\nno json\n\n{"id":2,"domain":"not a domain"}\n';

const objectsOf = (text: string): readonly JsonResult[] =>
  text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));

test('objects come back in order with values behind their own, and bad lines are rows by the number of their line', async () => {
  const desk = await openDesk();
  await desk.write('list.jsonl', LIST);
  expect(await desk.type([...RUN, 'list.jsonl'])).toMatchObject({ code: 3 });
  const output = await desk.read('list.enriched.jsonl');
  const [first, unread, invalid] = objectsOf(output);
  expect(output).toMatch(/^\{"id":1\.50,"domain":"x\.example","tags":\["a"\],/);
  expect(first).toMatchObject({ _status: 'matched', _reason: null, _credits: 1, _matched_by: 'domain' });
  // The vendor said a number, and a number it is.
  expect(typeof first.employee_count).toBe('number');
  expect(unread).toMatchObject({
    _cells: ['no json'],
    _status: 'invalid',
    _reason: 'line 2: it is not JSON: no json',
  });
  expect(invalid).toMatchObject({ id: 2, _status: 'invalid', _credits: 0 });
  expect(objectsOf(await desk.read('list.enriched.needs-attention.jsonl'))).toMatchObject([
    { _row: 2 },
    { id: 2, _row: 4 },
  ]);
  // The output is an input again, and nothing is bought twice.
  const before = await desk.requests();
  expect(await desk.type([...RUN, 'list.enriched.jsonl', '-o', 'again.jsonl'])).toMatchObject({ code: 3 });
  expect(await desk.requests()).toBe(before);
  const [again] = objectsOf(await desk.read('again.jsonl'));
  expect(again).toEqual({ ...first, _credits: 0, _source: 'ledger' });
});

test('`-` reads objects and `-o -` writes objects', async () => {
  const desk = await openDesk();
  const { code, stdout } = await desk.type([...RUN, '-', '-o', '-'], { stdin: '\n{"domain":"x.example"}\n' });
  expect(code).toBe(0);
  expect(objectsOf(stdout)).toMatchObject([{ domain: 'x.example', _status: 'matched' }]);
});

proof(
  'a table becomes JSON lines by the name of its output, and JSON lines a workbook by that; no other is taken',
  async () => {
    const desk = await openDesk();
    await desk.write('list.csv', 'Domain,Note\nx.example,\na,b,c\n');
    expect(await desk.type([...RUN, 'list.csv', '-o', 'out.jsonl'])).toMatchObject({ code: 3 });
    expect(objectsOf(await desk.read('out.jsonl'))).toMatchObject([
      { Domain: 'x.example', Note: '', _status: 'matched', _credits: 1 },
      { _cells: ['a', 'b', 'c'], _status: 'invalid' },
    ]);
    await desk.write('list.jsonl', '{"domain":"x.example"}\n');
    expect(await desk.type([...RUN, 'list.jsonl', '-o', 'out.xlsx'])).toMatchObject({ code: 0 });
    expect((await desk.json(['plan', 'out.xlsx'])).rows).toBe(1);
    const { code, stderr } = await desk.type([...RUN, 'list.jsonl', '-o', 'out.csv']);
    expect(code).toBe(2);
    expect(stderr).toContain('Give it the ending .jsonl, or .xlsx for a workbook.');
  },
);

test('a packed list goes on where it was, whatever line that is', async () => {
  const desk = await openDesk();
  const lines = ['a', 'b', 'c', 'd'].map((name) => `{"domain":"${name}.example"}\n`);
  await writeFile(desk.place.path('list.jsonl.gz'), gzipSync(lines.join('')));
  expect(await desk.json([...RUN, 'list.jsonl.gz', '--limit', '2'])).toMatchObject({
    counts: { matched: 2 },
  });
  expect(await desk.json([...RUN, 'list.jsonl.gz', '-o', 'out.jsonl'])).toMatchObject({
    requests: 2,
    rows: 4,
  });
  expect(objectsOf(await desk.read('out.jsonl')).map(({ domain }) => domain)).toEqual(
    ['a', 'b', 'c', 'd'].map((name) => `${name}.example`),
  );
});
