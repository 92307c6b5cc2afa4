import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { getRequestListener } from '@hono/node-server';
import { z } from 'zod';
import { messageOf, stop } from '../core/errors.ts';
import { besideFolder } from '../core/paths.ts';
import { byFlag, phrase } from '../core/phrase.ts';
import { storeAt } from '../ledger/stores.ts';
import { replaceFile } from '../lib/atomic-file.ts';
import { type ProcessLock, tryLock } from '../lib/process-lock.ts';
import { codeOf } from '../lib/system-errors.ts';
import type { OpeningOptions } from '../plan/context.ts';
import { lookIntoIfThere } from '../run/open-ledger.ts';
import { requireStoreOrPlace } from '../run/run-job.ts';
import { chooseStore } from '../run/store-choice.ts';
import { Opening } from './api.ts';
import { appOf, redirectIn } from './server/app.ts';
import { Guard, newAddress, type PageAddress } from './server/guard.ts';
import { keepAddress, keptAddress } from './server/kept-address.ts';
import { KeptPlans } from './server/kept-plans.ts';
import { sweepUnused } from './server/lists.ts';
import { Readings } from './server/readings.ts';
import type { PageCommand, Server } from './server/server.ts';
import { type SweepOptions, Sweeps } from './server/sweeps.ts';
import { CommandQueue } from './server/work.ts';

/**
 * The page: a second face over the calls that the command line makes. This file starts its server on
 * 127.0.0.1, which no one else on the network reaches, and says where it is.
 */

type PageOptions = Pick<OpeningOptions, 'makesStore' | 'words'> &
  Omit<SweepOptions, 'folder' | 'work'> &
  Pick<Server, 'commands'> & {
    /** 0: any free port. */
    readonly port: number;
  };

interface OpenedPage {
  readonly opening: Opening;
  /** Left out: another process serves it. @returns how many commands it stopped in an orderly way. */
  close?(): Promise<number>;
}

/**
 * Starts the page of a store, or finds the one that is there: of commands of the same instant, one serves it.
 * @throws StopError as a run would about the store; `usage` for a taken port, `busy` when the page is silent.
 */
export async function openPage(options: PageOptions): Promise<OpenedPage> {
  const choice = chooseStore(options.store, false);
  const { location } = choice;
  await requireStoreOrPlace(choice, options);
  // A store that cannot be read is refused here, and not by each view.
  await lookIntoIfThere(location, async () => {});
  await (await storeAt(location)).prepare(location);
  const folder = besideFolder(location);
  const place = await placeIn(folder);
  return 'opening' in place ? place : startPage(options, folder, place);
}

async function startPage(options: PageOptions, folder: string, lock: ProcessLock): Promise<OpenedPage> {
  const { store, program, commands } = options;
  const work = new CommandQueue(program);
  const listeners = [createServer(LIMITS), createServer(LIMITS)] as const;
  const address = await addressFor(options.port, await keptAddress(folder), listeners);
  await keepAddress(folder, address);
  const guard = new Guard(address);
  const sweeps = await Sweeps.open({ ...options, folder, work });
  const caches = { plans: new KeptPlans(), readings: new Readings() };
  const server: Server = { store, folder, program, work, commands, sweeps, ...caches };
  const swept = sweepUnused(server).catch(() => {});
  const app = await appOf(server, guard);
  const listener = getRequestListener(app.fetch, { overrideGlobalObjects: false });
  for (const http of listeners) http.on('request', listener);
  const note: Note = { url: guard.forTools, token: guard.tool, pid: process.pid };
  await replaceFile(noteAt(folder), 0o600, [JSON.stringify(note)]);
  return {
    opening: guard.opening(),
    close: async () => {
      for (const path of [noteAt(folder), redirectIn(folder)]) rmSync(path, { force: true });
      // A full disk keeps no work from ending in order. The address was kept when the page began.
      await keepAddress(folder, address).catch(() => {});
      sweeps.stop();
      const stopped = await work.close();
      await swept;
      lock.release();
      return stopped;
    },
  };
}

/** An upload may be long and the disk slow, so a whole request has more time. */
const LIMITS = { requestTimeout: 3_600_000 };

/**
 * Listens where the open tabs of an earlier page look for it, unless another port is wanted or another
 * program is there.
 * @param wanted 0: any port.
 * @throws StopError `usage` for a wanted port that is taken.
 */
