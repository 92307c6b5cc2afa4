/**
 * Goal: a folder of lists is worked through night after night without anybody watching: each file is done once or put aside with its
 * reason, a kill costs nothing twice, and who is named hears of the end. What stops one file stops nothing else, a sweep never spends
 * without a limit, and its exit code is the worst that happened.
 * Method: the real command over an inbox, before the sandbox as a vendor; kill -9 on the way, and a real server that hears the end.
 */
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { worstOf } from '../../src/commands/nightly.ts';
import { stopShown } from '../../src/core/stop-object.ts';
import { exitOf, type StopCode } from '../../src/core/stops.ts';
import { receiver } from '../run/receiver.ts';
import { some } from '../support/combinations.ts';
import { type NightDesk, openNightDesk } from './night-desk.ts';
import { startRowonce } from './rowonce.ts';

/** What the report of a list says of its ends and beginnings. */
const happenedTo = (place: { path(name: string): string }, list: string): readonly string[] =>
  readFileSync(place.path(`inbox/done/${list}.enriched.report.html`), 'utf8').match(
    /(?<=<td>)(?:interrupted|stopped|went on)/g,
  ) ?? [];

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
    accounts: [{ account: 'data', spent: rows }],
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

  nights.drop('c.csv', 'a', 2);
  nights.dropFile('d.csv', 'Domain\nd.example\nno domain\n');
  const { stdout, stderr: words } = await nights.desk.type(['nightly', 'night.yaml']);
  expect(stdout, 'what there is nothing of has no line').not.toMatch(/^\n|\n\n/);
  expect(words.trimEnd().split('\n').at(-1)).toBe('2 lists done, 1 with rows that need attention: d.csv.');

  const next = await nights.night();
  expect(next).toMatchObject({ code: 0, said: { files: [], left: [], credits: { spent: 0 } } });
  // Cron sends no mail of it then.
  const quiet = await nights.desk.type(['nightly', 'night.yaml', '--quiet']);
  expect(quiet).toEqual({ code: 0, stdout: '', stderr: '' });
});

test('a sweep that a guard holds back says what allows it in the job, and nothing that it would not take', async () => {
  const nights = await openNightDesk();
  nights.writeJob('projects: { Atlas: proj-1 }', { operation: 'onboard', account: 'sandbox-service' });
  nights.dropFile('team.csv', 'Email,Role,Project\njo@acme.example,admin,Atlas\n');
  const { said } = await nights.night();
  expect(said.files[0].stopped).toMatchObject({
    code: 'guard',
    next: 'If that is right, set guards: { admins: allow } in the job.',
  });
});

test('a header alone is said and put away, without an output, and the sweep goes on', async () => {
  const nights = await openNightDesk();
  nights.dropFile('a.csv', 'No,Name,Domain\n');
  nights.drop('b.csv', 'b', 1);
  const { code, said, stderr } = await nights.night();
  expect({ code, stderr }).toMatchObject({ code: 0 });
  expect(stderr).toMatch(/inbox\/a\.csv: .*a\.csv has no rows below the header\.\n/);
  expect(said).toMatchObject({ rows: 1, files: [{ rows: 0, output: null, stopped: null }, { rows: 1 }] });
  expect(nights.files()).toEqual({ inbox: [], done: ['a.csv', 'b.csv', 'b.enriched.csv'] });
});

