import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '../../src/sandbox/random.ts';
import { anotherServer, type Server } from '../ledger/stores/postgres-server.ts';
import { FILL_VENDORS, type FillSettings, judgeFill } from './fill.ts';
import { FillCourse } from './fill-course.ts';
import { listOf } from './fill-list.ts';
import { FILL_SLOTS, FillVendors } from './finders.ts';
import { type Lane, requireCode, type Tally } from './kills.ts';
import { rowsEndedOf, viewDatabase } from './ledger-view.ts';
import type { Program } from './program.ts';
import { Workplace } from './workplace.ts';

/**
 * A list whose blanks workers fill over one database, while they are killed and others begin in the place of those that ended. When
 * nothing moves any more, all that was disturbed is mended. In the end the command is typed until it ends by itself.
 */

const DATABASE = 'fill';

/** What a key may ask: the list takes longer than the kills. */
const RATE = { per_second: 4 };
/** So much of the rate is on its way at once, when a kill comes. */
const LATENCY_MS = 300;

/** From one kill to the next, at least and at most. */
const APART_MS = [1_000, 3_000] as const;

/** So long nothing ends: what ends accounts is mended; and nothing more does, when nothing is left to mend. */
const STUCK_MS = 10_000;
const NOTHING_LEFT_MS = 90_000;

const LOOK_EVERY_MS = 500;

interface World {
  readonly place: Workplace;
  readonly course: FillCourse;
  readonly server: Server;
  readonly tally: Tally;
  readonly alive: Set<Program>;
  /** Fires when the rows have ended, or no more of them do. */
  readonly ending: AbortController;
  /** Workers begin when it is over. */
  mending: Promise<void>;
}

export async function fillByMachines(
  settings: FillSettings & { readonly workers: number },
  { name, random }: Lane,
  tally: Tally,
): Promise<void> {
  const { rows, seed, isDisturbed } = settings;
  const server = await anotherServer();
  const [shown] = await server.query('postgres', "SELECT current_setting('data_directory') AS folder");
  try {
    await server.createDatabase(DATABASE);
    const store = server.url(DATABASE);
    await using place = await Workplace.open({ acceptsDoubts: true });
    const options = { folder: place.folder, seed, ...FILL_VENDORS, latencyMs: LATENCY_MS, rate: RATE };
    await using vendors = await FillVendors.start(options);
    const list = listOf(rows, name, random);
    const ledger = { store, view: () => viewDatabase(server, DATABASE) };
    await using course = new FillCourse({ place, vendors, list, ledger, isDisturbed, tally });
    const init = await place.typeHere(['store', 'init', store]);
    if (init.code !== 0) throw new Error(init.stderr);
    await course.write();
    await buy(
      {
        place,
        course,
        server,
        tally,
        alive: new Set(),
        ending: new AbortController(),
        mending: Promise.resolve(),
      },
      settings,
      random,
    );
    tally.see('rows that ended before the last run', await rowsEndedOf(server, DATABASE));
    tally.doubts.open += FILL_SLOTS * tally.killed;
    await server.passTime(store);
    await judgeFill(settings, place, course);
    tally.lists += 1;
  } finally {
    await server.stopAtOnce();
    rmSync(join(String(shown?.folder), '..'), { recursive: true, force: true });
  }
}

/** Resolves when no more rows end, and the workers have. */
async function buy(
  world: World,
  { rows, workers }: { readonly rows: number; readonly workers: number },
  random: Random,
): Promise<void> {
  const { alive, ending } = world;
  await detach(world);
  const slots = Array.from({ length: workers }, () => serve(world));
  try {
    await Promise.all([untilOver(world, rows).finally(() => ending.abort()), killOverAndOver(world, random)]);
  } finally {
    ending.abort();
    for (const worker of alive) worker.signal('SIGTERM');
    await Promise.all(slots);
  }
}

/** Leaves what there is to do to workers, by the budgets of now. */
async function detach({ place, course: { order } }: World): Promise<void> {
  const more = [...(order.more ?? []), '--detach'];
  requireCode(await place.runHere({ ...order, more }), [0]);
}

/** One worker after another, as a service manager sees to it. */
async function serve(world: World): Promise<void> {
  const { place, alive, ending, tally, course } = world;
  const words = ['worker', '--store', course.order.store ?? '', '--json'];
  while (!ending.signal.aborted) {
    await world.mending;
    const worker = place.type(words);
    alive.add(worker);
    const { code, signal, stderr } = await worker.ended;
    alive.delete(worker);
    const failed = stderr.split('\n').filter((line) => / failed: /.test(line));
    if (signal === null && code !== 143) failed.push(`a worker ended with ${code}: ${stderr}`);
    for (const line of failed) console.error(line);
    tally.forbid({ 'complaints of workers': failed.length });
  }
}

async function killOverAndOver({ alive, ending, tally, course }: World, random: Random): Promise<void> {
  while (!tally.isDone && !ending.signal.aborted) {
    await delay(random.integer(...APART_MS), undefined, { signal: ending.signal }).catch(() => {});
    if (ending.signal.aborted || alive.size === 0) continue;
    await random.pick([...alive]).kill();
    course.killedMs.push(Date.now());
    tally.kills.during += 1;
  }
}

async function untilOver(world: World, rows: number): Promise<void> {
  const { server, course } = world;
  let [ended, changedMs, mendedMs] = [0, Date.now(), Date.now()];
  while (ended < rows && Date.now() - changedMs < NOTHING_LEFT_MS) {
    await delay(LOOK_EVERY_MS);
    course.look();
    const now = await rowsEndedOf(server, DATABASE);
    if (now > ended) [ended, changedMs, mendedMs] = [now, Date.now(), Date.now()];
    if (Date.now() - mendedMs < STUCK_MS) continue;
    await mend(world);
    mendedMs = Date.now();
  }
}

/** Workers know the keys and budgets with which they began, so all of them end before, and others begin after. */
async function mend(world: World): Promise<void> {
  const mended = Promise.withResolvers<void>();
  world.mending = mended.promise;
  const ended = [...world.alive].map((worker) => {
    worker.signal('SIGTERM');
    return worker.ended;
  });
  await Promise.all(ended);
  await world.course.mendAll();
  await detach(world);
  // A range that was handed back for a reached budget is left alone for five minutes, which pass.
  await world.server.query(
    DATABASE,
    "UPDATE rowonce_queue.job SET start_after = now() WHERE state < 'active'",
  );
  mended.resolve();
}
