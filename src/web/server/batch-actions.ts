import { isAbsolute, normalize, sep } from 'node:path';
import { Hono } from 'hono';
import { withOption, withoutOption, wordsOfCommand } from '../../core/command-line.ts';
import { stop } from '../../core/errors.ts';
import { present } from '../../core/objects.ts';
import type { Batch } from '../../ledger/ledger.ts';
import { isAtWorkOn } from '../../run/hold.ts';
import { type FoundBatch, spenderAt } from '../../run/open-ledger.ts';
import { Continuation, type WorkView } from '../api.ts';
import { queryOf } from './answers.ts';
import { batchOf } from './batches.ts';
import { askChild } from './children.ts';
import type { Server } from './server.ts';
import type { Order } from './work.ts';

/** What a person does with a batch: each is a command of its own. */
export function batchActionRoutes(server: Server): Hono {
  const { work } = server;
  return new Hono()
    .post('/batches/:id/pause', async (context) =>
      context.json(paused(server, await batchOf(context, server)) satisfies WorkView),
    )
    .post('/batches/:id/resume', async (context) => {
      const found = await batchOf(context, server);
      return context.json(work.start(orderFor('resume', found)) satisfies WorkView);
    })
    .post('/batches/:id/cancel', async (context) => {
      const found = await batchOf(context, server);
      const spender = await spenderAt(found.location);
      // Only a batch on which nobody works is cancelled, so its run is stopped first.
      if (spender !== undefined && isAtWorkOn(found.batch, spender))
        await askChild(server.program, orderFor('pause', found).words);
      return context.json(work.start(orderFor('cancel', found)) satisfies WorkView);
    })
    .post('/batches/:id/continue', async (context) => {
      const { budget } = queryOf(context, Continuation);
      const found = await batchOf(context, server);
      return context.json(work.start(continued(found, budget)) satisfies WorkView);
    });
}

/** One pause at a time: a second signal would make the run leave at once, with requests in doubt. */
function paused({ work }: Server, found: FoundBatch): WorkView {
  const begun = work
    .list()
    .find(({ kind, about, state }) => kind === 'pause' && about === found.batch.id && state !== 'ended');
  return begun ?? work.start({ ...orderFor('pause', found), isUrgent: true });
}

function orderFor(kind: 'pause' | 'resume' | 'cancel', { batch, location }: FoundBatch): Order {
  return { kind, words: [kind, batch.id, '--store', location], store: location, about: batch.id };
}

const GOES_ON: ReadonlySet<string> = new Set(['run', 'undo', 'nightly']);

/** The batch's own command again, as the ledger keeps it. @param budget takes the place of the one that it names. */
function continued({ batch, location }: FoundBatch, budget: number | undefined): Order {
  const words = batch.command === undefined ? undefined : wordsOfCommand(batch.command);
  const [command = ''] = words ?? [];
  // One that has finished goes on for what was decided about its doubts, which only a run of it carries out.
  const mayGoOn = batch.state === 'open' || (batch.state === 'finished' && command === 'run');
  if (!mayGoOn || words === undefined || !GOES_ON.has(command)) {
    throw stop(
      'usage',
      `Batch ${batch.id} is ${batch.state}, and no command is known that goes on with it.`,
      'Begin a new batch over the same list: what was bought is not bought again.',
    );
  }
  const where = words.includes('--store') ? [] : ['--store', location];
  const said = words.filter((word) => word !== '--json');
  const kept = budget === undefined || command !== 'run' ? said : withOption(said, '--budget', budget);
  // It may wait in line until another tab or a command line has finished the batch.
  const again =
    command === 'run' ? withOption(withoutOption(kept, '--if-plan'), '--if-batch', batch.id) : kept;
  return {
    kind: command === 'nightly' ? 'sweep' : command === 'undo' ? 'undo' : 'run',
    words: [...again, ...where],
    store: location,
    about: batch.id,
    ...present({ cwd: typedIn(words, batch) }),
  };
}

/**
 * The folder in which the command was typed: from there one of its words names the input or the job. Undefined when none
 * does, such as when all paths are whole.
 */
function typedIn(words: readonly string[], { inputPath, settings }: Batch): string | undefined {
  const named = [inputPath, settings.job].filter(
    (path) => typeof path === 'string' && isAbsolute(path),
  ) as string[];
  for (const word of words) {
    const end = sep + normalize(word);
    const path = named.find((each) => !isAbsolute(word) && each.endsWith(end));
    if (path !== undefined) return path.slice(0, -end.length) || sep;
  }
  return undefined;
}
