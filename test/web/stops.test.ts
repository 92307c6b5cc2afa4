/**
 * Goal: whatever stops a start of the page, each button beside it does what it says: the command takes what the button posts, and the
 * list is done. No button leads back to the stop on which it stands.
 * Method: for each code of a stop that a start can meet, a real account (no play money) at a vendor on a socket, a list that is started
 * by a click in a real browser, and each button of its stop in a scene of its own.
 */
import { cpSync, renameSync, rmSync } from 'node:fs';
import type { Locator, Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { type StopCode, stopCodes } from '../../src/core/stops.ts';
import type { WorkView } from '../../src/web/api.ts';
import { type Desk, openDesk } from '../cli/desk.ts';
import { TeamWorkplace } from '../faults/team-workplace.ts';
import { domainsOf } from '../faults/workplace.ts';
import { agreeToDialects } from '../support/agree.ts';
import { some, times } from '../support/combinations.ts';
import { Gateway, type Weather } from './gateway.ts';
import { ask, brought, lastWork, servedIn, useBrowser } from './scene.ts';
import type { Served } from './served.ts';

const tabAt = useBrowser();

const LOOKUP = { operation: 'enrich-company', account: 'data' };
const TEAM = {
  operation: 'onboard',
  account: 'data',
  columns: { email: 'Email', role: 'Role', project_id: 'Project' },
};

/** A list that a stop has met, and what a person does outside of the page before a button can help. */
interface Met {
  readonly served: Served;
  readonly page: Page;
  mend(): unknown;
}

type Scene = () => Promise<Met>;

/** Why no start of the page meets the stop, or no button of it is pressed. */
type Never = string;

// ---------------------------------------------------------------------------------------------- lists of companies

interface Companies {
  readonly desk: Desk;
  readonly gateway: Gateway;
}

/** So many ask for more than one answer, and are soon over. */
const ROWS = 12;

/** A list of companies and its account, which a person has opened on the page. */
async function companies(weather?: Weather, account: object = {}) {
  const desk = await openDesk({ concurrency: 1 });
  desk.list(ROWS);
  const gateway = await Gateway.before(desk.place.vendor.url, weather);
  onTestFinished(() => gateway[Symbol.asyncDispose]());
  desk.place.writeAccount(gateway.url, account);
  return { desk, gateway };
}

async function opened({ desk }: Companies, job: object = LOOKUP) {
  const served = await servedIn(desk.place.folder, desk.environment());
  const list = await brought(served, 'list.csv', await desk.read('list.csv'));
  await ask(served, 'PUT', `/lists/${list}/job`, job);
  const page = await tabAt(served, `/lists/${list}`);
  await starting(page).and(page.locator(':enabled')).waitFor();
  return { served, list, page };
}

const starting = (page: Page) =>
  page.getByRole('button', {
    name: /^(?:Start|Start(?:,| (?:all|about|the) ?).*|Make \d+ changes?(?:, .*)?)$/,
  });

/** @param more what happens between the plan that the page shows and the click. */
async function started(at: Companies, mend: () => unknown, more: () => unknown = () => {}): Promise<Met> {
  const { served, page } = await opened(at);
  await more();
  await starting(page).click();
  return { served, page, mend };
}

/** A vendor that answers otherwise than asked, until it is well again. */
const answering = (weather: Weather) => async () => {
  const at = await companies(weather);
  return started(at, () => (at.gateway.weather = () => undefined));
};

const JSON_ANSWER = { 'content-type': 'application/json' };
const says = (status: number, body: object) => ({
  status,
  body: JSON.stringify(body),
  headers: JSON_ANSWER,
});

/** A person who accepts a series keeps the answers as they are. */
const series = (status: number, body: object) => async () =>
  started(await companies(() => says(status, body)), () => {});

/** An account with answers of its own, whose vendor is found at another address after the page was opened. */
async function movedAccount(): Promise<Met> {
  const desk = await openDesk();
  desk.list(2, 'first.csv');
  await desk.type(['run', 'enrich-company', 'first.csv', '--budget', '9']);
  desk.list(ROWS);
  const gateway = await Gateway.before(desk.place.vendor.url);
  onTestFinished(() => gateway[Symbol.asyncDispose]());
  return started(
    { desk, gateway },
    () => {},
    () => desk.place.writeAccount(gateway.url),
  );
}

async function restoredStore(): Promise<Met> {
  const at = await companies();
  const { desk } = at;
  const store = desk.place.path('store');
  desk.list(2, 'one.csv');
  desk.list(2, 'two.csv');
  await desk.type(['run', 'enrich-company', 'one.csv', '--budget', '9']);
  cpSync(store, desk.place.path('backup'), { recursive: true });
  await desk.type(['run', 'enrich-company', 'two.csv', '--budget', '9']);
  rmSync(store, { recursive: true });
  renameSync(desk.place.path('backup'), store);
  return started(at, () => {});
}

/** The dialect of another person, which is written after the plan was shown. */
async function otherDialect(): Promise<Met> {
  const at = await companies();
  const { place } = at.desk;
  return started(
    at,
    () => {},
    () => {
      place.writeDialect({ vendor: 'provider', headers: { 'x-team': 'sales' } });
      place.writeAccount(at.gateway.url, { dialect: 'dialect.yaml' });
    },
  );
}

/** A start that may spend so many credits. */
async function limitedTo(at: Companies, most: number): Promise<Met> {
  const { served, page } = await opened(at);
  await page.getByLabel('Never more than').fill(String(most));
  await starting(page).click();
  return { served, page, mend: () => {} };
}

// ---------------------------------------------------------------------------------------------------------- teams

/** A team that a tool has started on the page, as it says. @param more what the request says beside the plan. */
async function team(people: readonly string[], more?: object): Promise<Met> {
  const work = await TeamWorkplace.open();
  onTestFinished(() => work[Symbol.asyncDispose]());
  const { place } = work;
  const served = await servedIn(place.folder, { ...place.environment, ROWONCE_STORE: place.path('store') });
  const file = await brought(served, 'team.csv', `Email,Project,Role\n${people.join('\n')}\n`);
  await ask(served, 'PUT', `/lists/${file}/job`, TEAM);
  const page = await tabAt(served, `/lists/${file}`);
  if (more !== undefined) {
    const { id: plan } = await ask(served, 'POST', '/plan', { file, job: TEAM });
    await ask(served, 'POST', '/run', { file, job: TEAM, plan, ...more });
  }
  return { served, page, mend: () => {} };
}

const person = (name: string, role = 'viewer'): string => `${name}@acme.example,proj-1,${role}`;

// ---------------------------------------------------------------------------------------------------------- stops

const PLANNED_FIRST: Never = 'the plan of the same list meets it, and stands in the place of the button';
const OF_MACHINE: Never =
  'its one button repeats the command, as that of `clock` does, once the machine is mended';
const OF_EACH_VIEW: Never = 'each view reads the same store, and says so in the place of the list';

const STOPS: Readonly<Record<StopCode, Never | Readonly<Record<string, Scene>>>> = {
  usage: 'the page composes the words of a command, and the server refuses wrong ones before any work',
  job: PLANNED_FIRST,
  account: {
    'whose key is not there': async () => {
      const at = await companies(undefined, { key: undefined, key_env: 'KEY_OF_NOBODY' });
      return started(at, () => at.desk.place.writeAccount(at.gateway.url));
    },
  },
  input: PLANNED_FIRST,
  output: 'the output of a list of the page lies in a folder of ours, and what is exported is no start',
  address: {
    'that leads elsewhere': answering(() => ({ status: 301, headers: { location: '/elsewhere' } })),
  },
  answers_alike: {
    'of a vendor that refuses each row': series(422, { error: 'not supported' }),
    'that show the same facts': series(200, { name: 'Acme', industry: 'Shoes' }),
  },
  moved: { 'to another address': movedAccount },
  store: OF_EACH_VIEW,
  store_damaged: OF_EACH_VIEW,
  store_lost: { 'that was restored from an older copy': restoredStore },
  store_version: OF_EACH_VIEW,
  disk_full: OF_MACHINE,
  consent: {
    'to changes that a tool did not agree to': () => team([person('ann'), person('bob')], {}),
    'to a dialect that came after the plan': otherDialect,
  },
  unsupported: PLANNED_FIRST,
  guard: { 'of a team that a tool has started': () => team([person('ann', 'admin')], { yes: true }) },
  plan: {
    'that a terminal has moved': async () => {
      const at = await companies();
      at.desk.place.writeList(domainsOf('list.csv', 2), 'other.csv');
      const run = ['run', 'enrich-company', 'other.csv', '--budget', '9'];
      return started(
        at,
        () => {},
        () => at.desk.type(run),
      );
    },
  },
  clock: {
    'of a vendor that is a week behind': answering(() => ({
      ...says(200, { name: 'Acme' }),
      headers: { ...JSON_ANSWER, date: new Date(Date.now() - 7 * 86_400_000).toUTCString() },
    })),
  },
  system: OF_MACHINE,
  budget: { 'that is used': async () => limitedTo(await companies(), 3) },
  share: 'the page has no field for it, only the file of a job',
  account_budget: {
    'of the day': async () => {
      const at = await companies(undefined, { budget: { per_day: 3 } });
      return started(at, () => at.desk.place.writeAccount(at.gateway.url));
    },
  },
  extra_credits: 'the button that sends a doubt again allows what it says that it costs',
  vendor_credits: { 'that are used up': answering(() => says(402, { error: 'no credits left' })) },
  dearer: {
    'than the dialect says': async () => {
      const headers = { ...JSON_ANSWER, 'x-credits': '3' };
      const at = await companies((call) => ({ ...says(200, { name: `Acme ${call}` }), headers }));
      at.desk.place.writeDialect({ vendor: 'provider', credits_charged: { header: 'x-credits' } });
      at.desk.place.writeAccount(at.gateway.url, { dialect: 'dialect.yaml' });
      await agreeToDialects(at.desk.place.path('config'));
      return limitedTo(at, 100);
    },
  },
  paused:
    'a time that the vendor has said holds for each start until it is over, and the page says when that is',
  doubts: {
    'of one shape': series(200, { state: 'unbekannt' }),
    'that nobody can ask for later': async () =>
      started(await companies((call) => says(201, { requestId: `request-${call}` })), () => {}),
  },
  later: 'only a worker hands back a range whose answers come later',
  busy: 'a start waits behind whoever spends, and the page says for whom',
  key: { 'that the vendor does not take': answering(() => says(401, { error: 'no such key' })) },
  interrupted: 'nobody types Ctrl-C to what the page has started',
  terminated: {
    'by a person': async () => {
      const desk = await openDesk({ concurrency: 1, latencyMs: 300 });
      desk.list(ROWS);
      const { served, page } = await opened({ desk } as Companies);
      await starting(page).click();
      await expect.poll(() => desk.requests(), { interval: 20 }).toBeGreaterThan(0);
      const { work } = await ask(served, 'GET', '/tasks');
      await ask(served, 'POST', `/tasks/${work[0].id}/stop`);
      return { served, page, mend: () => {} };
    },
  },
};

const worksOf = async (served: Served): Promise<readonly WorkView[]> =>
  (await ask(served, 'GET', '/tasks')).work;

/** What came of the first command that the page has started. */
async function firstEnd(served: Served): Promise<WorkView> {
  await expect.poll(async () => (await worksOf(served)).length).toBe(1);
  return lastWork(served);
}

/** The buttons of the first stop of the page. A test of an account, and more words, ask for nothing of the list. */
const buttonsOf = (page: Page) =>
  page
    .locator('section.notice')
    .first()
    .getByRole('button')
    .and(page.locator(':not(:text("Test, free"), [popovertarget])'));

/** They lead to a plan, and what it shows is started then. */
const LOOKS_AGAIN = /^(?:Look at it again|Go on with the list as it is now)$/;

/** Presses a button of a stop. What it leads to look at again is started again. @returns what came of it. */
async function press({ served, page }: Met, button: Locator): Promise<StopCode | 'bug' | 'done'> {
  const { length } = await worksOf(served);
  const isToStart = LOOKS_AGAIN.test(await button.innerText());
  // A key waits for nothing, and so is pressed on what can be pressed.
  await button.and(page.locator(':enabled')).press('Enter');
  if (isToStart) await starting(page).click();
  await expect.poll(async () => (await worksOf(served)).length).toBeGreaterThan(length);
  return (await lastWork(served)).stopped?.code ?? 'done';
}

for (const code of stopCodes()) {
  const scenes = STOPS[code];
  if (typeof scenes === 'string') test.skip(`${code}: no button is pressed: ${scenes}`, () => {});
  else
    test.each(some(Object.entries(scenes), 1))(`${code} %s: each button leads on`, async (_, meet) => {
      let pressed = 0;
      for (let count = 1; pressed < count; pressed += 1) {
        const met = await meet();
        expect((await firstEnd(met.served)).stopped?.code).toBe(code);
        const buttons = buttonsOf(met.page);
        await buttons.first().waitFor();
        count = times(1, await buttons.count());
        const name = await buttons.nth(pressed).innerText();
        await met.mend();
        if (code === 'key') await met.page.getByLabel('New key').fill('key-2');
        // The page offers a few credits more: a person who wants the whole list allows as many as it costs at most.
        if (code === 'budget') await met.page.getByLabel('Credits more').fill(String(ROWS - 3));
        const ends = [await press(met, buttons.nth(pressed))];
        // An answer, or what was mended, may move the plan, which is then looked at once more.
        if (ends[0] === 'plan' && code !== 'plan') ends.push(await press(met, buttons.last()));
        expect({ name, end: ends.at(-1) }).toEqual({ name, end: 'done' });
      }
    });
}

test('a team is invited with a real account by the button that says how many are changed', async () => {
  const { served, page } = await team([person('ann'), person('bob')]);
  await starting(page).click();
  expect((await firstEnd(served)).stopped).toBeNull();
  await page.getByRole('button', { name: '2 changed' }).waitFor();
});
