/**
 * Goal: what a person types is what is done: never more is spent than somebody agreed to, scripts can rely on every
 * exit code and on one JSON object, and the same command again goes on.
 * Method: the real command without a terminal, before the sandbox as a vendor; its book says what was
 * asked and charged.
 */
import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { some } from '../support/combinations.ts';
import { type Desk, lastCommand, objectIn, openDesk } from './desk.ts';

test('a run writes the output and says what it did, what it cost and where everything is', async () => {
  const desk = await openDesk();
  desk.list(3);
  const { code, stdout, stderr } = await desk.type(desk.run());
  expect(code).toBe(0);
  const out = desk.place.path('out');
  expect(stdout).toMatch(
    new RegExp(
      `^Batch [0-9a-f]{8}, 3 rows\\n  matched {3}3\\nCredits {4}3 spent, 0 saved by asking once\\nRequests {3}3 in .*\\nOutput {5}${out}\\.csv\\nReport {5}${out}\\.report\\.html\\n$`,
    ),
  );
  expect(stderr).toMatch(/^The store .* is new, .*\nBatch [0-9a-f]{8}: 3 rows\.\n/);
  expect(desk.place.statuses()).toEqual(['matched', 'matched', 'matched']);
  expect(await desk.place.vendor.book()).toMatchObject({ requests: 3, credits: 3, charged_twice: [] });
});

describe('consent', () => {
  const unlimited = ['run', 'enrich-company', 'list.csv', '-o', 'out.csv'];

  test('off a terminal a run without a limit spends nothing and says how to give one', async () => {
    const desk = await openDesk();
    desk.list(3);
    const { code, stdout, stderr } = await desk.type(unlimited);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(
      'This run could spend up to 3 credits, and no budget of the run or the day limits it.\n',
    );
    expect(stderr).toContain(
      'Say how much it may spend with --budget 3, in the job, or per day in the account.\n',
    );
    expect(stderr.trimEnd().split('\n').at(-1), 'a command').toMatch(
      /run enrich-company list\.csv -o out\.csv.* --budget 3$/,
    );
    expect(await desk.requests()).toBe(0);
    expect(existsSync(desk.place.path('out.csv'))).toBe(false);
  });

  test.each<[string, readonly string[], (desk: Desk) => Promise<void> | void]>([
    ['--budget', [...unlimited, '--budget', '3'], () => {}],
    ['--yes, which agrees to the plan', [...unlimited, '--yes'], () => {}],
    [
      "the job's budget",
      ['run', './job.yaml', 'list.csv', '-o', 'out.csv'],
      (desk) => desk.write('job.yaml', 'operation: enrich-company\nbudget: { credits: 3 }\n'),
    ],
    [
      "the account's budget of a day",
      unlimited,
      (desk) => desk.place.writeAccount(desk.place.vendor.url, { budget: { per_day: 3 } }),
    ],
  ])('consent is given by %s', async (_, words, prepare) => {
    const desk = await openDesk();
    desk.list(3);
    await prepare(desk);
    expect(await desk.type(words)).toMatchObject({ code: 0 });
    expect(await desk.place.vendor.book()).toMatchObject({ credits: 3 });
  });

  test('consent is asked once: whoever resumes is not asked again, and what was agreed to stays the limit', async () => {
    const desk = await openDesk();
    desk.list(4);
    expect(await desk.type([...unlimited, '--yes', '--limit', '2'])).toMatchObject({ code: 0 });
    expect(await desk.type(unlimited)).toMatchObject({ code: 0 });
    expect(await desk.place.vendor.book()).toMatchObject({ credits: 4, charged_twice: [] });
    expect((await desk.json(['status', 'last'])).credits).toMatchObject({ spent: 4, budget: 4 });
  });
});

/** No store is named. */
const env = { ROWONCE_STORE: '' };

