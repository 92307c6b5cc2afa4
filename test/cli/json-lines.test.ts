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

test('what was mended in the rows that need attention goes back into its object, as the value that it is there', async () => {
  const desk = await openDesk();
  const other = '{"id":2,  "abn":51824753556}';
  await desk.write('list.jsonl', `{"abn":53597112641,"id":1.50,"tags":null}\n${other}\n`);
  expect(await desk.type([...RUN, 'list.jsonl'])).toMatchObject({ code: 3 });
  const attention = await desk.read('list.enriched.needs-attention.jsonl');
  await desk.write(
    'list.enriched.needs-attention.jsonl',
    attention.replace('53597112641', '53597112640').replace('null', '["a","b"]'),
  );
  const merge = ['merge', 'list.enriched.needs-attention.jsonl', 'list.jsonl'];
  const { code, stderr } = await desk.type(merge);
  expect([code, stderr]).toEqual([
    0,
    expect.stringContaining('2 of your cells were corrected from the result.'),
  ]);
  const mended = '{"abn":53597112640,"id":1.50,"tags":["a","b"]}';
  expect(await desk.read('list.merged.jsonl')).toBe(`${mended}\n${other}\n`);
  // What comes from a table is a text.
  await desk.write('mended.csv', 'abn,id,tags,_row,_reason\n53597112641,1.5,a; b,1,the checksum fails\n');
  await desk.json(['merge', 'mended.csv', 'list.jsonl', '-o', 'typed.jsonl']);
  const typed = '{"abn":53597112641,"id":1.50,"tags":"a; b"}';
  expect(await desk.read('typed.jsonl')).toBe(`${typed}\n${other}\n`);
});

test('a result that is merged into JSON lines brings its values as they are, and her own values stay as they were', async () => {
  const desk = await openDesk();
  await desk.write('list.jsonl', '{"abn":"51824753556","n":1.50}\n{"abn":"33051775556","n":2}\n');
  expect(await desk.type([...RUN, 'list.jsonl'])).toMatchObject({ code: 0 });
  const output = await desk.read('list.enriched.jsonl');
  await desk.json(['merge', 'list.enriched.jsonl', 'list.jsonl', '-o', 'merged.jsonl']);
  expect(await desk.read('merged.jsonl')).toBe(output);
  // What she has written herself in a column of ours is a value as well.
  const [first = '', second = ''] = output.split('\n');
  const edited = first.replace(/"employee_count":\d+/, '"employee_count":12.5');
  await desk.write('mine.jsonl', `${second}\n${edited}\n`);
  const { kept } = await desk.json(['merge', 'list.enriched.jsonl', 'mine.jsonl']);
  expect(kept).toMatchObject([{ row: 2, column: 'employee_count', kept: '12.5' }]);
  expect(await desk.read('mine.merged.jsonl')).toBe(`${second}\n${edited}\n`);
});
