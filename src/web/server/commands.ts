import { stat } from 'node:fs/promises';
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { stop, suggestion } from '../../core/errors.ts';
import { familyNames, OPERATIONS, shippedDialect } from '../../core/families.ts';
import { present } from '../../core/objects.ts';
import { foreignName } from '../../core/plain-text.ts';
import { stepNames } from '../../core/steps.ts';
import { isCurl } from '../../lib/command-line.ts';
import { checkInput } from '../../lib/yaml/schema-problem.ts';
import { chooseJob } from '../../run/choose.ts';
import { type FoundBatch, findBatch } from '../../run/open-ledger.ts';
import { chooseStore } from '../../run/store-choice.ts';
import { ListJob, type WorkAnswer } from '../api.ts';
import { bodyOf } from './answers.ts';
import { askChild, type ProgressListener } from './child.ts';
import { type KeptList, keptCopy, keptList, writeListJob } from './list-files.ts';
import type { Given, PageCommand, Server } from './server.ts';
import { workView } from './work.ts';

/**
 * `POST /api/COMMAND` takes the input of a command, and answers with the object that it prints under
 * `--json`. One that writes or takes long is a process of its own. One that spends or changes goes on when no
 * one waits for it, so its answer is the work that has begun, and `/api/tasks` says how it goes.
 */

/**
 * The plan of a list up to this size is made in this process, in less than a tenth of the time that a process
 * takes to start. A longer one would keep other requests waiting.
 */
const SHORT_BYTES = 64 * 1024;

export function commandRoutes(server: Server): Hono {
  const app = new Hono();
  for (const command of server.commands)
    app.post(`/${command.name.replace(' ', '/')}`, async (context) =>
      context.json(await answerOf(context, server, command)),
    );
  return app;
}

type FileOf = (list: KeptList) => Promise<string>;

async function answerOf(context: Context, server: Server, command: PageCommand): Promise<object> {
  // A command checks its input by its own schema.
  const given = await bodyOf(context, z.looseObject({ key: z.string().optional() }));
  if (command.work === undefined) return command.call(given);
  // A job in words of its own has no name yet. Its words have a schema of their own.
  command.check(given.job instanceof Object ? { ...given, job: 'its own' } : given);
  const { key, ...input } = given;
  if (isLineOfCurl(given.job)) {
    const order = lineOrder(server, command, key ? { ...input, key_stdin: true } : input);
    return {
      work: workView(server, server.work.start({ ...order, ...present({ key }) })),
    } satisfies WorkAnswer;
  }
  const isLook = command.work === 'long' || given.dry_run === true;
  const fileOf: FileOf = async (list) => (isLook ? list.path : keptCopy(server, list));
  const order = await namedIn(server, command, key ? { ...input, key_stdin: true } : input, fileOf);
  if (isLook) {
    const { words, here } = order;
    const { signal } = context.req.raw;
    const answer = await server.readings.during(
      order.about,
      (onProgress) => here?.(onProgress) ?? askChild(server.program, words, key, signal, onProgress),
    );
    server.plans.keep(answer);
    return answer;
  }
  return { work: workView(server, server.work.start(order)) } satisfies WorkAnswer;
}

const isLineOfCurl = (job: unknown): job is string => typeof job === 'string' && isCurl(job);

/** A vendor's line of curl is no job, and may have a key in it, so that its work is known by the account. */
function lineOrder(server: Server, command: PageCommand, input: Given) {
  const { location: store } = chooseStore(server.store, false);
  return { words: [...command.wordsFor(input), '--store', store], store, about: String(input.account) };
}

/**
 * What the entries of a request stand for: the words for a process, which have paths of this machine, and the
 * same as a call `here`, in this process, where that is short.
 * @throws StopError `usage` for a job or a batch that is not there, HttpRefusal 404 for a list.
 */
async function namedIn(server: Server, command: PageCommand, given: Given, fileOf: FileOf) {
  const input: Record<string, unknown> = { ...given };
  let list: KeptList | undefined;
  let batch: FoundBatch | undefined;
  for (const [entry, meaning] of command.entries) {
    const word = given[entry];
    if (typeof word !== 'string') continue;
    if (meaning === 'shipped' && shippedDialect(word) === undefined)
      throw stop('usage', `There is no vendor ${foreignName(word)}.`, 'Choose one.');
    if (meaning === 'list') {
      list = await keptList(server, word);
      input[entry] = await fileOf(list);
    }
    if (meaning === 'batch') {
      batch = await findBatch(word, server.store);
      input[entry] = batch.batch.id;
    }
  }
  const jobs = await jobsIn(server, command, given, list);
  Object.assign(input, jobs?.entries);
  const store = jobs?.store ?? batch?.location ?? server.store;
  const about = list?.id ?? batch?.batch.id ?? String(given.job ?? given.jobs);
  const words = [...command.wordsFor(input), ...(store === undefined ? [] : ['--store', store])];
  const here = await callOf(command, list, input, store);
  return { words, store: store ?? server.folder, about, ...present({ here }) };
}

/** Undefined for what takes a process of its own. */
async function callOf(
  command: PageCommand,
  list: KeptList | undefined,
  input: Given,
  store: string | undefined,
) {
  const isLong = list === undefined || (await stat(list.path)).size > SHORT_BYTES;
  if (command.work !== 'long' || isLong) return undefined;
  return (onProgress: ProgressListener): Promise<object> =>
    command.call(input, { ...present({ store }), onProgress });
}

/** The jobs by their paths or names, and the store of what they spend. */
async function jobsIn(server: Server, command: PageCommand, given: Given, list: KeptList | undefined) {
  const isOfJob = (meaning: string): boolean => meaning === 'job' || meaning === 'jobs';
  const [entry = '', meaning] = [...command.entries].find(([, each]) => isOfJob(each)) ?? [];
  const jobs: string[] = [];
  for (const word of [given[entry] ?? []].flat()) jobs.push(await jobIn(server, command.name, word, list));
  const [job] = jobs;
  if (job === undefined) return undefined;
  const chosen = typeof given.account === 'string' ? { account: given.account } : {};
  const { account } = await chooseJob({ job, entries: chosen });
  const { location } = chooseStore(server.store, account.sandbox);
  return { entries: { [entry]: meaning === 'jobs' ? jobs : job }, store: location };
}

/** A name of operations, or the path of a job. One in words of its own becomes a file beside its list. */
async function jobIn(
  { sweeps: { jobs } }: Server,
  command: string,
  word: unknown,
  list: KeptList | undefined,
): Promise<string> {
  if (typeof word === 'string') {
    const operations = await familyNames(OPERATIONS);
    if (stepNames(word).every((name) => operations.includes(name))) return word;
    const path = jobs.get(word);
    if (path !== undefined) return path;
    const next = suggestion(word, [...jobs.keys(), ...operations]);
    throw stop('usage', `There is no job ${foreignName(word)} on this page.`, next);
  }
  if (list !== undefined) return writeListJob(list, checkInput(`${command}: job`, ListJob, word));
  throw stop(
    'usage',
    'A job that comes with the request needs a list.',
    'Name a list, or a job of this page.',
  );
}
