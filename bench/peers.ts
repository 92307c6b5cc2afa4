import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { postgresServer, type Server } from '../test/ledger/stores/postgres-server.ts';
import { hasRedis, type Syncs, startRedis } from './peers/redis.ts';
import { type Cost, costOf, inFolder, medianCost, node } from './program.ts';
import { Desk, startSpeedVendor, writeWideList } from './speed/fixture.ts';
import { type FigureName, GOALS } from './speed/goals.ts';
import { type Contestant, Rounds } from './speed/measure.ts';
import { businessOf, tableOf } from './speed.ts';

/**
 * What else somebody would use for a list, side by side: each reads it, asks the vendor for every row, 64 at once, remembers
 * what it remembers, and writes the output. The vendor answers at once, so that what is measured is theirs.
 */

const PEERS_FLAGS = `npm run bench peers -- [--rows N] [--runs N]
  --rows N  a list of so many rows; left out: 20000
  --runs N  so many rounds; left out: 3

BullMQ is installed by: npm install --prefix bench/peers
It needs redis-server in the PATH; the bench starts it on a port and in a folder of its own.`;

interface Peer extends Omit<Contestant, 'rows'> {
  readonly remembers: string;
  /** Left out by what writes none. */
  readonly output?: string;
}

const [BARE, SCRIPT, CHECKPOINT, PG_BOSS, ROWONCE] = [
  'bare undici',
  'script',
  'script with a checkpoint of each row',
  'pg-boss',
  'rowonce run',
] as const;
const bullMq = (syncs: Syncs): string => `BullMQ on Redis, appendfsync ${syncs}`;

/** What peers write. */
const OUTPUT = 'peer.csv';

const QUEUE_REMEMBERS = 'a job and its answer; after a crash a job is asked for again, so paid again';

/** By whose rate ours is measured, and what the ratio must be. */
const GOALS_BY_PEER: readonly (readonly [peer: string, FigureName])[] = [
  [SCRIPT, 'naive'],
  [CHECKPOINT, 'checkpoint'],
  [bullMq('always'), 'bullmq'],
];

export function measurePeers(words: readonly string[]): Promise<readonly string[]> {
  const flags = flagsOf(words);
  if (flags === undefined) {
    process.exitCode = words.includes('--help') ? 0 : 2;
    return Promise.resolve([PEERS_FLAGS]);
  }
  return inFolder((folder) => measured(folder, flags));
}

interface Flags {
  readonly rows: number;
  readonly runs: number;
}

/** Undefined for words that nothing can be measured by. */
function flagsOf(words: readonly string[]): Flags | undefined {
  try {
    const options = {
      rows: { type: 'string', default: '20000' },
      runs: { type: 'string', default: '3' },
    } as const;
    const { values } = parseArgs({ args: [...words], options });
    const [rows, runs] = [Number(values.rows), Number(values.runs)];
    return [rows, runs].every((count) => Number.isSafeInteger(count) && count > 0)
      ? { rows, runs }
      : undefined;
  } catch {
    return undefined;
  }
}

async function measured(folder: string, { rows, runs }: Flags): Promise<readonly string[]> {
  const before = businessOf(folder);
  const [vendor, postgres] = [await startSpeedVendor([]), await startPostgres(folder)];
  try {
    const desk = await Desk.open(folder, vendor.url);
    await writeWideList(desk.list, rows);
    const there = peersOf(desk, { vendor: vendor.url, postgres }, rows);
    const peers = there.filter((each) => typeof each !== 'string');
    const say = (text: string): void => console.error(`peers: ${text}`);
    const options = { rows, runs, folder, quick: false, say };
    const rounds = await Rounds.of(
      options,
      peers.map((each) => ({ name: each.name, rows, run: () => runWhole(each, rows) })),
    );
    return [
      `${rows.toLocaleString('en')} rows, medians of ${runs}. Before: ${before}. After: ${businessOf(folder)}.\n`,
      ...tableOf(
        ['', 'rows a second', 'processor a row', "its server's", 'remembers'],
        peers.map((each) => cellsOf(each, rows, medianCost(rounds.costs(each.name)))),
      ),
      '',
      ...tableOf(['measure', 'now', 'must'], figuresOf(rounds)),
      ...there.filter((each) => typeof each === 'string'),
    ];
  } finally {
    vendor.stop();
    if (typeof postgres !== 'string') await postgres.stopAtOnce();
  }
}

