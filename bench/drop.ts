import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { basename } from 'node:path';
import type { Browser } from 'playwright-core';
import writeExcel from 'write-excel-file/node';
import { openBrowser } from '../test/web/chromium.ts';
import { abn, inFolder, median, PROGRAM } from './program.ts';
import { Desk, writeWideList } from './speed/fixture.ts';

/**
 * How long a person waits from a drop to the first words, to the first rows and to the price, in a real browser: a CSV of 200,000 rows
 * and a workbook of 50,000. `npm run bench page -- drop 3 OTHER/src/bin.js` takes so many turns, each of this program and of another
 * build: on a busy machine only their ratio says something.
 */
export async function measureDrops([turns = '3', ...others]: readonly string[]): Promise<readonly string[]> {
  return inFolder(async (folder) => {
    const desk = await Desk.open(folder);
    const files = [desk.path('list.csv'), desk.path('list.xlsx')];
    await writeWideList(desk.path('list.csv'), 200_000);
    await writeWideBook(desk.path('list.xlsx'), 50_000);
    const programs = [PROGRAM, ...others];
    const browser = await openBrowser();
    const taken = new Map<string, Waited[]>();
    try {
      for (let turn = 0; turn < Number(turns); turn += 1)
        for (const [at, { file, program }] of pairsOf(files, programs).entries()) {
          const key = `${basename(file)}, ${program === PROGRAM ? 'this build' : program}`;
          const waited = await dropped(browser, desk, { program, file, store: `store-${turn}-${at}` });
          taken.set(key, [...(taken.get(key) ?? []), waited]);
        }
    } finally {
      await browser.close();
    }
    return [...taken].map(([key, all]) => `${key}: ${wordsOf(all)}`);
  });
}

const pairsOf = (files: readonly string[], programs: readonly string[]) =>
  files.flatMap((file) => programs.map((program) => ({ file, program })));

function wordsOf(all: readonly Waited[]): string {
  const middle = (of: (waited: Waited) => number): string => `${Math.round(median(all.map(of)))} ms`;
  const [words, rows] = [middle((each) => each.words), middle((each) => each.rows)];
  return `first words ${words}, first rows ${rows}, price ${middle((each) => each.price)}`;
}

interface Waited {
  readonly words: number;
  readonly rows: number;
  readonly price: number;
}

interface Drop {
  readonly program: string;
  readonly store: string;
  readonly file: string;
}

async function dropped(browser: Browser, desk: Desk, { program, store, file }: Drop): Promise<Waited> {
  const { words, env } = desk.rowonce(store, 'serve', '--no-open');
  const [node = '', ...rest] = words.map((word) => (word === PROGRAM ? program : word));
  const child = spawn(node, rest, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  try {
    const [printed] = await once(child.stdout, 'data');
    const page = await context.newPage();
    page.setDefaultTimeout(600_000);
    await page.goto(String(printed).split('\n', 1).join());
    await page.getByRole('button', { name: 'Choose a file' }).waitFor();
    const begun = performance.now();
    await page.locator('input[type=file]').setInputFiles(file);
    const seen = (text: string | RegExp): Promise<number> =>
      page
        .getByText(text)
        .first()
        .waitFor()
        .then(() => performance.now() - begun);
    const [first, rows, price] = await Promise.all([
      seen(/^Reading|being read/),
      seen('Company 00000003 Pty Ltd'),
      seen(/credits? at most/),
    ]);
    return { words: first, rows, price };
  } finally {
    await context.close();
    child.kill();
    await once(child, 'close');
  }
}

/** The same companies in a workbook. */
async function writeWideBook(path: string, rows: number): Promise<void> {
  const names = ['ABN', 'Name', 'Street', 'Town', 'State', 'Phone', 'Owner', 'Remark'];
  const cells = (row: number): string[] => {
    const serial = String(row).padStart(8, '0');
    const place = [`${row % 900} Example Street, Level ${row % 30}`, 'Sydney', 'NSW', `02 ${serial}`];
    return [
      abn(row),
      `Company ${serial} Pty Ltd`,
      ...place,
      `Owner ${row % 1000}`,
      'as told on the telephone',
    ];
  };
  const all = [names, ...Array.from({ length: rows }, (_, row) => cells(row))];
  await writeExcel(all.map((line) => line.map((value) => ({ value, type: String })))).toFile(path);
}
