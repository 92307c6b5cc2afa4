import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { stop } from '../../core/errors.ts';
import { OPERATIONS, shippedDialect } from '../../core/families.ts';
import { familyNames } from '../../core/family.ts';
import { suggestion } from '../../core/nearest.ts';
import { present } from '../../core/objects.ts';
import { foreignName } from '../../core/plain-text.ts';
import { stepNames } from '../../core/steps.ts';
import { checkInput } from '../../lib/checked-input.ts';
import { besideFile, nameParts } from '../../lib/file-name.ts';
import { choose } from '../../run/choose.ts';
import { type FoundBatch, findBatch } from '../../run/open-ledger.ts';
import { chooseStore } from '../../run/store-choice.ts';
import { ListJob, type WorkAnswer } from '../api.ts';
import { bodyOf } from './answers.ts';
import { askChild } from './children.ts';
import { type Downloads, outputName } from './downloads.ts';
import { findList, type KeptList } from './list-files.ts';
import { writeListJob } from './list-job.ts';
import { keepAsRead, writeWaiting } from './list-mends.ts';
import { isAtWorkOn } from './lists.ts';
import type { PageCommand, Server } from './server.ts';

/**
 * `POST /api/COMMAND` takes the input of a command, and answers with the object that it prints under
 * `--json`. A command that writes or takes long is a process of its own. One that spends or changes goes on
 * when nobody waits for it, so its answer is the work that has begun, and `/api/tasks` says how it goes.
 */

/** Any object: a command checks its input by its own schema. */
const Anything = z.looseObject({});

export function commandRoutes(server: Server, downloads: Downloads): Hono {
  const app = new Hono();
  for (const command of server.commands)
    app.post(`/${command.name.replace(' ', '/')}`, async (context) => {
      const given = await bodyOf(context, Anything);
      if (command.work === undefined) return context.json(await command.call(given));
      // A job in words of its own has no name yet. Its words have a schema of their own.
      command.check(given.job instanceof Object ? { ...given, job: 'its own' } : given);
      const named = await namedIn(server, command, given);
      return context.json(await answerOf(context, { server, downloads, command, named }));
    });
  return app;
}

/** The things for which the entries of a request stand. */
interface ResolvedInput {
  /** The input for the process, with paths of this machine. */
  readonly input: Readonly<Record<string, unknown>>;
  readonly lists: readonly KeptList[];
  readonly batch?: FoundBatch;
  readonly key?: string;
  /** Left out: any store will do, such as for a merge. */
  readonly store?: string | undefined;
  readonly about: string;
}

/** @throws StopError `usage` for a list, a job or a batch that is not there. */
async function namedIn(
  server: Server,
  command: PageCommand,
  { key, ...given }: Readonly<Record<string, unknown>>,
): Promise<ResolvedInput> {
  const input: Record<string, unknown> = { ...given };
  const wordsOf = (is: string): readonly (readonly [entry: string, word: string])[] =>
    [...command.entries].flatMap(([entry, meaning]) => {
      const word = given[entry];
      return meaning === is && typeof word === 'string' ? [[entry, word] as const] : [];
    });
  const lists: KeptList[] = [];
  for (const [entry, word] of wordsOf('list')) {
    const list = await listNamed(server, command.name, word);
    lists.push(list);
    input[entry] = list.path;
  }
  let batch: FoundBatch | undefined;
  for (const [entry, word] of wordsOf('batch')) {
    batch = await findBatch(word, server.store);
    input[entry] = batch.batch.id;
  }
  for (const [entry, word] of wordsOf('shipped'))
    if (shippedDialect(word) === undefined)
      throw stop(
        'usage',
        `${command.name}: ${entry}: there is no vendor ${foreignName(word)}.`,
        'Choose one.',
      );
  if (typeof key === 'string') input.key_stdin = true;
  const jobs = await jobsIn(server, command, given, lists);
  Object.assign(input, jobs?.entries);
  const store = jobs?.store ?? batch?.location ?? server.store;
  const about = lists[0]?.id ?? batch?.batch.id ?? String(given.job ?? given.jobs);
  return { input, lists, store, about, ...present({ batch, key: key as string | undefined }) };
}