describe('a first store that nobody named', () => {
  test('a first store is made by a run in a script, which says so in its first line and in --json', async () => {
    const desk = await openDesk();
    desk.list(2);
    const path = desk.place.path('state/rowonce');
    const first = await desk.type(desk.run('--json'), { env });
    expect(first.stderr.split('\n')[0]).toBe(`The store ${path} is new, so nothing is known as bought.`);
    expect(objectIn(first.stdout).store).toEqual({ path, made: true });
    const second = await desk.type(desk.run('--json'), { env });
    expect([second.code, second.stderr.includes('is new')]).toEqual([0, false]);
    expect(objectIn(second.stdout).store).toBeUndefined();
    expect(await desk.requests()).toBe(2);
  });

  test.each<[string, string, Readonly<Record<string, string>>]>([
    ['in CI', 'In CI none is made by itself, because it may not last.', { CI: 'true' }],
    [
      'in a container',
      'In a container none is made by itself, because it may not last.',
      { container: 'podman' },
    ],
  ])(
    'a first store is not made %s, and the stop prints the command that makes it there',
    async (_, why, more) => {
      const desk = await openDesk();
      desk.list(2);
      const path = desk.place.path('state/rowonce');
      const { code, stderr } = await desk.type(desk.run(), { env: { ...env, ...more } });
      expect(code).toBe(2);
      expect(stderr).toContain(`There is no store at ${path} yet, so nothing is known as bought. ${why}`);
      expect(existsSync(path)).toBe(false);
      const pasted = lastCommand(stderr);
      expect(pasted.slice(-2)).toEqual(['--store', path]);
      const made = await desk.type(pasted, { env: { ...env, ...more } });
      expect([made.code, await desk.requests()]).toEqual([0, 2]);
    },
  );

  test.each<[string, readonly string[], Readonly<Record<string, string>>]>([
    ['a run in CI', ['run', 'enrich-company', 'list.csv', '--budget', '9'], { CI: 'true' }],
    ['nightly', ['nightly', 'night.yaml'], {}],
  ])('a run that was refused makes no store for %s', async (_, words, more) => {
    const desk = await openDesk();
    desk.list(2);
    await desk.write('night.yaml', 'operation: enrich-company\nbudget: { credits: 9 }\ninbox: ./inbox\n');
    expect(await desk.type(['run', 'enrich-company', 'list.csv'], { env })).toMatchObject({ code: 2 });
    const { code, stderr } = await desk.type(words, { env: { ...env, ...more } });
    expect([code, lastCommand(stderr)]).toEqual([2, [...words, '--store', desk.place.path('state/rowonce')]]);
    expect(await desk.requests()).toBe(0);
  });

  test("a first store is not made beside an output of another one, as in cron's other home", async () => {
    const desk = await openDesk();
    desk.list(2);
    const words = ['run', 'enrich-company', 'list.csv', '--budget', '9'];
    expect(await desk.type(words, { env })).toMatchObject({ code: 0 });
    const other = { ...env, XDG_STATE_HOME: desk.place.path('other-home') };
    const { code, stderr } = await desk.type(words, { env: other });
    expect(code).toBe(2);
    expect(stderr).toContain(`${desk.place.path('list.enriched.csv')} is an output of Rowonce, so another`);
    expect(lastCommand(stderr).slice(-2)).toEqual(['--store', desk.place.path('other-home/rowonce')]);
    expect(existsSync(desk.place.path('other-home'))).toBe(false);
    const named = await desk.type([...words, '--store', desk.place.path('state/rowonce')], { env: other });
    expect([named.code, await desk.requests()]).toEqual([0, 2]);
  });

  test.each<[string, readonly string[], string]>([
    ['nightly', ['nightly', 'night.yaml'], 'This command makes none by itself.'],
    ['serve', ['serve'], 'This command makes none by itself.'],
    ['settle', ['settle', 'last'], 'name the store that has it: --store FOLDER'],
  ])('a first store is not made by %s without a terminal', async (_, words, why) => {
    const desk = await openDesk();
    desk.list(2, 'inbox.csv');
    await desk.write('night.yaml', 'operation: enrich-company\nbudget: { credits: 9 }\ninbox: ./inbox\n');
    const { code, stderr } = await desk.type(words, { env });
    expect(code).toBe(2);
    expect(stderr).toContain(`There is no store at ${desk.place.path('state/rowonce')} yet`);
    expect(stderr).toContain(why);
    expect(existsSync(desk.place.path('state/rowonce'))).toBe(false);
  });
});

test.each<[string, number, string, readonly string[], string]>(
  some(
    [
      ['a budget that is reached', 4, 'budget', ['--budget', '1'], ''],
      ['a key that is refused', 77, 'key', [], '401:1'],
      ["the vendor's credits used up", 4, 'vendor_credits', [], '402:1'],
      ['a redirect', 2, 'address', [], '302:1'],
      ['a vendor that says "too fast" for ever', 75, 'paused', ['--max-pause', '1s'], '429:1'],
      ['a wrong number', 2, 'usage', ['--limit', 'two'], ''],
      ['an option that does not exist', 2, 'usage', ['--bugdet', '5'], ''],
      ['an output that cannot be written', 2, 'output', ['-o', 'no/such/folder/out.csv'], ''],
      ['an output that is named like a folder', 2, 'usage', ['-o', 'folder/'], ''],
    ],
    3,
  ),
)(
  '--json prints one object on stdout and nothing else there, also when it ended by %s',
  async (_, code, reason, more, faults) => {
    const desk = await openDesk({ faults });
    desk.list(2);
    const ended = await desk.type(desk.run(...more, '--json'));
    expect(ended.code).toBe(code);
    const { stopped } = objectIn(ended.stdout);
    const { next_command: command = stopped.next, ...told } = stopped;
    expect(ended.stderr.trimEnd().split('\n').at(-1)).toBe(command);
    expect(told).toEqual({
      code: reason,
      message: expect.stringMatching(/\S/),
      next: expect.stringMatching(/\S/),
      resume_at: code === 75 ? expect.stringMatching(/^20\d\d-.*Z$/) : null,
    });
    expect(ended.stderr).toContain(stopped.message);
    expect(objectIn(ended.stdout).budget_to_finish).toBe(reason === 'budget' ? 2 : undefined);
  },
);

test('--limit works on the first rows only; without it the rest is done, and nothing is bought again', async () => {
  const desk = await openDesk();
  desk.list(5);
  expect(await desk.type(desk.run('--limit', '2'))).toMatchObject({ code: 0 });
  expect(desk.place.statuses()).toEqual(['matched', 'matched', 'pending', 'pending', 'pending']);
  expect(await desk.requests()).toBe(2);
  const { stdout, stderr } = await desk.type(desk.run());
  expect(stderr).toContain('continues: 2 of 5 rows are finished.');
  expect(stdout).toContain('\nCredits    3 spent in this run, batch total 5, 0 saved by asking once\n');
  expect(desk.place.statuses()).toEqual(Array(5).fill('matched'));
  expect(await desk.place.vendor.book()).toMatchObject({ requests: 5, charged_twice: [] });
});