/** A rate says something only where all of the work was done. */
async function runWhole({ name, run, output }: Peer, rows: number): Promise<Cost> {
  const cost = await run();
  if (output === undefined) return cost;
  const written = (await readFile(output, 'utf8')).split('\n').length - 2;
  if (written !== rows) throw new Error(`${name} wrote ${written} rows of ${rows}.`);
  return cost;
}

/** In the folder of the bench, whose file system all others write to as well. @returns why none is there. */
async function startPostgres(folder: string): Promise<Server | string> {
  process.env.TMPDIR = folder;
  try {
    return await postgresServer();
  } catch (error) {
    return `pg-boss is left out: no PostgreSQL starts here (${String(error)}).`;
  }
}

function cellsOf({ name, remembers }: Peer, rows: number, cost: Cost): readonly string[] {
  const ms = (seconds: number): string => (seconds === 0 ? '' : `${((seconds / rows) * 1000).toFixed(3)} ms`);
  const rate = Math.round(rows / cost.seconds).toLocaleString('en');
  return [name, rate, ms(cost.processorSeconds), ms(cost.serverSeconds), remembers];
}

function figuresOf(rounds: Rounds): readonly (readonly string[])[] {
  const rates = GOALS_BY_PEER.filter(([peer]) => rounds.costs(peer).length > 0).map(([peer, goal]) => {
    return [GOALS[goal].what, rounds.speed(ROWONCE, peer), GOALS[goal].must];
  });
  return [...rates, [GOALS.processor.what, rounds.processor(ROWONCE, SCRIPT), GOALS.processor.must]];
}

/** In the place of one that is not there, why it is left out. */
function peersOf(
  desk: Desk,
  { vendor: url, postgres }: { readonly vendor: string; readonly postgres: Server | string },
  rows: number,
): readonly (Peer | string)[] {
  const output = desk.path(OUTPUT);
  const peer = (name: string, ...words: readonly string[]) => ({
    words: node(join(import.meta.dirname, name), url, ...words),
  });
  const work = (name: string, ...words: readonly string[]) => peer(name, desk.list, output, ...words);
  return [
    { name: BARE, remembers: 'nothing', run: () => costOf(peer('speed/bare.ts', String(rows))) },
    { name: SCRIPT, remembers: 'nothing', output, run: () => costOf(work('speed/naive.ts')) },
    {
      name: CHECKPOINT,
      remembers: 'the row',
      output,
      run: async () => {
        await desk.remove(...['', '-wal', '-shm'].map((end) => `checkpoint.db${end}`));
        return costOf(work('peers/checkpoint.ts', desk.path('checkpoint.db')));
      },
    },
    ...bullMqs(desk, work),
    pgBoss(desk, work, postgres),
    {
      name: ROWONCE,
      remembers: 'the intent, the answer, the row, the money',
      output: desk.path('list.enriched.csv'),
      run: async () => costOf(desk.run(await desk.newStore())),
    },
  ];
}

type Work = (name: string, ...words: readonly string[]) => { readonly words: readonly string[] };

function bullMqs(desk: Desk, work: Work): readonly (Peer | string)[] {
  if (!hasRedis()) return ['BullMQ is left out: redis-server is not installed.'];
  if (!existsSync(join(import.meta.dirname, 'peers/node_modules/bullmq'))) {
    return ['BullMQ is left out: its packages are installed by `npm install --prefix bench/peers`.'];
  }
  return (['always', 'everysec'] as const).map((syncs) => ({
    name: bullMq(syncs),
    remembers: QUEUE_REMEMBERS,
    output: desk.path(OUTPUT),
    run: async () => {
      await desk.remove('redis');
      const redis = await startRedis(desk.path('redis'), syncs);
      try {
        return await costOf({ ...work('peers/bullmq.ts', String(redis.port)), server: redis.pid });
      } finally {
        await redis.end();
      }
    },
  }));
}

function pgBoss(desk: Desk, work: Work, server: Server | string): Peer | string {
  if (typeof server === 'string') return server;
  let databases = 0;
  return {
    name: PG_BOSS,
    remembers: QUEUE_REMEMBERS,
    output: desk.path(OUTPUT),
    run: async () => {
      databases += 1;
      const database = `peers_${databases}`;
      await server.createDatabase(database);
      return costOf({ ...work('peers/pg-boss.ts', server.url(database)), server: server.pid() });
    },
  };
}
