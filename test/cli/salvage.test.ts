/**
 * Goal: of a damaged store everything that can be read comes out, what cannot is named, nothing wrong is among it, and the
 * store stays as it is.
 * Method: the real command over stores of real runs, damaged by hand, before the sandbox as a vendor.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { parse } from 'csv-parse/sync';
import { expect, onTestFinished, test } from 'vitest';
import { proof, some } from '../combinations.ts';
import { TeamWorkplace } from '../faults/team-workplace.ts';
import { Desk, openDesk } from './desk.ts';

const ROWS = 30;

async function usedDesk(): Promise<Desk> {
  const desk = await openDesk();
  desk.list(ROWS);
  expect(await desk.type(desk.run())).toMatchObject({ code: 0 });
  return desk;
}

function bytesOfStore(desk: Desk): readonly string[] {
  const folder = desk.place.path('store');
  return readdirSync(folder)
    .sort()
    .map(
      (name) =>
        `${name} ${createHash('sha256')
          .update(readFileSync(join(folder, name)))
          .digest('hex')}`,
    );
}

/** Alters the ledger's file where these bytes stand last. */
function damage(desk: Desk, bytes: Buffer): void {
  const path = desk.place.path('store/ledger.db');
  const file = readFileSync(path);
  const at = file.lastIndexOf(bytes);
  expect(at).toBeGreaterThan(0);
  file[at] = (file[at] ?? 0) ^ 1;
  writeFileSync(path, file);
}

/** Zeroes each page of a table or an index. */
function wipe(desk: Desk, name: string): void {
  const path = desk.place.path('store/ledger.db');
  const database = new Database(path, { readonly: true });
  const pages = database
    .prepare<[string], { pageno: number }>('SELECT pageno FROM dbstat WHERE name = ?')
    .all(name);
  database.close();
  const file = readFileSync(path);
  for (const { pageno } of pages) file.fill(0, (pageno - 1) * 4096, pageno * 4096);
  writeFileSync(path, file);
}

const outputIn = (files: readonly string[]): string =>
  files.find((path) => /list\.[0-9a-f]{8}\.csv$/.test(path)) ?? 'no output';

async function salvaged(desk: Desk) {
  const before = bytesOfStore(desk);
  const { code, stdout, stderr } = await desk.type(['store', 'salvage', '-o', 'left']);
  expect(bytesOfStore(desk)).toEqual(before);
  const files = stdout.trimEnd().split('\n');
  const rows = (name: string): Record<string, string>[] => {
    const path = files.find((each) => each.endsWith(name));
    return path === undefined ? [] : parse(readFileSync(path), { columns: true, bom: true });
  };
  return { code, stderr, files, rows };
}

test('of a sound store the outputs are as the runs wrote them, and nothing is unreadable', async () => {
  const desk = await usedDesk();
  const { code, stderr, files, rows } = await salvaged(desk);
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: `${ROWS} answers were read; 0 things cannot be read.\n`,
  });
  expect(readFileSync(outputIn(files), 'utf8')).toBe(await desk.read('out.csv'));
  expect(rows('answers.csv')).toHaveLength(ROWS);
  expect(rows('unreadable.csv')).toEqual([]);
});

proof('an altered answer is named and left out, and all others are there', async () => {
  const desk = await usedDesk();
  const [broken] = desk.place.rows().filter(({ Domain }) => Domain === 'list.csv-7.example');
  expect(broken).toBeDefined();
  const database = new Database(desk.place.path('store/ledger.db'), { readonly: true });
  const { of, body } = database
    .prepare<[], { of: number; body: Buffer }>(
      "SELECT r.of, r.body FROM replies r JOIN calls c ON c.id = r.call WHERE instr(c.parameters, 'list.csv-7.example') > 0",
    )
    .get() ?? { of: 0, body: Buffer.alloc(0) };
  database.close();
  damage(desk, body);
  const run = await desk.type(desk.run());
  expect(run.code).toBe(2);
  expect(run.stderr).toContain(`is damaged: the reply to attempt ${of} was altered.`);
  expect(run.stderr).toContain('npx --no rowonce store salvage --store ');
  const { code, rows, files } = await salvaged(desk);
  expect(code).toBe(3);
  expect(rows('unreadable.csv').map(({ why }) => why)).toContain(`the reply to attempt ${of} was altered`);
  expect(rows('answers.csv')).toHaveLength(ROWS - 1);
  const left = rows(outputIn(files));
  const right = desk.place.rows();
  expect(left).toHaveLength(ROWS);
  expect(left.filter(({ _status }) => _status === 'pending')).toHaveLength(1);
  for (const [at, row] of left.entries()) if (row._status !== 'pending') expect(row).toEqual(right[at]);
});