test('two files of one name are both kept: the second gets a number, with its output', async () => {
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

describe('a sweep that was killed', () => {
  test('a sweep that was killed in the middle of a file is ended by the next one, and nothing is bought twice', async () => {
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
    // Who reads the report sees why the list took so long; the file that had ended before says nothing of it.
    expect([happenedTo(place, 'a'), happenedTo(place, 'b')]).toEqual([[], ['interrupted', 'went on']]);
  });

  test.each(some(['after-output', 'output-renamed', 'before-finish'], 1))(
    'a sweep that was killed at %s leaves its file in the inbox, and the next one moves it beside the output that stands there',
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
});

test('a bad file stays with its reason, night after night, and the others are done', async () => {
  const nights = await openNightDesk();
  const { place } = nights.desk;
  nights.drop('a.csv', 'a', 1);
  nights.dropFile('broken.csv', 'Domain\n"never closed\n');
  nights.dropFile('other.csv', 'Colour,Size\nred,1\n');
  const codes = ({ said }: Awaited<ReturnType<typeof nights.night>>): unknown =>
    said.files.map(({ stopped, moved_to }: { stopped: { code: string } | null; moved_to: string | null }) => [
      stopped?.code ?? null,
      moved_to,
    ]);
  const first = await nights.night();
  expect(first.code).toBe(2);
  expect(codes(first)).toEqual([
    [null, place.path('inbox/done/a.csv')],
    ['input', null],
    ['job', null],
  ]);
  const words = first.stderr.trimEnd().split('\n').slice(-3);
  expect(words[0]).toMatch(/^1 list done; 2 not: broken\.csv, row 2, .* other\.csv: .* column/);
  expect(words[2]).toMatch(/ nightly night\.yaml --json$/);
  const bad = ['broken.csv', 'other.csv'];
  expect(nights.files()).toEqual({ inbox: bad, done: ['a.csv', 'a.enriched.csv'] });
  const second = await nights.night();
  expect([second.code, codes(second)]).toEqual([
    2,
    [
      ['input', null],
      ['job', null],
    ],
  ]);
  expect(await nights.desk.requests()).toBe(1);
});

test('a night tells its end to whom the accounts file names, and tells it again after kill -9', async () => {
  let isHeld = true;
  const told = await receiver((response) => (isHeld ? undefined : void response.end()));
  const nights = await openNightDesk();
  nights.writeJob('notify: { to: team, on: [end] }');
  nights.drop('a.csv', 'a', 2);
  const refused = await nights.night();
  expect({ code: refused.code, stopped: refused.said.stopped.code }).toEqual({ code: 2, stopped: 'job' });
  expect(refused.stderr).toContain('notify.to: there is no "team" under notify in ');
  nights.desk.place.writeNames({ notify: { team: { webhook: told.url } } });
  const coming = told.next();
  const night = startRowonce(['nightly', 'night.yaml'], {
    cwd: nights.desk.place.folder,
    env: nights.desk.environment(),
  });
  await coming;
  night.kill('SIGKILL');
  await once(night, 'close');
  isHeld = false;
  const next = await nights.night();
  expect(next.code).toBe(0);
  const keys = told.received.map(({ key }) => key);
  expect(keys.length).toBeGreaterThanOrEqual(2);
  expect(new Set(keys).size).toBe(1);
  expect(told.received.at(-1)?.body).toMatchObject({ kind: 'end', job: 'night', counts: { matched: 2 } });
  const more = told.received.length;
  expect((await nights.night()).code).toBe(0);
  expect(told.received).toHaveLength(more);
});

test('budgets of the account and the day end the sweep for that account', async () => {
  const nights = await openNightDesk();
  const { place } = nights.desk;
  nights.writeJob('', { budget: 0 });
  place.writeAccount(place.vendor.url, { budget: { per_day: 2 } });
  nights.drop('a.csv', 'a', 3);
  nights.drop('b.csv', 'b', 3);
  const { code, said } = await nights.night();
  expect(code).toBe(4);
  expect(said).toMatchObject({
    files: [{ stopped: { code: 'account_budget' } }],
    left: [{ file: place.path('inbox/b.csv') }],
  });
  expect(said.stopped.message).toMatch(/^0 lists done, 1 left \(b\.csv\); 1 not: a\.csv: /);
  expect(await place.vendor.book()).toMatchObject({ credits: 2 });
  // What is not finished is nowhere but in the inbox.
  expect(nights.files()).toEqual({ inbox: ['a.csv', 'b.csv'], done: [] });
  place.writeAccount(place.vendor.url, { budget: { per_day: 9 } });
  expect((await nights.night()).code).toBe(0);
  expect(nights.files()).toEqual({
    inbox: [],
    done: ['a.csv', 'a.enriched.csv', 'b.csv', 'b.enriched.csv'],
  });
  expect(happenedTo(place, 'a')).toEqual(['stopped', 'went on']);
});

test.each<[string, string, string, (nights: NightDesk) => void]>([
  [
    'a job without an inbox',
    'job',
    'night.yaml has no inbox',
    ({ desk }) =>
      writeFileSync(desk.place.path('night.yaml'), 'operation: enrich-company\nbudget: { credits: 1 }\n'),
  ],
  [
    'no limit at all',
    'consent',
    'night.yaml has no budget, and account data has none per day, so a sweep would have no limit.',
    (nights) => nights.writeJob('', { budget: 0 }),
  ],
  [
    'a job that changes the service, which somebody has to agree to',
    'consent',
    'night.yaml changes the service of account data, and a sweep cannot ask you.',
    ({ desk: { place } }) => {
      place.writeAccount(place.vendor.url, { vendor: 'service', organization_id: 'org-1' });
      writeFileSync(place.path('night.yaml'), 'operation: onboard\ninbox: ./inbox\n');
    },
  ],
  [
    'one inbox for two jobs',
    'job',
    'other.yaml and ',
    (nights) => nights.writeJob('', { name: 'other.yaml' }),
  ],
])(
  'what is wrong before the first file is said at once, and nothing is sent: %s',
  async (_, code, message, prepare) => {
    const nights = await openNightDesk();
    nights.writeJob('', { name: 'other.yaml', inbox: 'other' });
    nights.drop('a.csv', 'a', 1);
    prepare(nights);
    const refused = await nights.sweep(['night.yaml', 'other.yaml']);
    expect(refused.code).toBe(2);
    expect(refused.said.stopped).toMatchObject({ code, message: expect.stringContaining(message) });
    expect(await nights.desk.requests()).toBe(0);
  },
);

/** In windows-1251, which nothing in the file says. */
const CYRILLIC = Buffer.from(
  'domain,Name\nacme.example,\xd0\xee\xec\xe0\xf8\xea\xe0 \xcc\xee\xf1\xea\xe2\xe0\n',
  'latin1',
);

test('a sweep names no flag that only a run of its list takes', async () => {
  const nights = await openNightDesk();
  writeFileSync(nights.desk.place.path('inbox/a.csv'), CYRILLIC);
  const { said } = await nights.sweep(['night.yaml']);
  expect(said.files[0]?.stopped).toMatchObject({
    code: 'input',
    message: expect.stringContaining('in which encoding'),
  });
  expect(said.files[0]?.stopped).not.toHaveProperty('choices');
});

const stopOf = (code: StopCode, message = 'x') => stopShown({ code, message, next: 'x' });
const worstExit = (...codes: readonly StopCode[]): number =>
  exitOf(worstOf(codes.map((code) => stopOf(code)))?.code ?? 'bug');

test.each<[StopCode, StopCode]>([
  ['interrupted', 'key'],
  ['terminated', 'key'],
  ['key', 'input'],
  ['disk_full', 'budget'],
  ['input', 'vendor_credits'],
  ['account_budget', 'paused'],
  ['busy', 'paused'],
])('%s outranks %s, whichever came first', (worse, better) => {
  expect(worstExit(better, worse)).toBe(exitOf(worse));
  expect(worstExit(worse, better)).toBe(exitOf(worse));
});