async function addressFor(
  wanted: number,
  lastAddress: PageAddress | undefined,
  listeners: readonly [HttpServer, HttpServer],
): Promise<PageAddress> {
  if (lastAddress === undefined || ![0, lastAddress.port].includes(wanted))
    return newAddress(await listenOn(wanted, listeners));
  try {
    await listenOn(lastAddress.port, listeners);
    return lastAddress;
  } catch (error) {
    if (wanted !== 0) throw error;
    return newAddress(await listenOn(wanted, listeners));
  }
}

/** The system's errors where there is no IPv6. No one else can listen at ::1 there either. */
const NO_IPV6: ReadonlySet<string | undefined> = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT']);

/**
 * Listens at 127.0.0.1 and at ::1. Browsers try ::1 first for a name below `localhost`, so another user who
 * listened there would get the page's word.
 * @param wanted 0: any port.
 * @returns the port.
 * @throws StopError `usage` when either half of the port is taken, by any program.
 */
async function listenOn(wanted: number, [first, second]: readonly [HttpServer, HttpServer]): Promise<number> {
  let port = wanted;
  try {
    await listening(first, port, '127.0.0.1');
    port = (first.address() as AddressInfo).port;
    await listening(second, port, '::1').catch((error: unknown) => {
      if (!NO_IPV6.has(codeOf(error))) throw error;
    });
    return port;
  } catch (error) {
    first.close();
    const fact = `Port ${port} cannot be used: ${messageOf(error)}.`;
    throw stop('usage', fact, phrase`Name another one ${byFlag('--port')}, or 0 for any.`);
  }
}

const listening = (server: HttpServer, port: number, host: string): Promise<unknown> =>
  once(server.listen(port, host), 'listening');

export type { PageCommand };

const OPENERS: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

export function hasScreen({ DISPLAY, WAYLAND_DISPLAY }: NodeJS.ProcessEnv): boolean {
  return process.platform in OPENERS || Boolean(DISPLAY || WAYLAND_DISPLAY);
}

/**
 * Opens the user's browser by a file that only this user can read; the server removes it once it was used.
 * @returns whether something was there to open it.
 */
export async function openInBrowser(store: string | undefined, opening: Opening): Promise<boolean> {
  const page = redirectIn(besideFolder(chooseStore(store, false).location));
  await replaceFile(page, 0o600, [leadIn(opening)]);
  const [program, ...words] = OPENERS[process.platform] ?? ['xdg-open'];
  const opener = spawn(program, [...words, page], { stdio: 'ignore', detached: true });
  opener.unref();
  const isThere = once(opener, 'spawn').then(() => true);
  return isThere.catch(() => false);
}

/** An address in an argument could be read by every user of the machine. */
const leadIn = ({ address }: Opening): string => `<!doctype html><meta charset="utf-8"><title>Rowonce</title>
<meta http-equiv="refresh" content="0; url=${address}">
`;

/** `serve.json` in the store's folder, which its owner alone reads: the address, and the token of tools. */
const Note = z.strictObject({
  url: z.string().regex(/^http:\/\/127(?:\.\d{1,3}){3}:\d{1,5}$/),
  token: z.string(),
  pid: z.int().positive(),
});
type Note = z.infer<typeof Note>;

const noteAt = (folder: string): string => join(folder, 'serve.json');

const noteIn = (folder: string): Promise<Note | undefined> =>
  readFile(noteAt(folder), 'utf8')
    .then((text) => Note.parse(JSON.parse(text)))
    .catch(() => undefined);

const ANSWER_MS = 5_000;

/**
 * One page has the place of a store. Takes the place, or finds the page there.
 * @throws StopError `busy` where the address of that page is not known.
 */
async function placeIn(folder: string): Promise<ProcessLock | OpenedPage> {
  const lock = tryLock(join(folder, 'serve.lock'));
  if (lock !== undefined) {
    // What a page that was killed had said is not true any more.
    rmSync(noteAt(folder), { force: true });
    return lock;
  }
  const note = await noteIn(folder);
  const opening = note && (await newOpening(note));
  if (opening !== undefined) return { opening };
  const who = note === undefined ? 'another process' : `process ${note.pid}`;
  const fact = `The page of the store ${folder} belongs to ${who}, which does not say its address.`;
  const next = 'It may be starting or stopping: wait for it, or end the process. Then try again.';
  throw stop('busy', fact, next);
}

const newOpening = ({ url, token }: Note): Promise<Opening | undefined> =>
  fetch(`${url}/api/openings`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    signal: AbortSignal.timeout(ANSWER_MS),
  })
    .then(async (answer) => Opening.parse(await answer.json()))
    .catch(() => undefined);
