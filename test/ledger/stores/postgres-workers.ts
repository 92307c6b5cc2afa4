import { onTestFinished } from 'vitest';
import { systemClock } from '../../../src/core/clock.ts';
import type { Ledger } from '../../../src/ledger/ledger.ts';
import { connect, type Database } from '../../../src/ledger/stores/postgres/connection.ts';
import { ledgerNow } from '../../../src/ledger/stores/postgres/lost-commits.ts';
import { postgresLedger } from '../../../src/ledger/stores/postgres/postgres-ledger.ts';
import { layOut } from '../../../src/ledger/stores/postgres/schema-laid-out.ts';
import { newWorker } from '../../../src/ledger/stores/postgres/spenders.ts';
import { postgresServer } from './postgres-server.ts';

/** Several workers over one database of PostgreSQL, in one process: each has a ledger with connections and a number of its own. */
export interface Workplace {
  readonly name: string;
  /** Another connection, for what no ledger says. */
  readonly database: Database;
  /** @param url another way to the database, such as through a proxy. */
  worker(url?: (database: string) => string): Promise<Ledger>;
  /** Lets the database have the time of the test from now on, which moves by this alone. */
  later(ms: number): Promise<void>;
}

let databases = 0;

export async function workplace(): Promise<Workplace> {
  const server = await postgresServer();
  databases += 1;
  const name = `workers_${process.pid}_${databases}`;
  await server.createDatabase(name);
  const open = async (): Promise<Database> => {
    const database = await connect(server.url(name));
    onTestFinished(() => database.close().catch(() => {}));
    return database;
  };
  const database = await open();
  await layOut(database);
  let isMoved = false;
  return {
    name,
    database,
    async worker(url = server.url) {
      const own = await connect(url(name), { riding: PATIENT });
      const worker = await newWorker(own, 'run the tests');
      const found = await ledgerNow(own);
      const ledger = postgresLedger(own, { clock: systemClock, command: 'run the tests', worker, found });
      onTestFinished(() => ledger.close().catch(() => {}));
      return ledger;
    },
    async later(ms) {
      if (!isMoved) await database.script(CLOCK_OF_TEST);
      isMoved = true;
      await database.rows('UPDATE time_of_test SET at = at + ms($1)', [ms]);
    },
  };
}

const PATIENT = { clock: systemClock, longestMs: undefined, signal: undefined };

const CLOCK_OF_TEST = `
CREATE TABLE time_of_test AS SELECT clock_timestamp() AS at;
CREATE OR REPLACE FUNCTION clock() RETURNS timestamptz LANGUAGE sql AS $$ SELECT at FROM time_of_test $$`;

/** Two workers over a database of their own. */
export async function twoWorkers(): Promise<readonly [Workplace, Ledger, Ledger]> {
  const place = await workplace();
  return [place, await place.worker(), await place.worker()];
}

/** What the entries of the book add up to, and what the purses say: for each worker that admitted. Both are the same, always. */
export async function booksOf({ database }: Workplace): Promise<{ entries: unknown; purses: unknown }> {
  return { entries: await database.rows(ENTRIES), purses: await database.rows(PURSES) };
}

const ENTRIES = `
SELECT a.batch AS of, a.worker, sum(e.spent) AS spent, sum(e.held) AS held,
       sum(CASE WHEN e.id = a.id AND c.open = a.id THEN a.reserved ELSE 0 END) AS reserved
  FROM entries a JOIN entries e ON coalesce(CASE WHEN e.spent <> 0 THEN e.pays END, e.of) = a.id JOIN calls c ON c.id = a.call
 WHERE a.id = a.of GROUP BY 1, 2 ORDER BY 1, 2`;

const PURSES = `
SELECT of, worker, spent, in_doubt AS held, reserved FROM purses
 WHERE scope = 'batch' AND worker IN (SELECT worker FROM entries) ORDER BY of, worker`;
