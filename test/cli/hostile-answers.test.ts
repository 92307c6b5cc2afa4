/**
 * Goal: no answer freezes the program, ends the output of others, or steers the terminal of whoever looks at it.
 * Method: the real command before a vendor that gives each row another nasty answer, then every command that shows what
 * was said.
 */
import { parse } from 'csv-parse/sync';
import { expect, test } from 'vitest';
import { ESC, OBEYED } from '../support/nasty.ts';
import { deskBefore } from './desk.ts';

const DEEP = 200_000;

/** By the first part of the domain that is asked for. */
const ANSWERS: Readonly<Record<string, Response | string>> = {
  nested: '['.repeat(DEEP) + ']'.repeat(DEEP),
  within: `{"name":${'{"a":'.repeat(DEEP)}1${'}'.repeat(DEEP)}}`,
  strings: Response.json({ message: `${ESC}]`.repeat(500_000) }, { status: 422 }),
  page: new Response(`${ESC}]`.repeat(500_000), { status: 500 }),
  packed: Response.json({ name: 'x' }, { headers: { 'content-encoding': 'toString' } }),
  names: '{"__proto__":"a","constructor":"b","toString":"c","name":"d","Name":"e","NAME":"f"}',
  title: Response.json(
    { error: `${ESC}]0;owned\u0007${ESC}[2Jno\u202e such\nrow 9: matched` },
    { status: 422 },
  ),
  good: '{"name":"Acme"}',
};

test('each answer is a row with its reason, all others are written, and a terminal obeys none of them', async () => {
  const { desk } = await deskBefore(({ input }) => {
    const answer = ANSWERS[input.domain?.split('.')[0] ?? ''];
    return answer instanceof Response ? answer.clone() : answer;
  });
  const domains = Object.keys(ANSWERS).map((name) => `${name}.example\n`);
  await desk.write('list.csv', `Domain\n${domains.join('')}`);
  const { code, stdout, stderr } = await desk.type(desk.run());
  expect(`${stdout}${stderr}`).toContain('in_doubt');
  expect(code).toBe(3);
  const rows = parse(await desk.read('out.csv'), { columns: true }) as Record<string, string>[];
  const found = new Map(rows.map((row) => [row.Domain?.split('.')[0], row]));
  const statuses = Object.fromEntries([...found].map(([name, row]) => [name, row._status]));
  expect(statuses).toEqual({
    nested: 'in_doubt',
    within: 'in_doubt',
    strings: 'refused',
    page: 'in_doubt',
    packed: 'in_doubt',
    names: 'matched',
    title: 'refused',
    good: 'matched',
  });
  expect(found.get('within')?._reason).toContain('more than 100 deep');
  expect(found.get('packed')?._reason).toContain('packed as tostring');
  expect(found.get('title')?._reason).toContain('"no such row 9: matched"');
  expect(found.get('good')?.name).toBe('Acme');
  expect(
    ['__proto__', 'constructor', 'toString'].filter((name) => Object.keys(rows[0] ?? {}).includes(name)),
  ).toEqual(expect.arrayContaining(['constructor', 'toString']));
  for (const words of [
    ['status'],
    ['status', 'last'],
    ...[2, 4, 5, 8].map((row) => ['status', 'last', String(row)]),
    ['status', 'last', '5', '--json'],
    ['settle', 'last'],
    ['export', 'last', '-o', 'again.csv'],
  ]) {
    const shown = await desk.type(words);
    expect([0, 3], `${words.join(' ')}: ${shown.stderr}`).toContain(shown.code);
    expect(`${shown.stdout}${shown.stderr}`).not.toMatch(OBEYED);
  }
  expect(await desk.read('again.csv')).toBe(await desk.read('out.csv'));
  for (const file of ['out.csv', 'out.report.html', 'out.needs-attention.csv']) {
    expect(await desk.read(file)).not.toMatch(OBEYED);
  }
});
