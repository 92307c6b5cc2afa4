import { onTestFinished } from 'vitest';
import type { Ledger } from '../../../src/ledger/ledger.ts';
import type { StoreOptions } from '../../../src/ledger/store.ts';
import postgres from '../../../src/ledger/stores/postgres.ts';
import type { Patience } from '../../../src/lib/postgres-server.ts';
import { openStore } from './places.ts';
import { postgresServer, type Server } from './postgres-server.ts';

/** Several workers over one database of PostgreSQL, in one process: each has a ledger with connections and a number of its own. */
export interface Workplace {
  readonly name: string;
  /** @param url another way to the database, such as through a proxy. */
  worker(options?: Partial<StoreOptions>, url?: (database: string) => string): Promise<Ledger>;
  query(text: string): Promise<readonly Record<string, unknown>[]>;
  /** So much time passes for what is over by its age. */
  later(ms: number): Promise<void>;
}

const FOR_EVER: Patience = { longestMs: undefined, signal: undefined };

let databases = 0;

export async function workplace(server?: Server): Promise<Workplace> {
  const on = server ?? (await postgresServer());
  databases += 1;
  const name = `workers_${process.pid}_${databases}`;
  await on.createDatabase(name);
  const query = (text: string) => on.query(name, `SET search_path = rowonce_ledger; ${text}`);
  return {
    name,
    query,
    async worker(options = {}, url = on.url) {
      const ledger = await openStore(postgres, url(name), true, { patience: FOR_EVER, ...options });
      onTestFinished(() => ledger.close().catch(() => {}));
      return ledger;
    },
    later: async (ms) =>
      void (await query(
        `UPDATE attempts SET over_at = over_at - ${ms}; UPDATE workers SET seen_at = seen_at - ${ms}`,
      )),
  };
}

/** Two workers over a database of their own. */
export async function twoWorkers(): Promise<readonly [Workplace, Ledger, Ledger]> {
  const place = await workplace();
  return [place, await place.worker(), await place.worker()];
}
