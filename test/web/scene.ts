import { hostname, userInfo } from 'node:os';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import type { WorkView } from '../../src/web/api.ts';
import type { Desk, JsonResult } from '../cli/desk.ts';
import { openTab } from './browser.ts';
import { openBrowser } from './chromium.ts';
import { Served } from './served.ts';

/** With what the tests of this room begin: a page, who asks it, and a browser before it. */

/** A page of the running test alone: in a folder of its own, or in one that stays when the test ends. */
export async function servedIn(
  cwd?: string,
  env: Readonly<Record<string, string>> = {},
  words: readonly string[] = [],
): Promise<Served> {
  const served = await Served.startWarm(words, { env, ...(cwd === undefined ? {} : { cwd }) });
  onTestFinished(async () => {
    if (cwd === undefined) await served[Symbol.asyncDispose]();
    else await served.leave();
  });
  return served;
}

/** What the API answers to a tool, behind the status of the answer. */
export async function ask(
  served: Served,
  method: string,
  path: string,
  body?: string | object,
): Promise<JsonResult> {
  const sent = typeof body === 'object' ? JSON.stringify(body) : body;
  const answer = await served.tool(`/api${path}`, { method, ...(sent === undefined ? {} : { body: sent }) });
  return { status: answer.status, ...JSON.parse(answer.body) };
}

/** One for all files of a worker, which ends with it: to open one takes longer than many a test. */
let browser: Promise<Browser> | undefined;

/** A browser for the tests of a file. @returns what opens a tab in it, which ends with its test. */
export function useBrowser() {
  return async (served: Served, path: string, options: BrowserContextOptions = {}): Promise<Page> => {
    browser ??= openBrowser();
    const page = await openTab(await browser, served, { path, ...options });
    onTestFinished(async ({ task }) => {
      const isFailed = task.result?.state === 'fail';
      const shown = isFailed ? await page.locator('body').innerText() : '';
      await page.context().close();
      // Reported behind the failure, where a log that is kept from its end still has it.
      if (isFailed) throw new Error(`The page showed:\n${shown}`);
    });
    return page;
  };
}

/** Chooses a file as a person does. */
export async function chooseFile(page: Page, file: string): Promise<void> {
  const choosing = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Choose a file' }).click();
  await (await choosing).setFiles(file);
}

/** Brings a list to the page. @returns its id. */
export async function brought(served: Served, name: string, body: string): Promise<string> {
  return (await ask(served, 'PUT', `/lists?name=${encodeURIComponent(name)}`, body)).id;
}

/** Starts a command that goes on by itself. @returns what it prints, once it has ended. */
export async function worked(served: Served, name: string, input: object): Promise<JsonResult> {
  const { status, work } = await ask(served, 'POST', `/${name}`, input);
  expect(status, name).toBe(200);
  return endOf(served, work.id);
}

/** A list that was brought to the page, and the desk with its account and the vendor's book. */
export interface OnPage {
  readonly desk: Desk;
  readonly served: Served;
  readonly list: string;
}

/** Starts the list as it is now, as the page does: by its plan. @returns what the command has printed. */
export async function started(
  { served, list }: Pick<OnPage, 'served' | 'list'>,
  job: object,
  how: object = {},
): Promise<JsonResult> {
  const { id: plan } = await ask(served, 'POST', '/plan', { file: list, job });
  return worked(served, 'run', { file: list, job, plan, budget: 1000, ...how });
}

/** What work of the page prints, once it has ended. */
export async function endOf(served: Served, id: string): Promise<JsonResult> {
  const told = () => ask(served, 'GET', `/tasks/${id}`);
  await expect.poll(async () => (await told()).work.state, { timeout: 120_000 }).toBe('ended');
  return (await told()).result;
}

/** The last command that the page has started, once all have ended. */
export async function lastWork(served: Served): Promise<WorkView> {
  const works = async (): Promise<readonly WorkView[]> => (await ask(served, 'GET', '/tasks')).work;
  await expect.poll(async () => (await works()).every(({ state }) => state === 'ended')).toBe(true);
  const last = (await works()).at(-1);
  if (last === undefined) throw new Error('Nothing was started');
  return last;
}

/** What no sentence of the page has: a flag, a path of a machine, or a word for a terminal. */
export const TERMINAL =
  /(?<![\w-])--[a-z]|\byaml\b|`|\bdocs\/|\bjson\b|\bstatus \d|(?-i:\browonce) (?!serve\b)|(?:^|\s)\/[a-z]+\/|\bcommands?\b/i;

/** Who works here, as the page calls a person who gives no name: the owner of the system is none. */
export const PERSON = userInfo().username.replace(/^root$/, 'this computer');

/** The same, where it is said at which computer. */
export const AT_WORK =
  PERSON === 'this computer' ? `the computer ${hostname()}` : `${PERSON} on ${hostname()}`;
