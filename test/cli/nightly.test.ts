import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { proof, proofs, some } from '../combinations.ts';
import { domainsOf } from '../faults/workplace.ts';
import { openDesk } from './desk.ts';
import { NightDesk, openNightDesk } from './night-desk.ts';

test('a sweep works through its inbox, moves what is done, and says what became of each file', async () => {
  const nights = await openNightDesk();
  const { place } = nights.desk;
  nights.drop('a.csv', 'a', 2);
  nights.drop('b.csv', 'b', 3);
  const { code, said, stderr } = await nights.night();
  expect(code).toBe(0);
  const path = (name: string): string => place.path(join('inbox', name));
  const file = (name: string, rows: number) => ({
    file: path(`${name}.csv`),
    job: 'night',
    moved_to: path(`done/${name}.csv`),
    batch: expect.stringMatching(/^[0-9a-f]{8}$/),
    rows,
    counts: { matched: rows },
    credits: { spent: rows, exact: true, in_doubt: 0 },
    output: path(`done/${name}.enriched.csv`),
    needs_attention: null,
    stopped: null,
  });
  expect(said).toEqual({
    files: [file('a', 2), file('b', 3)],
    left: [],
    rows: 5,
    counts: { matched: 5 },
    credits: { spent: 5, exact: true, in_doubt: 0 },
    stopped: null,
  });
  expect(stderr).toMatch(/inbox\/a\.csv: batch [0-9a-f]{8}, 2 rows\n/);
  expect(nights.files()).toEqual({
    inbox: [],
    done: ['a.csv', 'a.enriched.csv', 'b.csv', 'b.enriched.csv'],
  });
  expect(place.statuses('inbox/done/b.enriched.csv')).toEqual(['matched', 'matched', 'matched']);
  expect(await place.vendor.book()).toMatchObject({ requests: 5, credits: 5 });

  const next = await nights.night();
  expect(next).toMatchObject({ code: 0, said: { files: [], left: [], credits: { spent: 0 } } });
  // Cron sends no mail of it then.
  const quiet = await nights.desk.type(['nightly', 'night.yaml', '--quiet']);
  expect(quiet).toEqual({ code: 0, stdout: '', stderr: '' });
});

proof('the summary in words has each file with its credits and what to do, and the sum', async () => {
  const nights = await openNightDesk();
  nights.dropList('a.csv', ['a-1.example', 'not a domain']);
  nights.dropFile('notes.pdf', 'buy milk');
  const { code, stdout } = await nights.desk.type(['nightly', 'night.yaml']);
  expect(code).toBe(3);
  const inbox = nights.desk.place.path('inbox');
  const lines = stdout.replaceAll(inbox, 'INBOX').replace(/[0-9a-f]{8}/, 'BATCH');
  expect(lines.split('\n')).toEqual([
    'INBOX/a.csv',
    '  Batch      BATCH, 2 rows: 1 matched, 1 invalid',
    '  Credits    1 spent',
    '  Moved to   INBOX/done/a.csv',
    '  Output     INBOX/done/a.enriched.csv',
    '  Attention  INBOX/done/a.enriched.needs-attention.csv',
    expect.stringMatching(/^Left {7}INBOX\/notes\.pdf: its ending cannot be read: "\.pdf"/),
    'Files      1 done or tried, 1 left',
    'Rows       2: 1 matched, 1 invalid',
    'Credits    1 spent',
    '',
  ]);
  expect(await nights.desk.type(['nightly', 'night.yaml', '--attention-ok'])).toMatchObject({ code: 0 });
});

proofs('what was bought one night is known the next', () => {
  proof('in a list that overlaps: only what is new is bought', async () => {
    const nights = await openNightDesk();
    const { place } = nights.desk;
    nights.drop('monday.csv', 'shared', 4);
    await nights.night();
    nights.dropList('tuesday.csv', [...domainsOf('shared', 4), ...domainsOf('new', 2)]);
    const { said } = await nights.night();
    expect(said).toMatchObject({ rows: 6, counts: { matched: 6 }, credits: { spent: 2 } });
    const sources = place.rows('inbox/done/tuesday.enriched.csv').map((row) => row._source);
    expect(sources).toEqual(['ledger', 'ledger', 'ledger', 'ledger', 'bought', 'bought']);
    expect(await place.vendor.book()).toMatchObject({ requests: 6, credits: 6, charged_twice: [] });
  });

  proof(
    'in the same list under another name: its output is written again, and nothing is asked',
    async () => {
      const nights = await openNightDesk();
      nights.drop('a.csv', 'a', 3);
      await nights.night();
      nights.drop('copy.csv', 'a', 3);
      const { code, said } = await nights.night();
      expect({ code, spent: said.credits.spent }).toEqual({ code: 0, spent: 0 });
      expect(nights.files()).toEqual({
        inbox: [],
        done: ['a.csv', 'a.enriched.csv', 'copy.csv', 'copy.enriched.csv'],
      });
      expect(await nights.desk.requests()).toBe(3);
    },
  );
});

