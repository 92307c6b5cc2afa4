/**
 * Goal: a sweep takes whole files and nothing else: what somebody is still writing, what is not meant for it and what
 * we wrote ourselves stays where it is, with a reason; and what is put into `done/` never takes the place of another file.
 * Method: real files in a folder of the test. Time between two looks is handed in, so that a file can be written to just
 * then.
 */
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { isAsSeen, moveToDone, placeInDone, readInbox } from '../../src/commands/nightly/inbox.ts';
import { type Clock, systemClock } from '../../src/core/clock.ts';
import { nextTick } from '../files/formats/sheets.ts';

type Inbox = Awaited<ReturnType<typeof readInbox>>;

function openFolder(...names: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'rowonce-inbox-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const name of names) {
    writeFileSync(join(folder, name), 'Domain\na.example\n');
    // A file system counts time in steps: what was written a moment ago could be written again in the same one.
    setAge(join(folder, name), 10_000);
  }
  return folder;
}

function setAge(path: string, ageMs: number): void {
  const at = new Date(Date.now() - ageMs);
  utimesSync(path, at, at);
}

/** @param between what happens between the two looks. */
function look(
  folder: string,
  between: () => void = () => {},
  ours: ReadonlySet<string> = new Set(),
): Promise<Inbox> {
  const clock: Clock = { ...systemClock, sleep: async () => between() };
  return readInbox(folder, { ours, clock, signal: new AbortController().signal });
}

const ready = (inbox: Inbox): readonly string[] => inbox.ready.map(({ path }) => basename(path));
const left = (inbox: Inbox): object =>
  Object.fromEntries(inbox.left.map(({ file, why }) => [basename(file), why]));

describe('a sweep takes', () => {
  test('every file that a format reads, in the order of the names', async () => {
    const folder = openFolder('b.csv', 'a.CSV', 'leads.20261120.csv');
    const inbox = await look(folder);
    expect(ready(inbox)).toEqual(['a.CSV', 'b.csv', 'leads.20261120.csv']);
    expect(inbox.left).toEqual([]);
  });

  test('no folder, `done` included, and nothing that is hidden, and it says nothing about those', async () => {
    const folder = openFolder('.hidden.csv', '.~lock.leads.csv#', '~$leads.xlsx');
    mkdirSync(join(folder, 'done'));
    mkdirSync(join(folder, 'folder.csv'));
    expect(await look(folder)).toEqual({ ready: [], left: [] });
  });

  test('nothing that no format reads, and says which endings are read', async () => {
    expect(left(await look(openFolder('notes.pdf')))).toEqual({
      'notes.pdf': expect.stringMatching(/^its ending cannot be read: "\.pdf", only .*\.csv/),
    });
  });

  test.skipIf(process.platform === 'win32')('no link, and no pipe, at which it would wait', async () => {
    const folder = openFolder('real.csv');
    symlinkSync(join(folder, 'real.csv'), join(folder, 'link.csv'));
    execFileSync('mkfifo', [join(folder, 'pipe.csv')]);
    const inbox = await look(folder);
    expect(ready(inbox)).toEqual(['real.csv']);
    const why = 'it is a link, or no regular file';
    expect(left(inbox)).toEqual({ 'link.csv': why, 'pipe.csv': why });
  });

  test('nothing from a folder that is not there: the job is wrong', async () => {
    const folder = join(openFolder(), 'missing');
    await expect(look(folder)).rejects.toMatchObject({
      code: 'job',
      message: expect.stringContaining(folder),
      next: 'Make the folder, or correct inbox in the job, or inboxes in the accounts file.',
    });
  });
});

test('our own files are known by what the ledger knows, under whatever name', async () => {
  const inbox = openFolder('result.csv', 'leads.csv');
  const seen = await look(inbox, () => {}, new Set([join(inbox, 'result.csv')]));
  expect(ready(seen)).toEqual(['leads.csv']);
  expect(left(seen)).toEqual({ 'result.csv': expect.stringContaining('our own outputs') });
});

describe('a file that is still being written is left for the next sweep', () => {
  test.each<[string, (path: string) => void]>([
    ['grows', (path) => appendFileSync(path, 'b.example\n')],
    ['is written anew with as many bytes', (path) => writeFileSync(path, 'Domain\nb.example\n')],
    ['is gone', (path) => rmSync(path)],
  ])('when it %s between two looks', async (_, between) => {
    const folder = openFolder('whole.csv', 'half.csv');
    const inbox = await look(folder, () => between(join(folder, 'half.csv')));
    expect(ready(inbox)).toEqual(['whole.csv']);
    expect(left(inbox)).toEqual({ 'half.csv': 'it is still being written' });
  });

  test('when it changes later, before its turn comes', async () => {
    const folder = openFolder('a.csv', 'b.csv', 'c.csv');
    const [a, b, c] = (await look(folder)).ready;
    if (a === undefined || b === undefined || c === undefined) throw new Error('all files are whole');
    appendFileSync(b.path, 'c.example\n');
    const { atime, mtime } = statSync(c.path);
    await nextTick(c.path);
    writeFileSync(c.path, 'Domain\nz.example\n');
    utimesSync(c.path, atime, mtime);
    expect([await isAsSeen(a), await isAsSeen(b), await isAsSeen(c)]).toEqual([true, false, false]);
  });
});

test('the folder done does not take the place of a file that appeared in the meantime', async () => {
  const folder = openFolder('leads.csv');
  const path = join(folder, 'leads.csv');
  const place = await placeInDone(path, false, undefined);
  writeFileSync(place.input, 'somebody was faster');
  await expect(moveToDone(path, place)).rejects.toMatchObject({ code: 'output' });
  expect(readFileSync(place.input, 'utf8')).toBe('somebody was faster');
  expect(existsSync(path)).toBe(true);
});
