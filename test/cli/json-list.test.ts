/**
 * Goal: a file of JSON with one list in it is a list: its objects are bought once and come back in it with ours, every other byte as it
 * was; where no one can say which list is meant, nothing is bought.
 * Method: the real command before a vendor with a book of its own, on files as programs export them.
 */
import { rmSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openDesk } from './desk.ts';

const RUN = ['run', 'enrich-company', 'list.json', '--budget', '99'];

async function deskWith(list: string, name = 'list.json') {
  const desk = await openDesk({ matchRate: 1 });
  await desk.write(name, list);
  return desk;
}

const ROWS =
  '{"domain": "a.example", "tags": ["x, }", "[{"], "id": 12345678901234567890},\n    { "domain" : "b.example" },\n    {"domain":"c.example","sub":[{"n":1}]}';

test.each<[what: string, before: string, after: string]>([
  ['a list', '[', ']'],
  ['a list behind a mark', '\uFEFF[\n    ', '\n]\n'],
  [
    'a list in an object',
    '{\n  "next": null, "names": ["a", "[{"],\n  "data": [\n    ',
    '\n  ],\n  "total": 3\n}\n',
  ],
  ['a list far within', '{"response": {"page": [], "items": [', ']}, "took": 5}'],
])(
  '%s: its objects are bought once, and come back with ours in the same file',
  async (_what, before, after) => {
    const desk = await deskWith(before + ROWS + after);
    expect(await desk.json(['plan', 'list.json'])).toMatchObject({ rows: 3, encoding: 'UTF-8, JSON' });
    expect(await desk.json(RUN)).toMatchObject({ counts: { matched: 3 }, credits: { spent: 3 } });
    const output = await desk.read('list.enriched.json');
    expect(
      output.startsWith(
        `${before}{"domain": "a.example", "tags": ["x, }", "[{"], "id": 12345678901234567890`,
      ),
    ).toBe(true);
    expect(output.endsWith(after)).toBe(true);
    const read = JSON.parse(output.replace('\uFEFF', ''));
    const list = Array.isArray(read) ? read : (read.data ?? read.response.items);
    expect(list).toMatchObject([
      { domain: 'a.example', tags: ['x, }', '[{'], _status: 'matched', _credits: 1 },
      { domain: 'b.example', _status: 'matched' },
      { domain: 'c.example', sub: [{ n: 1 }], _status: 'matched' },
    ]);
    const again = await desk.json([
      'run',
      'enrich-company',
      'list.enriched.json',
      '--budget',
      '9',
      '-o',
      'again.json',
    ]);
    expect(again).toMatchObject({ requests: 0, counts: { matched: 3 } });
  },
);

test('what is no object needs attention, in a list of its own that is JSON', async () => {
  const desk = await deskWith(
    '{"data": ["x", {"domain": "a.example"}, {"domain": "no domain"}, null], "other": 1}',
  );
  const refused = await desk.type(RUN);
  expect(refused.code, 'no list begins so').toBe(2);
  await desk.write(
    'list.json',
    '[{"domain": "a.example"}, "x", {"domain": "no domain"}, {"domain": "b.example"}\n]',
  );
  const { code, stderr } = await desk.type(RUN);
  expect(code, stderr).toBe(3);
  expect(JSON.parse(await desk.read('list.enriched.needs-attention.json'))).toMatchObject([
    { _row: 2, _reason: 'object 2: it is not an object: "x"' },
    { domain: 'no domain', _row: 3 },
  ]);
  expect(JSON.parse(await desk.read('list.enriched.json'))).toMatchObject([
    { _status: 'matched' },
    { _status: 'invalid' },
    { _status: 'invalid' },
    { _status: 'matched' },
  ]);
});

test.each([
  [
    'several lists',
    '{"data":[{"domain":"a.example"}],"errors":[{"id":1}]}',
    /has several lists: "data" and "errors"\.\n.*jq '\.data\[\]'|several lists/,
  ],
  ['no list', '{"domain":"a.example"}', /has no list of objects in it/],
  ['a list that is cut off', '[{"domain":"a.example"},{"domain":"b', /ends within object 2 of its list/],
])('%s stops the command before anything is sent', async (_what, list, says) => {
  const desk = await deskWith(list);
  const { code, stderr } = await desk.type([...RUN, '-o', 'out.json']);
  expect(code).toBe(2);
  expect(stderr).toMatch(says);
  expect(await desk.requests()).toBe(0);
});

test('JSON lines under the name of JSON are read as what they are', async () => {
  const desk = await deskWith('{"domain":"a.example"}\n{"domain":"b.example","tags":[{"n":1}]}\n');
  expect(await desk.json(RUN)).toMatchObject({ counts: { matched: 2 } });
  const lines = (await desk.read('list.enriched.json')).trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line)._status)).toEqual(['matched', 'matched']);
});

test('a list comes through a pipe, becomes JSON lines or a workbook, and JSON out of a table', async () => {
  const desk = await deskWith('[{"domain":"a.example"},{"domain":"b.example"}]');
  const piped = await desk.type(['run', 'enrich-company', '-', '-o', '-', '--budget', '9'], {
    stdin: '[\n  {"domain":"a.example"},\n  {"domain":"b.example"}\n]\n',
  });
  expect(piped.code, piped.stderr).toBe(0);
  expect(JSON.parse(piped.stdout)).toMatchObject([{ _status: 'matched' }, { _status: 'matched' }]);
  expect(await desk.json([...RUN, '-o', 'out.jsonl'])).toMatchObject({ counts: { matched: 2 } });
  expect((await desk.read('out.jsonl')).trimEnd().split('\n')).toHaveLength(2);
  expect(await desk.json([...RUN, '-o', 'out.xlsx'])).toMatchObject({ counts: { matched: 2 } });
  await desk.write('table.csv', 'domain\na.example\nb.example\n');
  const made = await desk.json(['run', 'enrich-company', 'table.csv', '--budget', '9', '-o', 'table.json']);
  expect(made).toMatchObject({ counts: { matched: 2 }, requests: 0 });
  expect(JSON.parse(await desk.read('table.json'))).toMatchObject([
    { domain: 'a.example' },
    { domain: 'b.example' },
  ]);
});

test('the output of a list that is gone is a list again', async () => {
  const desk = await deskWith('{"data":[{"domain":"a.example"},{"domain":"b.example"}]}');
  expect(await desk.json(RUN)).toMatchObject({ counts: { matched: 2 } });
  rmSync(desk.place.path('list.json'));
  const { code, stderr } = await desk.type(['export', 'last', '-o', 'again.json']);
  expect(code, stderr).toBe(0);
  expect(JSON.parse(await desk.read('again.json'))).toMatchObject([
    { _status: 'matched' },
    { _status: 'matched' },
  ]);
});
