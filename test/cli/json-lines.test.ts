import { expect, test } from 'vitest';
import { type JsonResult, openDesk } from './desk.ts';

const RUN = ['run', 'enrich-company', '--budget', '9'] as const;
const LIST = '{"id":1.50,"domain":"x.example","tags":["a"]}\nno json\n\n{"id":2,"domain":"not a domain"}\n';

const objectsOf = (text: string): readonly JsonResult[] =>
  text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));

test('objects come back in order with values behind their own, and bad lines are rows by the number of their line', async () => {
  const desk = await openDesk();
  await desk.write('list.jsonl', LIST);
  const { stdout: seen } = await desk.type(['plan', 'list.jsonl']);
  expect(seen.split('\n')[0]).toMatch(/list\.jsonl: 3 rows, 3 columns, UTF-8, JSON lines$/);
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

test('nothing is merged into JSON lines, nor out of them: programs join them', async () => {
  const desk = await openDesk();
  await desk.write('list.jsonl', '{"abn":"51824753556"}\n');
  expect(await desk.type([...RUN, 'list.jsonl'])).toMatchObject({ code: 0 });
  const { code, stderr } = await desk.type(['merge', 'list.enriched.jsonl', 'list.jsonl']);
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining('is JSON lines, and only CSV files and workbooks are merged.'),
  ]);
});
