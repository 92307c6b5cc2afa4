import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Clock, systemClock } from '../core/clock.ts';
import { messageOf, stop } from '../core/errors.ts';
import { parseRate } from '../core/rate.ts';
import { Desk } from './desk.ts';
import { LineFile } from './line-file.ts';
import { type RateHeaders, type RateKind, RateLimit } from './rate.ts';
import { type Extension, type VendorSettings, Vendors } from './vendors.ts';

/** The sandbox as an HTTP server on this machine alone. */

/** Longer than any client keeps a connection idle, so that only faults cause resets. */
const KEEP_ALIVE_MS = 65_000;

export interface SandboxOptions {
  /** The port; 0 or left out for any free one. */
  readonly port?: number;
  /** The file of the book; left out, the book is kept in memory. */
  readonly bookPath?: string;
  /** The file to which one JSON line for each request is written. */
  readonly logPath?: string;
  /** The rate limit of each key, as `parseRate` reads it; left out for none. */
  readonly rate?: string;
  readonly rateKind?: RateKind;
  readonly rateHeaders?: RateHeaders;
  readonly latencyMs?: number;
  /** Share of identifiers that are known, 0 to 1. */
  readonly matchRate?: number;
  readonly seed?: number;
  /** The faults, written like those of `--faults`. */
  readonly faults?: string;
  /** True when faults hit free look-ups too. */
  readonly faultyLookUps?: boolean;
  /** What a test adds to the sandbox of a user. */
  readonly extension?: Extension;
  readonly clock?: Clock;
}

export interface RunningSandbox {
  readonly url: string;
  readonly port: number;
  /** Ends every connection, answered or not, and closes book and log. */
  close(): Promise<void>;
}

/** Listens on 127.0.0.1. A StopError (usage) when an option, the book or the port cannot be used. */
export async function startSandbox(options: SandboxOptions = {}): Promise<RunningSandbox> {
  const clock = options.clock ?? systemClock;
  const vendors = await Vendors.open(settingsOf(options, clock));
  const closing = new AbortController();
  let log: LineFile | undefined;
  try {
    log = options.logPath === undefined ? undefined : new LineFile(options.logPath);
    log?.mend();
    const desk = new Desk({
      vendors,
      log,
      clock,
      latencyMs: options.latencyMs ?? 0,
      closing: closing.signal,
    });
    const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) =>
      desk.receive(request, response),
    );
    const port = await listen(server, options.port ?? 0);
    desk.url = `http://127.0.0.1:${port}`;
    const close = async (): Promise<void> => {
      if (closing.signal.aborted) return;
      closing.abort();
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
      vendors.close();
      log?.close();
    };
    return { url: desk.url, port, close };
  } catch (error) {
    vendors.close();
    log?.close();
    throw error;
  }
}

function settingsOf(options: SandboxOptions, clock: Clock): VendorSettings {
  const { bookPath, rate, rateKind, rateHeaders, matchRate = 0.8, seed = 1, faults = '' } = options;
  return {
    bookPath,
    rateLimit: rate === undefined ? undefined : new RateLimit(parseRate(rate), rateKind, rateHeaders),
    matchRate,
    seed,
    faults,
    faultyLookUps: options.faultyLookUps ?? false,
    extension: options.extension ?? {},
    clock,
  };
}

async function listen(server: Server, port: number): Promise<number> {
  server.listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (error) {
    throw stop(
      'usage',
      `Port ${port} cannot be used: ${messageOf(error)}.`,
      'Name another with --port, or 0 for any.',
    );
  }
  return (server.address() as AddressInfo).port;
}
