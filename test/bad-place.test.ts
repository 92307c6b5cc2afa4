/**
 * Goal: a store that cannot be trusted and an output that cannot be written are refused before anything is paid for: one
 * sentence on what is wrong, one on what to do, and the exit code that the documentation lists.
 * Method: as in `bad-input.test.ts`: the real command, one mistake at a time, and the vendor's own book.
 */
import { execFileSync } from 'node:child_process';
import { link, mkdir, readFile, rm, symlink } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import type { Desk } from './cli/desk.ts';
import { deskWithList, expectNothingSpent, expectRefusal, type Refusal } from './support/refusal.ts';

describe('the store', () => {
  /** A desk whose list was bought: from here on nothing may be bought again. */
  async function deskWithStore(): Promise<Desk> {
    const desk = await deskWithList();
    expect(await desk.type(desk.run())).toMatchObject({ code: 0 });
    return desk;
  }

  async function expectNothingBought(desk: Desk, refusal: Refusal, isLookedAt = true): Promise<void> {
    desk.list(3, 'more.csv');
    const words = ['run', 'enrich-company', 'more.csv', '--budget', '9'];
    for (const each of isLookedAt ? [words, ['export', 'last']] : [words])
      expectRefusal(await desk.type(['--json', ...each]), refusal);
    expect(await desk.place.vendor.book()).toMatchObject({ requests: 2, credits: 2 });
  }

  /** SQLite itself, as another program of another version would use it. */
  async function sql(desk: Desk, statement: string): Promise<void> {
    const script = `const { default: D } = await import('better-sqlite3'); const d = new D(process.argv[1]); d.exec(process.argv[2]); d.close();`;
    execFileSync(
      process.execPath,
      ['--input-type=module', '-e', script, desk.place.path('store/ledger.db'), statement],
      {
        cwd: import.meta.dirname,
      },
    );
  }

  test('the store is of a newer version', async () => {
    const desk = await deskWithStore();
    await sql(desk, 'INSERT INTO steps (number) VALUES (99)');
    await expectNothingBought(desk, {
      code: 2,
      fact: /was made by a newer Rowonce \(schema 99; this one knows \d+\)\. Nothing in it was changed\.$/,
      next: /^Use the newer Rowonce, or name another place with --store\.$/,
    });
    await sql(desk, 'DELETE FROM steps WHERE number = 99');
    expect(await desk.type(desk.run())).toMatchObject({ code: 0 });
    expect(await desk.requests()).toBe(2);
  });

  test.each<[string, (desk: Desk) => Promise<unknown>]>([
    ['is empty', (desk) => desk.write('store/ledger.db', '')],
    ['is gone', (desk) => rm(desk.place.path('store/ledger.db'))],
  ])('%s', async (_, damage) => {
    const desk = await deskWithStore();
    await damage(desk);
    const refusal = {
      code: 2,
      fact: /^The store .* is gone: requests were made with .* would be bought again\.$/,
      next: /^Restore the newest store, or let a run continue without it by --accept store\.$/,
    };
    await expectNothingBought(desk, refusal, false);
  });

  test('the store has bytes that were altered', async () => {
    const desk = await deskWithStore();
    await desk.write('store/ledger.db', 'x'.repeat(20_000));
    const refusal = {
      code: 2,
      fact: /^The store .* is damaged: .*\.$/,
      next: /^Restore the store from its newest backup\.$/,
    };
    await expectNothingBought(desk, refusal);
  });

  test("the store is another program's database", async () => {
    const desk = await deskWithList();
    await mkdir(desk.place.path('store'), { mode: 0o700 });
    await sql(desk, 'CREATE TABLE recipes (name)');
    const before = await readFile(desk.place.path('store/ledger.db'));
    const refusal = { code: 2, fact: /ledger\.db is not a ledger of Rowonce\.$/, next: /--store/ };
    await expectNothingSpent(desk, desk.run(), refusal);
    expect(await readFile(desk.place.path('store/ledger.db'))).toEqual(before);
  });
});

describe('the output', () => {
  test.each<[string, string, (desk: Desk) => Promise<unknown>, RegExp]>([
    [
      'is in a folder that does not exist',
      'no/where/out.csv',
      async () => {},
      /no\/where\/out\.csv cannot be written: its folder does not exist\.$/,
    ],
    [
      'is a folder',
      'folder',
      (desk) => mkdir(desk.place.path('folder')),
      /folder cannot be written: it is a folder\.$/,
    ],
    [
      'has a report that is a folder',
      'out.csv',
      (desk) => mkdir(desk.place.path('out.report.html')),
      /out\.report\.html cannot be written: it is a folder\.$/,
    ],
    ['is the input', 'list.csv', async () => {}, /list\.csv is the input itself\.$/],
    [
      'is a symbolic link to the input',
      'link.csv',
      (desk) => symlink(desk.place.path('list.csv'), desk.place.path('link.csv')),
      /link\.csv is the input itself\.$/,
    ],
    [
      'is a hard link to the input',
      'hard.csv',
      (desk) => link(desk.place.path('list.csv'), desk.place.path('hard.csv')),
      /hard\.csv is the input itself\.$/,
    ],
  ])('%s', async (_, output, make, fact) => {
    const desk = await deskWithList();
    await make(desk);
    const before = await desk.read('list.csv');
    const words = ['run', 'enrich-company', 'list.csv', '--budget', '9', '-o', output];
    await expectNothingSpent(desk, words, { code: 2, fact, next: /^Name another file with -o\.$/ });
    expect(await desk.read('list.csv')).toBe(before);
  });

  test('the output would have its needs-attention file where the input is', async () => {
    const desk = await deskWithList();
    const before = 'Domain\nnot a domain\n';
    await desk.write('out.needs-attention.csv', before);
    const words = ['run', 'enrich-company', 'out.needs-attention.csv', '--budget', '9', '-o', 'out.csv'];
    const fact = /out\.needs-attention\.csv is the input itself\.$/;
    await expectNothingSpent(desk, words, { code: 2, fact, next: /^Name another file with -o\.$/ });
    expect(await desk.read('out.needs-attention.csv')).toBe(before);
  });
});