proof('batches are told with how far they came, and a paused one is still paused', async () => {
  const desk = await openDesk();
  desk.list(ROWS);
  const { batch } = await desk.json(desk.run('--limit', '2'));
  await desk.json(['pause', batch]);
  const { held_since } = await desk.json(['status', batch]);
  wipe(desk, 'totals');
  const { rows } = await salvaged(desk);
  expect(rows('batches.csv')).toEqual([
    {
      batch,
      state: 'open',
      paused_since: held_since,
      operation: 'enrich-company',
      account: 'data',
      input: desk.place.path('list.csv'),
      rows: String(ROWS),
      ended: '2',
    },
  ]);
});

proof('where it cannot be read whether a batch is paused, that is said and the rest is there', async () => {
  const desk = await openDesk();
  desk.list(ROWS);
  const { batch } = await desk.json(desk.run('--limit', '2'));
  await desk.json(['pause', batch]);
  wipe(desk, 'holds');
  const { code, rows } = await salvaged(desk);
  expect(code).toBe(3);
  expect(rows('unreadable.csv').map(({ what }) => what)).toEqual([`whether batch ${batch} is paused`]);
  expect(rows('batches.csv')).toMatchObject([{ batch, paused_since: 'unknown', ended: '2' }]);
  expect(rows('answers.csv')).toHaveLength(2);
});

test.each(
  some(
    [
      ['rows', 3],
      ['calls_key', 0],
      ['attempts_row', 3],
      ['ends_id', 0],
      ['groups', 0],
      ['totals', 3],
      ['tallies', 3],
    ],
    1,
  ),
)('without any page of %s all answers are there', async (name, expected) => {
  const desk = await usedDesk();
  wipe(desk, name);
  const { code, rows } = await salvaged(desk);
  expect(rows('answers.csv')).toHaveLength(ROWS);
  expect(code).toBe(expected);
});

proof('a header that SQLite does not take for a database hides nothing', async () => {
  const desk = await usedDesk();
  const path = desk.place.path('store/ledger.db');
  const file = readFileSync(path);
  file.fill(0xff, 0, 16);
  writeFileSync(path, file);
  expect((await desk.type(desk.run())).stderr).toContain('is damaged');
  const { code, rows } = await salvaged(desk);
  expect(code).toBe(0);
  expect(rows('answers.csv')).toHaveLength(ROWS);
});

proof('an input that is not there any more is named, and its answers are still there', async () => {
  const desk = await usedDesk();
  await desk.write('list.csv', 'Domain\nother.example\n');
  const { code, rows } = await salvaged(desk);
  expect(code).toBe(3);
  expect(rows('unreadable.csv')[0]?.why).toContain('has changed since the batch worked on it');
  expect(rows('answers.csv')).toHaveLength(ROWS);
});

test('a folder with files in it, and a store that is not there, are refused', async () => {
  const desk = await usedDesk();
  const full = await desk.type(['store', 'salvage', '-o', '.']);
  expect(full).toMatchObject({ code: 2, stderr: expect.stringContaining('is not empty') });
  for (const [output, fact] of [
    ['out.csv', 'is not a folder'],
    ['out.csv/left', 'cannot be written: the place of its folder is a file'],
  ] as const) {
    const onto = await desk.type(['store', 'salvage', '-o', output]);
    expect(onto).toMatchObject({ code: 2, stderr: expect.stringContaining(fact) });
  }
  const none = await desk.type(['store', 'salvage', '-o', 'left', '--store', 'nowhere']);
  expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining('There is no store in') });
});

test.each(some(['planned', 'changes'], 1))(
  'without any page of %s the rows of a batch of changes are there',
  async (table) => {
    const team = await TeamWorkplace.open();
    onTestFinished(() => team[Symbol.asyncDispose]());
    const people = ['jo', 'mo'].map((who) => ({ email: `${who}@team.example`, role: 'viewer' }));
    await team.apply(people);
    const desk = new Desk(team.place);
    wipe(desk, table);
    const { code, rows, files } = await salvaged(desk);
    expect(code).toBe(3);
    expect(rows('unreadable.csv')).not.toEqual([]);
    const output = files.find((path) => /team\.[0-9a-f]{8}\.csv$/.test(path)) ?? '';
    expect(rows(output).map(({ _status }) => _status)).toEqual(['applied', 'applied']);
  },
);
