import { statSync } from 'node:fs';
import { join } from 'node:path';
import { Hono } from 'hono';
import { stream } from 'hono/streaming';
import type { StreamingApi } from 'hono/utils/stream';
import type { Clock } from '../../core/clock.ts';
import type { Batch, LedgerReader } from '../../ledger/ledger.ts';
import { isUrl } from '../../ledger/store.ts';
import { storeAt } from '../../ledger/stores.ts';
import { lookIfThere } from '../../run/open-ledger.ts';
import { storesToLookAt } from '../../run/store-choice.ts';
import type { ChangeMessage, Spender } from '../api.ts';

/**
 * What changes in the stores while the page is open. Nothing is read while nobody listens, and a store is opened only when
 * its files are not as they were.
 */

/** At most four messages a second. */
const BETWEEN_MS = 250;

/** Of the time at most so large a part is spent on looking, however large the store is. */
const IDLE_PER_LOOK = 10;

/** A ledger on a server has no files that tell of a change, so it is read each time. */
const BETWEEN_READS_MS = 1_000;

type Hear = (message: ChangeMessage) => void;

export class Changes {
  readonly #store: string | undefined;
  readonly #clock: Clock;
  readonly #isOurs: (pid: number) => boolean;
  readonly #listeners = new Set<Hear>();
  readonly #stamps = new Map<string, string>();
  #batches = new Map<string, string>();
  #spenders: readonly Spender[] = [];
  #hasWork = false;
  #timer: NodeJS.Timeout | undefined;

  /** @param isOurs whether the page has started that process. */
  constructor(store: string | undefined, clock: Clock, isOurs: (pid: number) => boolean) {
    this.#store = store;
    this.#clock = clock;
    this.#isOurs = isOurs;
  }

  noteWork(): void {
    this.#hasWork = true;
  }

  /** @returns what ends the listening. */
  listen(hear: Hear): () => void {
    this.#listeners.add(hear);
    if (this.#listeners.size === 1) {
      // Who begins to listen asks for everything anyway.
      this.#stamps.clear();
      this.#batches.clear();
      this.#timer = setTimeout(() => void this.#look(true), 0);
    } else hear({ batches: [], work: true, spenders: [...this.#spenders] });
    return () => {
      this.#listeners.delete(hear);
      if (this.#listeners.size === 0) clearTimeout(this.#timer);
    };
  }

  async #look(isFirst: boolean): Promise<void> {
    const began = this.#clock.monotonicMs();
    const changed: string[] = [];
    const spenders: Spender[] = [];
    for (const location of storesToLookAt(this.#store)) {
      // A store that cannot be read now, such as one that is being restored, is looked at again when its files change.
      changed.push(...(await this.#changedIn(location).catch(() => [])));
      const spender = await (await storeAt(location)).spender(location);
      if (spender !== undefined && !this.#isOurs(spender.pid))
        spenders.push({ pid: spender.pid, command: spender.command });
    }
    const isNewSpender = JSON.stringify(spenders) !== JSON.stringify(this.#spenders);
    this.#spenders = spenders;
    const work = this.#hasWork;
    this.#hasWork = false;
    if (isFirst || changed.length > 0 || work || isNewSpender) {
      const message = { batches: isFirst ? [] : changed, work, spenders };
      for (const hear of this.#listeners) hear(message);
    }
    if (this.#listeners.size === 0) return;
    const tookMs = this.#clock.monotonicMs() - began;
    const leastMs = storesToLookAt(this.#store).some(isUrl) ? BETWEEN_READS_MS : BETWEEN_MS;
    this.#timer = setTimeout(() => void this.#look(false), Math.max(leastMs, tookMs * IDLE_PER_LOOK));
  }

  async #changedIn(location: string): Promise<readonly string[]> {
    const stamp = ['ledger.db', 'ledger.db-wal'].map((name) => stampOf(join(location, name))).join(' ');
    if (!isUrl(location) && this.#stamps.get(location) === stamp) return [];
    this.#stamps.set(location, stamp);
    const ledger = await lookIfThere(location);
    if (ledger === undefined) return [];
    try {
      return await this.#changedBatches(ledger);
    } finally {
      await ledger.close();
    }
  }

  async #changedBatches(ledger: LedgerReader): Promise<readonly string[]> {
    const changed: string[] = [];
    const nowMs = this.#clock.wallMs();
    for (const line of await ledger.batches()) {
      const { id, state, outputSha256, hasDoubts } = line;
      // Of thousands few are open. Of one that has ended only doubts are still settled, which the rows of a finished one say.
      const figures = state !== 'finished' || hasDoubts ? await figuresOf(ledger, line, nowMs) : [];
      const now = JSON.stringify([state, outputSha256, figures]);
      if (this.#batches.get(id) !== now) changed.push(id);
      this.#batches.set(id, now);
    }
    return changed;
  }
}

async function figuresOf(
  ledger: LedgerReader,
  { id, accountIdentity, heldSinceMs }: Batch,
  nowMs: number,
): Promise<readonly unknown[]> {
  const pauses = await ledger.pauses(accountIdentity, nowMs, nowMs);
  return [await ledger.counts(id), await ledger.metrics(id), heldSinceMs, pauses];
}

function stampOf(path: string): string {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? '' : `${found.ino} ${found.size} ${found.mtimeNs}`;
}

/** One stream of events for each browser: it says what changed, and a tab asks for what it shows. */

const HEARTBEAT_MS = 15_000;

export function eventRoutes({ changes, clock }: { readonly changes: Changes; readonly clock: Clock }): Hono {
  return new Hono().get('/events', (context) => {
    context.header('content-type', 'text/event-stream; charset=utf-8');
    return stream(context, (out) => tell(out, changes, clock));
  });
}

/** What is not read is not piled up: it becomes one message, which is sent as soon as there is room. */
async function tell(out: StreamingApi, changes: Changes, clock: Clock): Promise<void> {
  let unsent: ChangeMessage | undefined;
  let waking = new AbortController();
  const stopListening = changes.listen((message) => {
    unsent = unsent === undefined ? message : bothOf(unsent, message);
    waking.abort();
  });
  out.onAbort(() => waking.abort());
  while (!out.aborted) {
    waking = new AbortController();
    if (unsent === undefined) await clock.sleep(HEARTBEAT_MS, waking.signal).catch(() => {});
    // A connection that is gone is noticed by what cannot be written to it.
    const said = unsent === undefined ? ': still here' : `data: ${JSON.stringify(unsent)}`;
    unsent = undefined;
    await out.write(`${said}\n\n`);
  }
  stopListening();
}

function bothOf(before: ChangeMessage, now: ChangeMessage): ChangeMessage {
  return {
    batches: [...new Set([...before.batches, ...now.batches])],
    work: before.work || now.work,
    spenders: now.spenders,
  };
}
