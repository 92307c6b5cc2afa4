import type { Dispatcher, Pool } from 'undici';
import type { Clock } from '../../core/clock.ts';
import { type Connector, connectorTo, loadUndici } from '../connector.ts';

/**
 * The connections to one origin. A connection is used again and again, until its server shows that this is not safe: then
 * each is used once. Nothing here sends anything twice.
 */

/** Idle connections are given up before common servers and balancers close them (5 s and more) under a request. */
const IDLE_CONNECTION_MS = 4_000;

/** A server that closes a connection under two requests does so by habit, and each time puts a call in doubt. */
const MOST_RESETS = 2;

/**
 * No connection is used again before the first answer of all has been followed by so much silence: a server that answers
 * twice is noticed by then, and not by the row that would get the second answer.
 */
const FIRST_SILENCE_MS = 50;

/** One connection after the other of a client, as far as its server's behaviour matters. */
export class Wire {
  /** Requests that the present connection has carried. */
  requests = 0;
  /** Whether a request of ours is under way on it. */
  isBusy = false;
  /** More came on it than was asked for. */
  isSpoiled = false;

  begin(): void {
    this.requests = 0;
    this.isSpoiled = false;
  }
}

/** A request that is told which connection carries it. */
export interface Carried {
  wire: Wire;
}

export interface WiresOptions {
  readonly origin: string;
  readonly connections: number;
  readonly clock: Clock;
  /** More came on a connection than was asked for. `requests`: how many it had carried until that was noticed. */
  readonly onSurplus?: (requests: number) => void;
}

export class Wires {
  readonly #origin: string;
  readonly #connections: number;
  readonly #clock: Clock;
  readonly #onSurplus: (requests: number) => void;
  readonly #connector: Connector;
  #pool: Pool;
  #retired: Pool | undefined;
  #isReusing = true;
  #resets = 0;
  #silenceUntilMs: number | undefined;

  constructor({ origin, connections, clock, onSurplus = () => {} }: WiresOptions) {
    this.#origin = origin;
    this.#connections = connections;
    this.#clock = clock;
    this.#onSurplus = onSurplus;
    this.#connector = connectorTo(new URL(origin));
    this.#pool = this.#open();
  }

  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler & Carried): void {
    // With `reset` the server hears "connection: close", and the connection ends with its answer.
    this.#pool.dispatch({ ...options, reset: !this.#isReusing }, handler);
  }

  /** Resolves when a connection may be used again. */
  async untilQuiet(): Promise<void> {
    if (!this.#isReusing || this.#silenceUntilMs === undefined) return;
    const silenceMs = this.#silenceUntilMs - this.#clock.monotonicMs();
    if (silenceMs > 0) await this.#clock.sleep(silenceMs);
  }

  /** An answer came to its end. */
  answered(): void {
    this.#silenceUntilMs ??= this.#clock.monotonicMs() + FIRST_SILENCE_MS;
  }

  /** A connection ended under a request, before anything of its answer. */
  broke({ requests }: Wire): void {
    if (requests <= 1) return;
    this.#resets += 1;
    if (this.#resets >= MOST_RESETS) this.#useOnce();
  }

  async close(): Promise<void> {
    await Promise.all([this.#pool.destroy(), this.#retired?.destroy()]);
  }

  #open(): Pool {
    const { Client, Pool } = loadUndici();
    return new Pool(this.#origin, {
      connections: this.#connections,
      pipelining: 1,
      allowH2: false,
      connect: this.#connector,
      // A whole exchange has one deadline, which does not begin anew with each byte.
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: IDLE_CONNECTION_MS,
      keepAliveMaxTimeout: IDLE_CONNECTION_MS,
      factory: (origin, options) => this.#watched(new Client(origin, options)),
    });
  }

  /** A client that tells each request by which of its connections it leaves, and notices what nobody asked for. */
  #watched(client: Dispatcher): Dispatcher {
    const wire = new Wire();
    const dispatch = client.dispatch.bind(client);
    client.dispatch = (options, handler) => {
      (handler as Dispatcher.DispatchHandler & Carried).wire = wire;
      return dispatch(options, handler);
    };
    client.on('connect', () => wire.begin());
    client.on('disconnect', (_origin, _targets, error) => {
      if (wire.isBusy || !isSurplus(error)) return;
      wire.isSpoiled = true;
      this.#onSurplus(wire.requests);
      this.#useOnce();
    });
    return client;
  }

  /** What is under way comes to its end on the old connections; the idle ones are closed. */
  #useOnce(): void {
    if (!this.#isReusing) return;
    this.#isReusing = false;
    this.#retired = this.#pool;
    this.#pool = this.#open();
    void this.#retired.close().catch(() => {});
  }
}

/** An idle connection ended by bytes that are no answer to anything: another answer, or what is not HTTP. */
function isSurplus(error: Error): boolean {
  return error.message === 'bad response' || error.name === 'HTTPParserError';
}