proof('two files of one name are both kept: the second gets a number, with its output', async () => {
  const nights = await openNightDesk();
  const { place } = nights.desk;
  nights.drop('leads.csv', 'monday', 1);
  await nights.night();
  const monday = await nights.desk.read('inbox/done/leads.enriched.csv');
  nights.drop('leads.csv', 'tuesday', 2);
  const { said } = await nights.night();
  expect(said.files[0].moved_to).toBe(place.path('inbox/done/leads (2).csv'));
  expect(await nights.desk.read('inbox/done/leads.enriched.csv')).toBe(monday);
  expect(place.rows('inbox/done/leads (2).enriched.csv')).toHaveLength(2);
});

proof('a file that was moved is still found by its batch', async () => {
  const nights = await openNightDesk();
  nights.drop('a.csv', 'a', 2);
  await nights.night();
  const before = await nights.desk.read('inbox/done/a.enriched.csv');
  rmSync(nights.desk.place.path('inbox/done/a.enriched.csv'));
  expect(await nights.desk.type(['export', 'last'])).toMatchObject({ code: 0 });
  expect(await nights.desk.read('inbox/done/a.enriched.csv')).toBe(before);
});

describe('a sweep that was killed', () => {
  test('in the middle of a file is ended by the next one, and nothing is bought twice', async () => {
    const nights = await openNightDesk({ latencyMs: 40 });
    const { place } = nights.desk;
    nights.drop('a.csv', 'a', 6);
    nights.drop('b.csv', 'b', 200);
    const words = ['nightly', place.path('night.yaml'), '--store', place.path('store'), '--json'];
    const program = place.type(words);
    // Somewhere in the second file.
    await program.until(() => place.vendor.requests().length > 15);
    expect(await program.kill()).toMatchObject({ signal: 'SIGKILL' });
    // Before the unfinished one by its name.
    nights.drop('aa.csv', 'new', 1);
    place.hurry();
    // What was in flight is in doubt, and is paid for again by decision alone.
    const { said } = await nights.night();
    expect(said.files.map((each: { file: string }) => each.file.split('/').at(-1))).toEqual([
      'b.csv',
      'aa.csv',
    ]);
    expect(nights.files().inbox).toEqual([]);
    const { credits, charged_twice } = await place.vendor.book();
    expect(charged_twice).toEqual([]);
    expect(credits).toBeLessThanOrEqual(207);
    const statuses = place.statuses('inbox/done/b.enriched.csv');
    expect(statuses.filter((status) => status !== 'matched' && status !== 'in_doubt')).toEqual([]);
  });

  test.each(some(['after-output', 'output-renamed', 'before-finish'], 1))(
    'at %s leaves its file in the inbox, and the next one moves it beside the output that stands there',
    async (point) => {
      const nights = await openNightDesk();
      nights.drop('a.csv', 'a', 3);
      const env = { ROWONCE_CRASH_AT: point };
      expect(await nights.desk.type(['nightly', 'night.yaml'], { env })).toMatchObject({ code: null });
      expect(nights.files().inbox).toEqual(['a.csv']);
      expect(await nights.night()).toMatchObject({ code: 0, said: { credits: { spent: 0 } } });
      expect(nights.files()).toEqual({ inbox: [], done: ['a.csv', 'a.enriched.csv'] });
      expect(await nights.desk.requests()).toBe(3);
    },
  );

  proof('after it noted where the file goes and before it moved it, leaves nothing double', async () => {
    const nights = await openNightDesk();
    nights.drop('a.csv', 'a', 3);
    await nights.night();
    // The ledger says `done/a.csv`, and the file still stands in the inbox.
    renameSync(nights.desk.place.path('inbox/done/a.csv'), nights.desk.place.path('inbox/a.csv'));
    expect(await nights.night()).toMatchObject({ code: 0, said: { credits: { spent: 0 } } });
    expect(nights.files()).toEqual({ inbox: [], done: ['a.csv', 'a.enriched.csv'] });
    expect(await nights.desk.type(['export', 'last'])).toMatchObject({ code: 0 });
  });
});

