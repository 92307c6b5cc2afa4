import type { Dispatcher, Pool } from 'undici';
import type { Clock } from '../../core/clock.ts';
import { vendorIsQuick } from '../../lib/faults.ts';
import { type Connector, connectorTo, type Undici } from '../connector.ts';

/**
 * The connections to one origin. A connection is used again and again, until its server shows that this is not safe: then
 * each is used once. Nothing here sends anything twice.
 */

/** Idle connections are closed before common servers and balancers close them (5 s and more) under a request. */
const IDLE_CONNECTION_MS = 4_000;

/** A server that closes a connection under two requests does so by habit, and each time puts a call in doubt. */
const MOST_RESETS = 2;

/**
 * No connection is used again until this much silence has followed the very first answer: a server that answers twice
 * is noticed by then, and not by the row that would get the second answer.
 */
const FIRST_SILENCE_MS = 50;

/** The connections of a client, one after the other, as far as its server's behaviour matters. */
export class Wire {
  /** Number of requests that the present connection has carried. */
  requests = 0;
  /** Whether it carries a request of ours now. */
  isBusy = false;
  /** Whether more came on it than was requested. */
  isSpoiled = false;

  begin(): void {
    this.requests = 0;
    this.isSpoiled = false;
  }
}

/** A request that learns which connection carries it. */
export interface Carried {
  wire: Wire;
}

export interface WiresOptions {
  readonly undici: Undici;
  readonly origin: string;
  readonly connections: number;
  readonly clock: Clock;
  /** Called when more came on a connection than was requested. `requests`: how many it had carried by then. */
  readonly onSurplus?: (requests: number) => void;
}

export class Wires {
  readonly #undici: Undici;
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
  /** What waits until the connections that close in this turn are known. */
  #closing: (() => void)[] = [];

  constructor({ undici, origin, connections, clock, onSurplus = () => {} }: WiresOptions) {
    this.#undici = undici;
    this.#origin = origin;
    this.#connections = connections;
    this.#clock = clock;
    this.#onSurplus = onSurplus;
    this.#connector = connectorTo(undici, new URL(origin));
    this.#pool = this.#open();
  }

  /** Whether a connection may carry further requests. */
  get isReusing(): boolean {
    return this.#isReusing;
  }

  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler & Carried): void {
    this.#pool.dispatch(options, handler);
  }

  /** Resolves when a connection may be used again; undefined when it may be at once. */
  untilQuiet(): Promise<void> | undefined {
    if (!this.#isReusing || this.#silenceUntilMs === undefined) return undefined;
    const silenceMs = this.#silenceUntilMs - this.#clock.monotonicMs();
    return silenceMs > 0 && !vendorIsQuick() ? this.#clock.sleep(silenceMs) : undefined;
  }

  /** Called when an answer is complete. */
  answered(): void {
    this.#silenceUntilMs ??= this.#clock.monotonicMs() + FIRST_SILENCE_MS;
  }

  /**
   * Runs something once connections that close in this turn of the event loop are known to be closed. What comes in one turn
   * waits together, because a timer for each answer takes longer than to judge it.
   */
  afterClosing(then: () => void): void {
    this.#closing.push(then);
    if (this.#closing.length > 1) return;
    setImmediate(() => {
      const closed = this.#closing;
      this.#closing = [];
      setImmediate(() => {
        for (const each of closed) each();
      });
    });
  }

  /** Called when a connection ended under a request, before any part of its answer. */
  broke({ requests }: Wire): void {
    if (requests <= 1) return;
    this.#resets += 1;
    if (this.#resets >= MOST_RESETS) this.#useOnce();
  }

  async close(): Promise<void> {
    await Promise.all([this.#pool.destroy(), this.#retired?.destroy()]);
  }

  #open(): Pool {
    const { Client, Pool } = this.#undici;
    return new Pool(this.#origin, {
      connections: this.#connections,
      pipelining: 1,
      allowH2: false,
      connect: this.#connector,
      // A whole exchange has one deadline, which does not restart with each byte.
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: IDLE_CONNECTION_MS,
      keepAliveMaxTimeout: IDLE_CONNECTION_MS,
      factory: (origin, options) => this.#watched(new Client(origin, options)),
    });
  }

  /** A client that tells each request its connection, and notices data that nobody requested. */
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

  /** Stops reuse: requests in flight finish on the old connections, and idle ones are closed. */
  #useOnce(): void {
    if (!this.#isReusing) return;
    this.#isReusing = false;
    this.#retired = this.#pool;
    this.#pool = this.#open();
    void this.#retired.close().catch(() => {});
  }
}

/** Whether an idle connection ended by bytes that answer no request: another answer, or data that is not HTTP. */
function isSurplus(error: Error): boolean {
  return error.message === 'bad response' || error.name === 'HTTPParserError';
}
