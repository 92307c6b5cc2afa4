/**
 * Goal: what a list would cost is seen before anything is agreed to, what was agreed to is what is started, once, and the
 * command line would do the same by the same file.
 * Method: raw requests to a real `rowonce serve` before a vendor that keeps a book.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Desk, type JsonResult, openDesk } from '../cli/desk.ts';
import { TeamWorkplace } from '../faults/team-workplace.ts';
import type { Workplace } from '../faults/workplace.ts';
import { ask, servedIn } from './scene.ts';
import type { Served } from './served.ts';

const LIST = '0123456789abcdef';
const AS_BROUGHT = { bytes: 1, sha256: '', atMs: 0 };

/** A page that is served for a workplace, and a tool that has its token. */
class Page {
  readonly served: Served;
  readonly folder: string;

  constructor(served: Served) {
    this.served = served;
    this.folder = join(served.folder, 'store');
  }

  static async at(place: Workplace): Promise<Page> {
    return new Page(await servedIn(place.folder));
  }

  /** Uploads nothing: the list is where an upload puts it. */
  async list(id: string, text: string, read: object = {}): Promise<void> {
    const place = join(this.folder, 'lists', id);
    await mkdir(place, { recursive: true });
    await writeFile(join(place, 'list.csv'), text);
    await writeFile(
      join(place, 'list.json'),
      JSON.stringify({
        name: `${id} leads.csv`,
        file: 'list.csv',
        ...AS_BROUGHT,
        reading: { read, repair: false },
      }),
    );
  }

  ask(method: string, path: string, body?: object): Promise<JsonResult> {
    return ask(this.served, method, path, body);
  }

  /** The work and its batch, when the work has ended. */
  async ended(work: string): Promise<JsonResult> {
    for (;;) {
      const answer = await this.ask('GET', `/tasks/${work}`);
      if (answer.work.state === 'ended') return answer;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

async function servedDesk(): Promise<{ desk: Desk; page: Page }> {
  const desk = await openDesk();
  const page = await Page.at(desk.place);
  desk.list(6);
  await page.list(LIST, await desk.read('list.csv'));
  return { desk, page };
}

const COMPANIES = { what: { operation: 'enrich-company' } };

test('what a dialect sends otherwise is shown, nothing starts before it is agreed to, and that holds for every command', async () => {
  const { desk, page } = await servedDesk();
  desk.place.writeDialect({ headers: { 'x-team': 'a' } });
  desk.place.writeAccount(desk.place.vendor.url, { dialect: 'dialect.yaml' });
  const planned = (): Promise<JsonResult> => page.ask('POST', '/plans', { list: LIST, choices: COMPANIES });
  const plan = await planned();
  expect(plan.to_agree.details).toEqual(['headers.x-team: "a", which is not built in']);
  const start = { plan: plan.id, budget: 9 };
  expect(await page.ask('POST', '/starts', start)).toMatchObject({ error: { code: 'consent' } });
  const other = { plan: plan.id, agreement: `dialect:${'0'.repeat(32)}` };
  expect(await page.ask('POST', '/agreements', other)).toMatchObject({ error: { code: 'plan' } });
  const agreed = { plan: plan.id, agreement: plan.to_agree.agreement };
  expect(await page.ask('POST', '/agreements', agreed)).toMatchObject({ kept: true });
  const next = await planned();
  expect(next.to_agree).toBeUndefined();
  const { id } = await page.ask('POST', '/starts', { plan: next.id, budget: 9 });
  await page.ended(id);
  expect(await desk.requests()).toBe(6);
});

test('for a team the plan is the diff, and people are removed only when that was typed', async () => {
  await using team = await TeamWorkplace.open();
  const page = await Page.at(team.place);
  const sheet = (...names: readonly string[]): string =>
    `Email,Project,Role\n${names.map((name) => `${name}@acme.example,proj-9,viewer\n`).join('')}`;
  const choices = {
    what: { operation: 'onboard' },
    columns: { email: 'Email', role: 'Role', project_id: 'Project' },
    remove_missing: true,
  };
  await page.list(LIST, sheet('jo', 'al'));
  const plan = await page.ask('POST', '/plans', { list: LIST, choices });
  expect(plan).toMatchObject({ is_change: true, actions: { invite: 2 }, confirm: null, needs_budget: false });
  const { work } = await page.ended((await page.ask('POST', '/starts', { plan: plan.id })).id);
  expect(work.exit_code).toBe(0);

  await page.list(LIST, sheet('jo', 'bo'));
  const guarded = await page.ask('POST', '/plans', { list: LIST, choices });
  expect(guarded.changes).toMatchObject([
    { action: 'remove', beyond: true, email: 'al@acme.example', project: 'proj-9' },
    { action: 'invite', email: 'bo@acme.example' },
    { action: 'unchanged' },
  ]);
  expect(guarded.confirm).toBe('remove 1 person');
  expect(await page.ask('POST', '/starts', { plan: guarded.id })).toMatchObject({ error: { code: 'guard' } });

  const allowed = { list: LIST, choices: { ...choices, guards: { max_removals: 1 } } };
  const removal = await page.ask('POST', '/plans', allowed);
  const untyped = await page.ask('POST', '/starts', { plan: removal.id, typed: 'remove' });
  expect(untyped.error).toMatchObject({ code: 'consent', next: 'Type "remove 1 person" to agree.' });
  const order = { plan: removal.id, typed: 'remove 1 person' };
  const removed = await page.ended((await page.ask('POST', '/starts', order)).id);
  expect(removed.work.exit_code).toBe(0);
});