/** The jobs by their paths or names, and the store of what they spend. */
async function jobsIn(
  server: Server,
  { name: command, entries }: PageCommand,
  given: Readonly<Record<string, unknown>>,
  lists: readonly KeptList[],
) {
  const [entry, is] = [...entries].find(([, meaning]) => meaning === 'job' || meaning === 'jobs') ?? [];
  const words = entry === undefined ? [] : [given[entry] ?? []].flat();
  const named: string[] = [];
  for (const word of words) named.push(await jobIn(server, command, word, lists));
  const [first] = named;
  if (entry === undefined || first === undefined) return undefined;
  const chosen = typeof given.account === 'string' ? { account: given.account } : {};
  const { account } = await choose({ job: first, entries: chosen });
  const store = chooseStore(server.store, account.sandbox).location;
  return { entries: { [entry]: is === 'jobs' ? named : first }, store };
}

/** The list, with the mends that have waited for the end of a run. */
async function listNamed(server: Server, command: string, word: string): Promise<KeptList> {
  const list = await findList(server, word);
  if (list === undefined)
    throw stop(
      'usage',
      `${command}: there is no list ${word}.`,
      'Bring it by PUT /api/lists, whose answer has its id.',
    );
  if (!isAtWorkOn(server, list)) await writeWaiting(list);
  return list;
}

/** The name or the path of a job. A job in words of its own becomes a file beside its list. */
async function jobIn(
  server: Server,
  command: string,
  word: unknown,
  [list]: readonly KeptList[],
): Promise<string> {
  if (typeof word === 'string') return jobNamed(server, command, word);
  if (list !== undefined) return writeListJob(list, checkInput(`${command}: job`, ListJob, word));
  throw stop('usage', `${command}: a job in words of its own needs a list.`, 'Name the job of a file.');
}

/** The name of an operation, or of several; else the path of a job with which the page was started. */
async function jobNamed({ sweeps: { jobs } }: Server, command: string, word: string): Promise<string> {
  const operations = await familyNames(OPERATIONS);
  if (stepNames(word).every((name) => operations.includes(name))) return word;
  const path = jobs.get(word);
  if (path !== undefined) return path;
  const next = suggestion(word, [...jobs.keys(), ...operations]);
  throw stop('usage', `${command}: there is no job ${foreignName(word)} on this page.`, next);
}

interface CommandRequest {
  readonly server: Server;
  readonly downloads: Downloads;
  readonly command: PageCommand;
  readonly named: ResolvedInput;
}

async function answerOf(context: Context, asked: CommandRequest): Promise<object> {
  const { server, command, named } = asked;
  if ([...command.entries.values()].includes('ticket')) return withTickets(asked);
  const words = wordsOf(asked);
  if (command.work === 'long')
    return askChild(server.program, words, named.key, context.req.raw.signal) as Promise<object>;
  if (named.input.dry_run === true) return askChild(server.program, words) as Promise<object>;
  for (const list of named.lists) await keepAsRead(list);
  const work = server.work.start({
    words,
    store: named.store ?? server.folder,
    about: named.about,
  });
  return { work } satisfies WorkAnswer;
}

function wordsOf(
  { command, named: { input, store } }: CommandRequest,
  more: readonly string[] = [],
): readonly string[] {
  return [...command.wordsFor(input), ...more, ...(store === undefined ? [] : ['--store', store])];
}

/** Writes a copy for the download. The batch's own output stays as it is. */
async function withTickets(asked: CommandRequest): Promise<object> {
  const { server, downloads, named } = asked;
  const { batch, lists } = named;
  const name = batch === undefined ? mergedName(lists.at(-1)?.name ?? '') : outputName(batch);
  const copy = batch === undefined ? [] : ['--copy'];
  let printed: unknown;
  const tickets = await downloads.ticketsFor(name, async (path) => {
    printed = await askChild(server.program, wordsOf(asked, [...copy, '--output', path]));
  });
  return { ...(printed as object), tickets };
}

const mergedName = (name: string): string => besideFile(name, `.merged${nameParts(name).ending}`);