test('a bad file goes to failed/ with its reason, the others are done, and the next night hears nothing of it', async () => {
  const nights = await openNightDesk();
  const { place } = nights.desk;
  nights.drop('a.csv', 'a', 1);
  nights.dropFile('broken.csv', 'Domain\n"never closed\n');
  nights.dropFile('other.csv', 'Colour\nred\n');
  nights.dropFile('packed.csv.gz', 'it is not even looked into');
  const first = await nights.night();
  expect(first.code).toBe(2);
  const became = first.said.files.map(
    (each: { stopped: { code: string } | null; moved_to: string | null }) => [
      each.stopped?.code ?? null,
      each.moved_to,
    ],
  );
  expect(became).toEqual([
    [null, place.path('inbox/done/a.csv')],
    ['input', place.path('inbox/failed/broken.csv')],
    ['job', place.path('inbox/failed/other.csv')],
    ['input', place.path('inbox/failed/packed.csv.gz')],
  ]);
  expect(first.said.stopped.code).toBe('input');
  // The command that is printed then finds a file only where it was.
  for (const { stopped, moved_to: place } of first.said.files.slice(1))
    expect(stopped.next).toContain(`move ${place} back into ${nights.desk.place.path('inbox')}`);
  expect(first.stderr).toContain(`back into ${place.path('inbox')}`);
  expect(nights.files().done).toEqual(['a.csv', 'a.enriched.csv']);
  expect(nights.files().inbox).toEqual(['failed']);
  expect(readFileSync(place.path('inbox/failed/broken.csv'), 'utf8')).toBe('Domain\n"never closed\n');
  expect(readFileSync(place.path('inbox/failed/broken.csv.reason.txt'), 'utf8')).toMatch(
    /quote.*\n.*\nThen put it back into .*inbox\.\n$/s,
  );
  expect(readFileSync(place.path('inbox/failed/packed.csv.gz.reason.txt'), 'utf8')).toContain(
    'Unpack it first, or `gunzip -c FILE | rowonce run JOB - -o OUT`.',
  );
  // One of its name is kept beside it, and a night without a bad file ends well.
  nights.dropFile('broken.csv', 'Domain\n"never either\n');
  expect((await nights.night()).code).toBe(2);
  expect(readdirSync(place.path('inbox/failed'))).toEqual([
    'broken (2).csv',
    'broken (2).csv.reason.txt',
    'broken.csv',
    'broken.csv.reason.txt',
    'other.csv',
    'other.csv.reason.txt',
    'packed.csv.gz',
    'packed.csv.gz.reason.txt',
  ]);
  expect(await nights.night()).toMatchObject({ code: 0, said: { files: [], left: [], stopped: null } });
  expect(await nights.desk.requests()).toBe(1);
});

proofs('what is not whole or not meant for it stays', () => {
  proof('our own outputs, and a file whose batch was cancelled', async () => {
    const nights = await openNightDesk();
    nights.drop('a.csv', 'a', 3);
    const byHand = ['run', './night.yaml', 'inbox/a.csv', '--limit', '1'];
    expect(await nights.desk.type(byHand)).toMatchObject({ code: 0 });
    expect(await nights.desk.type(['cancel', 'last'])).toMatchObject({ code: 0 });
    const { said } = await nights.night();
    expect(said.files).toEqual([]);
    expect(said.left.map(({ why }: { why: string }) => why)).toEqual([
      'it is one of our own outputs; give it another name to use it as an input',
      // Its report.
      'it is one of our own outputs; give it another name to use it as an input',
      expect.stringMatching(/^its batch [0-9a-f]{8} was cancelled$/),
    ]);
    expect(await nights.desk.requests()).toBe(1);
  });
});

