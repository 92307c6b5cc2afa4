import type { Clock } from '../../../core/clock.ts';
import type { Ledger } from '../../ledger.ts';
import { accounts } from './accounts-learned.ts';
import { batches } from './batches.ts';
import { calls } from './calls.ts';
import type { Database } from './connection.ts';
import { consents } from './consents.ts';
import { hostNotes } from './host-notes.ts';
import type { SpenderLock } from './lock.ts';
import { misses } from './misses.ts';
import { money } from './money.ts';
import { reports } from './reports.ts';
import { rows } from './rows.ts';
import type { Session } from './session.ts';
import { leave, spenders, workers } from './spenders.ts';
import { subjects } from './subjects-refused.ts';
import { time } from './time.ts';

/** What a spender has. */
export interface Spending {
  readonly clock: Clock;
  readonly worker: number;
  /** As in `StoreOptions`. */
  readonly command: string;
  /** Where it alone spends. */
  readonly lock?: SpenderLock;
  /** The newest entry that others have made, where it alone spends. */
  readonly newest?: number;
}

/**
 * A ledger of its parts, each an object of methods over one session. A reader's connections are read-only, so its ledger has the
 * writing methods as well and the database refuses them.
 */
export function postgresLedger(database: Database, spending?: Spending): Ledger {
  const { clock, lock, newest = 0, worker = 0, command = '' } = spending ?? {};
  const session: Session = {
    ...{ database, clock, lock, worker, command, newest, boot: undefined, ending: [] },
    ...{ own: new Set(), given: new Set(), acknowledged: undefined, floorMs: undefined },
  };
  const parts = {
    ...{ ...calls(session), ...money(session), ...misses(session), ...accounts(session) },
    ...{ ...batches(session), ...rows(session), ...time(session), ...consents(session) },
    ...{ ...reports(session), ...hostNotes(session), ...subjects() },
    workers: () => workers(database),
    ...(lock === undefined ? { spenders: spenders(session) } : {}),
  };
  let closing: Promise<void> | undefined;
  async function close(): Promise<void> {
    for (const end of session.ending) await end();
    await lock?.release();
    if (spending !== undefined) await leave(database.atOnce, worker);
    await database.close();
  }
  return {
    ...parts,
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}
