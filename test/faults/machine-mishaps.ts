import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '../../src/sandbox/random.ts';
import type { Server } from '../ledger/stores/postgres-server.ts';
import type { DeafProxy } from './deaf-proxy.ts';
import type { MachineSettings, MishapName } from './kill-drive.ts';
import type { Figures } from './machine-figures.ts';
import type { Ranges } from './machine-ranges.ts';
import type { Program } from './program.ts';
import type { SmallDisk } from './small-disk.ts';

/** What happens to workers over one database while they buy. */

/** Where it happens. */
export interface Scene {
  readonly server: Server;
  readonly database: string;
  readonly alive: ReadonlySet<Program>;
  /** Those of them that a signal has stopped. */
  readonly stopped: Set<Program>;
  readonly ranges: Ranges;
  readonly figures: Figures;
  readonly settings: MachineSettings;
  /** The way of one worker to the database. */
  readonly proxy: DeafProxy;
  /** Where the database has its tables; undefined where no disk is filled. */
  readonly disk: SmallDisk | undefined;
  /** Fires when the rows have ended. */
  readonly over: AbortSignal;
}

interface Mishap {
  /** From the end of one to the next, at least and at most. */
  readonly apartMs: readonly [number, number];
  readonly happen: (scene: Scene, random: Random) => Promise<void>;
}

/** As long as the database is away at most when it ends as by a crash. */
const AWAY_MS = 3_000;

/** As long as nobody else can connect, as a disk is full, and as one worker's connections are dead. */
const LASTS_MS = { crowd: 10_000, fullDisk: 10_000, silence: 15_000 };

/** More than a server takes. */
const CROWD = 250;

export const MISHAPS: Readonly<Record<MishapName, Mishap>> = {
  kills: { apartMs: [1_000, 3_000], happen: kill },
  pauses: { apartMs: [5_000, 12_000], happen: pause },
  stops: { apartMs: [8_000, 20_000], happen: stop },
  cuts: { apartMs: [3_000, 8_000], happen: ({ server, database }) => server.cutOff(database) },
  silences: { apartMs: [3_000, 8_000], happen: silence },
  crowds: { apartMs: [3_000, 8_000], happen: crowd },
  'full-disks': { apartMs: [3_000, 8_000], happen: fillDisk },
};

async function kill({ alive, figures, ranges }: Scene, random: Random): Promise<void> {
  const worker = random.pick([...alive]);
  figures.sampleWorkers([worker.pid]);
  await worker.kill();
  ranges.killed(worker);
}

/** Others meet with mishaps meanwhile, and so may it. */
async function pause({ alive, stopped, over, settings }: Scene, random: Random): Promise<void> {
  const worker = random.pick([...alive]);
  worker.signal('SIGSTOP');
  stopped.add(worker);
  const ended = delay(settings.pauseSeconds * 1_000, undefined, { signal: over });
  void ended
    .catch(() => {})
    .then(() => {
      worker.signal('SIGCONT');
      stopped.delete(worker);
    });
}

function stop({ server, ranges }: Scene, random: Random): Promise<void> {
  return ranges.uncounted(async () => {
    await server.stopAtOnce();
    await delay(random.integer(0, AWAY_MS));
    await server.startAgain();
  });
}

async function silence({ proxy, over }: Scene): Promise<void> {
  proxy.deafen();
  await lasting(LASTS_MS.silence, over);
  proxy.hear();
}

/** Takes all connections that are left. */
async function crowd({ server }: Scene): Promise<void> {
  const sleep = `SELECT pg_sleep(${LASTS_MS.crowd / 1_000})`;
  await Promise.allSettled(Array.from({ length: CROWD }, () => server.query('postgres', sleep)));
}

function fillDisk({ disk, ranges, over }: Scene): Promise<void> {
  return ranges.uncounted(async () => {
    disk?.fill();
    await lasting(LASTS_MS.fullDisk, over);
    disk?.empty();
  });
}

async function lasting(ms: number, over: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal: over }).catch(() => {});
}