proofs('what was begun by hand with the same job', () => {
  proof('goes on, wherever its file is, and stays where it is', async () => {
    const nights = await openNightDesk();
    const { place } = nights.desk;
    place.writeList(domainsOf('hand', 4), 'hand.csv');
    expect(await nights.desk.type(['run', './night.yaml', 'hand.csv', '--budget', '1'])).toMatchObject({
      code: 4,
    });
    nights.drop('a.csv', 'a', 1);
    const { code, said } = await nights.night();
    expect(code).toBe(0);
    expect(said.files).toMatchObject([
      { file: place.path('hand.csv'), moved_to: null, output: place.path('hand.enriched.csv'), rows: 4 },
      { file: place.path('inbox/a.csv') },
    ]);
    expect(place.statuses('hand.enriched.csv')).toEqual(['matched', 'matched', 'matched', 'matched']);
    expect(await place.vendor.book()).toMatchObject({ credits: 5, charged_twice: [] });
  });

  proof('with --limit does not: nobody agreed to the rest', async () => {
    const nights = await openNightDesk();
    nights.desk.place.writeList(domainsOf('hand', 4), 'hand.csv');
    await nights.desk.type(['run', './night.yaml', 'hand.csv', '--limit', '2']);
    expect(await nights.night()).toMatchObject({ code: 0, said: { files: [] } });
    expect(await nights.desk.requests()).toBe(2);
  });

  proof('does not when its file was changed since: that is another batch, which nobody ordered', async () => {
    const nights = await openNightDesk();
    const { place } = nights.desk;
    place.writeList(domainsOf('hand', 4), 'hand.csv');
    await nights.desk.type(['run', './night.yaml', 'hand.csv', '--budget', '1']);
    place.writeList(domainsOf('other', 4), 'hand.csv');
    const { said } = await nights.night();
    expect(said).toMatchObject({
      files: [],
      left: [{ file: place.path('hand.csv'), why: expect.stringContaining('has changed since batch') }],
    });
    expect(await nights.desk.requests()).toBe(1);
  });
});

proof(
  'a row in doubt does not keep its file; what a person decides about it is carried out the next night',
  async () => {
    const nights = await openNightDesk({ faults: 'charged-reset:x1' });
    const { place } = nights.desk;
    nights.drop('a.csv', 'a', 3);
    const first = await nights.night();
    expect(first).toMatchObject({ code: 3, said: { counts: { matched: 2, in_doubt: 1 } } });
    expect(nights.files()).toMatchObject({ inbox: [] });
    expect(await nights.night()).toMatchObject({
      code: 3,
      said: { rows: 3, credits: { spent: 0, in_doubt: 1 } },
    });
    expect(await nights.desk.type(['settle', first.said.files[0].batch, '--skip'])).toMatchObject({
      code: 0,
    });
    expect(await nights.night()).toMatchObject({ code: 0, said: { counts: { matched: 2, skipped: 1 } } });
    expect(place.statuses('inbox/done/a.enriched.csv').toSorted()).toEqual(['matched', 'matched', 'skipped']);
    expect(await place.vendor.book()).toMatchObject({ credits: 3, charged_twice: [] });
  },
);

proof('the job that a user copies works as its page says', async () => {
  const root = join(import.meta.dirname, '..', '..');
  const nights = new NightDesk(await openDesk());
  const { place } = nights.desk;
  mkdirSync(place.path('jobs/inbox'), { recursive: true });
  cpSync(join(root, 'jobs/nightly-companies.yaml'), place.path('jobs/nightly-companies.yaml'));
  cpSync(join(root, 'fixtures/leads.csv'), place.path('jobs/inbox/leads.csv'));
  nights.age('jobs/inbox/leads.csv');
  const page = readFileSync(join(root, 'docs/guide/nightly.md'), 'utf8');
  const [, words = ''] = /^\$ .*rowonce nightly (.*)$/m.exec(page) ?? [];
  const env = { ROWONCE_SANDBOX: '--rate 1000/s' };
  const { code, said } = await nights.sweep(words.split(' '), env);
  expect(code).toBe(3);
  expect(said).toMatchObject({ rows: 64, left: [], stopped: null });
  expect(nights.files(dirname('jobs/inbox/x'))).toEqual({
    inbox: [],
    done: ['leads.csv', 'leads.sandbox.csv', 'leads.sandbox.needs-attention.csv'],
  });
});
