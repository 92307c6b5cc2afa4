/**
 * Goal: a person who opens the ledger with another program gets answers to the questions of the page about it.
 * Method: each question is asked of a store that the real command has filled, with a lost answer and a team in it, and compared with
 * what the command itself says.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TeamWorkplace } from '../faults/team-workplace.ts';
import { Workplace } from '../faults/workplace.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/internals/ledger.md'), 'utf8');

/** Each question, which is the paragraph before it, with the SQL that answers it. */
const QUESTIONS = new Map(
  page
    .split(/^## Questions$/m)[1]
    ?.split('\n```sql\n')
    .map((part, at, parts) => {
      const question = part.trim().split('\n\n').at(-1) ?? '';
      return [question, parts[at + 1]?.split('\n```')[0]] as const;
    })
    .filter((pair): pair is readonly [string, string] => pair[1] !== undefined),
);

type Answer = Readonly<Record<string, string | number | null>>;

const databases: Database.Database[] = [];
let bought: Workplace;
let team: TeamWorkplace;

beforeAll(async () => {
  bought = await Workplace.open({ concurrency: 1, faults: 'charged-reset:x1' });
  bought.writeList(['a.example', 'b.example', 'c.example']);
  await bought.run();
  team = await TeamWorkplace.open();
  await team.apply([{ email: 'jo@team.example', role: 'viewer' }]);
});

afterAll(async () => {
  for (const database of databases) database.close();
  await bought[Symbol.asyncDispose]();
  await team[Symbol.asyncDispose]();
});

function ask(
  place: { path(name: string): string },
  begins: string,
  replace: readonly [string, string][] = [],
) {
  const database = new Database(place.path('store/ledger.db'), { readonly: true });
  databases.push(database);
  const [, sql] = [...QUESTIONS].find(([question]) => question.startsWith(begins)) ?? [];
  expect(sql, begins).toBeDefined();
  const own = replace.reduce((text, [from, to]) => text.replaceAll(from, to), sql ?? '');
  return database.prepare<[], Answer>(own).all();
}

const month = new Date().toISOString().slice(0, 7);

test('what a month, each list and a day cost is what the vendor charged and what may have been charged', async () => {
  const { charges } = await bought.vendor.book();
  const [ofMonth] = ask(bought, 'What did a month cost', [['2026-11', month]]);
  expect(Number(ofMonth?.spent) + Number(ofMonth?.held)).toBe(charges);
  const [ofList] = ask(bought, 'What did each list cost');
  expect(ofList).toMatchObject({
    spent: ofMonth?.spent,
    held: ofMonth?.held,
    input_path: bought.path('list.csv'),
  });
  expect(ask(bought, 'Which were the dearest days')).toMatchObject([{ spent: ofMonth?.spent }]);
});

test('the calls in doubt are those that the vendor never answered', () => {
  expect(ask(bought, 'Which calls are in doubt')).toMatchObject([
    { row: 2, operation: 'enrich-company', asked: '{"domain":"a.example"}', holds: 1 },
  ]);
  expect(ask(bought, 'Which rows wait for a person')).toMatchObject([{ row: 2, outcome: 'in_doubt' }]);
});

test('the rows of a list, what was bought more than once, and one row from its beginning', () => {
  const ended = ask(bought, 'How did the rows of each list end');
  expect(ended.reduce((sum, { rows }) => sum + Number(rows), 0)).toBe(3);
  expect(ask(bought, 'What was bought more than once')).toEqual([]);
  const batch = String(ended[0]?.batch);
  const kindsOf = (row: number): readonly unknown[] => {
    const own: [string, string][] = [
      ['00c0ffee', batch],
      ['row = 2', `row = ${row}`],
    ];
    return ask(bought, 'What happened to one row', own).map(({ kind }) => kind);
  };
  expect(kindsOf(2)).toEqual(['intent', 'lost']);
  expect(kindsOf(3)).toEqual(['intent', 'reply', 'answered']);
  expect(ask(bought, 'What did people decide')).toEqual([]);
});

test('who is in which project, and who was invited by which list', () => {
  const members = ask(team.place, 'Who is in which project');
  expect(members).toMatchObject([{ person: 'jo@team.example', role: 'viewer' }]);
  const changed = ask(team.place, 'Who was invited or changed');
  expect(changed.map(({ person }) => person)).toContain('jo@team.example');
});

test('each question of the page is asked here', () => {
  expect(QUESTIONS.size).toBeGreaterThanOrEqual(10);
});
