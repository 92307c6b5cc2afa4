/**
 * Goal: a package that nobody has agreed to is asked about on the page, where a list is planned, and its
 * code does not run before the yes.
 * Method: the page's server in this process, with the sample package, whose entry notes that it ran; requests of the page's own API.
 */
import { appendFileSync, cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openPage } from '../../src/web/serve.ts';
import { type JsonResult, openDesk } from '../cli/desk.ts';
import { PROGRAM } from '../cli/rowonce.ts';

const NAME = 'rowonce-work-email';
const SAMPLE = join(import.meta.dirname, '..', '..', 'fixtures', 'packages', NAME);

async function deskWithPackage() {
  const desk = await openDesk({ matchRate: 1 });
  const at = (path: string): string => desk.place.path(path);
  cpSync(SAMPLE, at(`node_modules/${NAME}`), { recursive: true });
  appendFileSync(
    at(`node_modules/${NAME}/index.js`),
    `\nimport { writeFileSync } from 'node:fs';\nwriteFileSync(${JSON.stringify(at('ran'))}, '');\n`,
  );
  const accounts = JSON.parse(await readFile(at('config/accounts.yaml'), 'utf8'));
  writeFileSync(at('config/accounts.yaml'), JSON.stringify({ ...accounts, packages: [NAME] }));
  vi.stubEnv('ROWONCE_CONFIG', at('config'));
  vi.stubEnv('XDG_STATE_HOME', at('state'));
  onTestFinished(() => void vi.unstubAllEnvs());
  return { at };
}

const OPTIONS = { port: 0, version: '0', timeZone: undefined, script: PROGRAM, tell() {} };

async function pageAt(store: string, more: Pick<Parameters<typeof openPage>[0], 'jobs' | 'answers'>) {
  const opened = await openPage({ ...OPTIONS, ...more, store });
  if (opened.kind !== 'started') throw new Error(opened.kind);
  onTestFinished(async () => void (await opened.page.close()));
  const { url, token } = JSON.parse(await readFile(join(store, 'serve.json'), 'utf8'));
  return async (method: string, path: string, body?: object | string): Promise<JsonResult> => {
    const sent = body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) };
    const headers = { authorization: `Bearer ${token}` };
    return (await fetch(`${url}/api${path}`, { method, headers, ...sent })).json() as Promise<JsonResult>;
  };
}

test('a list whose job names a package is planned once it is agreed to on the page', async () => {
  const { at } = await deskWithPackage();
  const ask = await pageAt(at('store'), { jobs: [] });
  mkdirSync(at('store/jobs'));
  writeFileSync(at('store/jobs/people.yaml'), `operation: ${NAME}\naccount: data\n`);
  const { id } = await ask('PUT', '/lists?name=people.csv', 'email\njo@acme.example\n');
  expect((await ask('GET', `/lists/${id}/ways`)).jobs).toEqual([
    { name: 'people', operation: null, account: null, problem: null },
  ]);
  const plan = { list: id, choices: { what: { job: 'people' } } };
  const { error } = await ask('POST', '/plans', plan);
  expect(error).toMatchObject({ code: 'consent', to_agree: { fact: expect.stringContaining(NAME) } });
  const { agreement } = error.to_agree;
  const other = { list: id, agreement: `package:${'0'.repeat(32)}` };
  expect(await ask('POST', '/agreements', other)).toMatchObject({ error: { code: 'plan' } });
  expect(existsSync(at('ran'))).toBe(false);
  expect(await ask('POST', '/agreements', { list: id, agreement })).toEqual({ kept: true });
  expect(await ask('POST', '/plans', plan)).toMatchObject({ to_buy: 1, operation: `${NAME}@1` });
  expect(existsSync(at('ran'))).toBe(true);
});

test('a page does not begin with an unagreed package', async () => {
  const { at } = await deskWithPackage();
  const about = `operation: ${NAME}\naccount: data\nbudget: { credits: 9 }\n`;
  writeFileSync(at('night.yaml'), `${about}inbox: inbox\nschedule: "0 2 * * *"\n`);
  const jobs = [at('night.yaml')];
  const refused = await openPage({ ...OPTIONS, jobs, store: at('store') }).catch((error) => error);
  expect(refused).toMatchObject({ code: 'consent', answers: [expect.stringMatching(/^package:/)] });
  expect(existsSync(at('ran'))).toBe(false);
  await pageAt(at('store'), { jobs, answers: { accept: refused.answers[0] } });
});
