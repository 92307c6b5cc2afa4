import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import type { Answers } from '../client/account/agreements.ts';
import { systemClock } from '../core/clock.ts';
import { present } from '../core/objects.ts';
import type { Tell } from '../ledger/store.ts';
import type { ProcessLock } from '../lib/process-lock.ts';
import { prepareFolder } from '../run/open-ledger.ts';
import { chooseStore } from '../run/store-choice.ts';
import type { Opening } from './api.ts';
import { Address } from './server/address.ts';
import { Admission } from './server/admission.ts';
import { appOf } from './server/app.ts';
import { hasScreen, openBrowser } from './server/browser.ts';
import { Changes } from './server/changes.ts';
import { sweepUnused } from './server/list-batches.ts';
import { listenOn } from './server/listeners.ts';
import { type Place, placeIn, removeNote, writeNote } from './server/note.ts';
import { loadPage } from './server/page-files.ts';
import type { Server } from './server/server.ts';
import { openingOf } from './server/session-routes.ts';
import { openSweeps } from './server/sweeps.ts';
import { Work } from './server/work.ts';

/**
 * The page: a second face over the calls that the command line makes. This file starts its server on 127.0.0.1, which
 * nobody else on the network reaches, and says where it is.
 */

interface PageOptions {
  /** 0: any free port. */
  readonly port: number;
  /** The store's folder; left out: the default ones. */
  readonly store: string | undefined;
  readonly version: string;
  /** The most bytes that a list may have that is brought to the page; left out: 2 GiB. */
  readonly mostUploadBytes?: number | undefined;
  /** How long the sender of a list may be silent; left out: a minute, which no slow line is. */
  readonly mostSilenceMs?: number | undefined;
  /** Job files whose inboxes are swept by their schedules. */
  readonly jobs: readonly string[];
  /** How a person agrees to what these jobs ask for. */
  readonly answers?: Answers | undefined;
  /** The zone in which schedules are meant; undefined: that of this machine. */
  readonly timeZone: string | undefined;
  /** The file that starts this program, for the processes that the server starts. */
  readonly script: string;
  /** Who is at work on the page; left out: the user of the system. */
  readonly operator?: string | undefined;
  /** Hears what a person should know while the page is served. */
  readonly tell: Tell;
}

interface RunningPage {
  /** Each address has a one-time word, which is valid for a minute. */
  opening(): Opening;
  /** @returns how many commands were stopped by it, in an orderly way. */
  close(): Promise<number>;
}

type OpenedPage =
  | { readonly kind: 'started'; readonly page: RunningPage }
  | Extract<Place, { readonly kind: 'served' }>;

/**
 * Starts the page of a store, or finds the one that is there. Of commands that start at the same instant one has it.
 * @throws StopError as a run would about the store; `usage` when the page was not built or the port is taken, `busy` when
 * the one that is there is silent.
 */
export async function openPage(options: PageOptions): Promise<OpenedPage> {
  const folder = await prepareFolder(locationOf(options.store));
  const place = await placeIn(folder, systemClock);
  if (place.kind === 'served') return place;
  try {
    return { kind: 'started', page: await startPage(options, folder, place.lock) };
  } catch (error) {
    place.lock.release();
    throw error;
  }
}

async function startPage(options: PageOptions, folder: string, lock: ProcessLock): Promise<RunningPage> {
  const { store, version, script, operator, jobs, answers, timeZone, tell } = options;
  const files = await loadPage();
  const program = { script, env: process.env, ...present({ operator }) };
  const work: Work = new Work(program, systemClock.wallMs, () => changes.noteWork());
  const changes = new Changes(store, systemClock, (pid) => work.isOurs(pid));
  const sweeps = await openSweeps({ jobs, answers, store, folder, clock: systemClock, work, timeZone, tell });
  const { port, servers } = await listenOn(options.port, () => createServer(LIMITS));
  const admission = new Admission(systemClock, folder);
  const guarded = { address: new Address(port), admission };
  const mostUploadBytes = options.mostUploadBytes ?? MOST_UPLOAD_BYTES;
  const mostSilenceMs = options.mostSilenceMs ?? 60_000;
  const clock = systemClock;
  const limits = { mostUploadBytes, mostSilenceMs };
  const accountChanges = new Map<string, number>();
  const kept = { work, changes, accountChanges };
  const server: Server = { store, folder, clock, program, ...kept, ...limits };
  // After a killed run this look at the store checks all of it, and nobody waits for the address until then.
  let isLookedAt = false;
  const lookedAt = (): void => {
    isLookedAt = true;
  };
  void sweepUnused(server, tell).then(lookedAt, lookedAt);
  const app = appOf(server, guarded, files, () => ({
    version,
    store: folder,
    checking: !isLookedAt,
  }));
  for (const http of servers)
    http.on('request', getRequestListener(app.fetch, { overrideGlobalObjects: false }));
  await writeNote(folder, { url: guarded.address.forTools, token: admission.tool, pid: process.pid });
  await sweeps.start();
  return {
    opening: () => openingOf(guarded),
    close: async () => {
      removeNote(folder);
      admission.removeRedirect();
      const ended = sweeps.stop();
      const stopped = await work.close();
      await ended;
      for (const http of servers) http.closeAllConnections();
      await Promise.all(servers.map((http) => new Promise((resolve) => http.close(resolve))));
      lock.release();
      return stopped;
    },
  };
}

/** Every client is on this machine. An upload may be long and the disk slow, so a whole request has more time. */
const LIMITS = {
  headersTimeout: 5_000,
  keepAliveTimeout: 5_000,
  keepAliveTimeoutBuffer: 0,
  requestTimeout: 3_600_000,
  connectionsCheckingInterval: 1_000,
};

const locationOf = (store: string | undefined): string => chooseStore(store, false).location;

const MOST_UPLOAD_BYTES = 2 * 1024 ** 3;

export type { Opening };
export { hasScreen };

/** Opens the user's browser at the page of this store. @returns whether there was one to open. */
export function openInBrowser(store: string | undefined, opening: Opening): Promise<boolean> {
  return openBrowser(locationOf(store), opening);
}
