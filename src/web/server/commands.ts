import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { stop } from '../../core/errors.ts';
import { OPERATIONS } from '../../core/families.ts';
import { familyNames } from '../../core/family.ts';
import { suggestion } from '../../core/nearest.ts';
import { present } from '../../core/objects.ts';
import { foreignName } from '../../core/plain-text.ts';
import { stepNames } from '../../core/steps.ts';
import { besideFile, nameParts } from '../../lib/file-name.ts';
import { choose } from '../../run/choose.ts';
import { type FoundBatch, findBatch } from '../../run/open-ledger.ts';
import { chooseStore } from '../../run/store-choice.ts';
import { bodyOf } from './answers.ts';
import { askChild, workIn } from './children.ts';
import { type Downloads, outputName } from './downloads.ts';
import { findList, inWordsOf, type KeptList } from './list-files.ts';
import type { PageCommand, Server } from './server.ts';

/**
 * `POST /api/COMMAND` takes the input of a command, and answers with the object that it prints under
 * `--json`. A command that spends, writes or takes long is a process of its own, which goes on when nobody
 * waits for its answer any more.
 */

/** Any object: a command checks its input by its own schema. */
const Anything = z.looseObject({});

export function commandRoutes(server: Server, downloads: Downloads): Hono {
  const app = new Hono();
  for (const command of server.commands)
    app.post(`/${command.name}`, async (context) => {
      const given = await bodyOf(context, Anything);
      if (command.work === undefined) return context.json(await command.call(given));
      command.check(given);
      const named = await namedIn(server, command, given);
      const ask = (): Promise<object> => answerOf(context, { server, downloads, command, named });
      return context.json(await named.lists.reduce((work, list) => () => inWordsOf(list, work), ask)());
    });
  return app;
}

/** The things for which the entries of a request stand. */
interface ResolvedInput {
  /** The input for the process, with paths of this machine. */
  readonly input: Readonly<Record<string, unknown>>;
  readonly lists: readonly KeptList[];
  readonly batch?: FoundBatch;
  /** Left out: any store will do, such as for a merge. */
  readonly store?: string | undefined;
  readonly about: string;
}

/** @throws StopError `usage` for a list, a job or a batch that is not there. */
async function namedIn(
  server: Server,
  { name: command, entries }: PageCommand,
  given: Readonly<Record<string, unknown>>,
): Promise<ResolvedInput> {
  const input = { ...given };
  const lists: KeptList[] = [];
  let batch: FoundBatch | undefined;
  let { store } = server;
  for (const [entry, is] of entries) {
    const word = given[entry];
    if (typeof word !== 'string') continue;
    if (is === 'list') {
      const list = await findList(server, word);
      if (list === undefined)
        throw stop(
          'usage',
          `${command}: there is no list ${word}.`,
          'Bring it by PUT /api/lists, whose answer has its id.',
        );
      lists.push(list);
      input[entry] = list.path;
    }
    if (is === 'job') {
      const job = await jobNamed(server, command, word);
      input[entry] = job;
      const { account } = await choose({ job, entries: present({ account: accountIn(given) }) });
      store = chooseStore(server.store, account.sandbox).location;
    }
    if (is === 'batch') {
      batch = await findBatch(word, server.store);
      input[entry] = batch.batch.id;
      store = batch.location;
    }
  }
  const about = lists[0]?.id ?? batch?.batch.id ?? String(given.job);
  return { input, lists, store, about, ...present({ batch }) };
}

const accountIn = ({ account }: Readonly<Record<string, unknown>>): string | undefined =>
  typeof account === 'string' ? account : undefined;

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
    return askChild(server.program, words, undefined, context.req.raw.signal) as Promise<object>;
  const { plan } = named.input;
  const { id } = server.work.start({
    kind: command.name === 'undo' ? 'undo' : 'run',
    words,
    store: named.store ?? server.folder,
    about: named.about,
    ...present({ plan: plan as string | undefined }),
  });
  return workIn(await server.work.ended(id));
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
