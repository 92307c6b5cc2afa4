import type { Clock } from '../../../core/clock.ts';
import type { Ledger } from '../../ledger.ts';
import { accounts } from './accounts-learned.ts';
import { acts } from './acts.ts';
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
import { subjects } from './subjects-refused.ts';
import { time } from './time.ts';

/** What the one spender has. */
export interface Spending {
  readonly clock: Clock;
  readonly lock: SpenderLock;
  readonly operator: string | undefined;
  /** The newest entry that others have made. */
  readonly newest: number;
}

/**
 * A ledger of its parts, each an object of methods over one session. A reader's connections are read-only, so its ledger has the
 * writing methods as well and the database refuses them.
 */
export function postgresLedger(database: Database, spending?: Spending): Ledger {
  const { clock, lock, operator, newest = 0 } = spending ?? {};
  const session: Session = { database, clock, lock, operator, newest, boot: undefined, ending: [] };
  const parts = {
    ...{ ...calls(session), ...money(session), ...misses(session), ...accounts(session) },
    ...{ ...batches(session), ...rows(session), ...time(session), ...consents(session) },
    ...{ ...reports(session), ...hostNotes(session), ...subjects(), ...acts(session) },
  };
  let closing: Promise<void> | undefined;
  async function close(): Promise<void> {
    for (const end of session.ending) await end();
    await lock?.release();
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
