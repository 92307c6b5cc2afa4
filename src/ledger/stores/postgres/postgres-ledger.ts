import type { Clock } from '../../../core/clock.ts';
import type { Ledger } from '../../ledger.ts';
import { accounts } from './accounts-learned.ts';
import { batches } from './batches.ts';
import { calls } from './calls.ts';
import type { Database } from './connection.ts';
import { hostNotes } from './host-notes.ts';
import { notices } from './kept-notices.ts';
import { listed } from './listed.ts';
import type { Standing } from './lock.ts';
import { type LedgerNow, seeAtEnd } from './lost-commits.ts';
import { misses } from './misses.ts';
import { money } from './money.ts';
import { people } from './people.ts';
import { reports } from './reports.ts';
import { rows } from './rows.ts';
import type { Session } from './session.ts';
import { leave, spenders, workers } from './spenders.ts';
import { subjects } from './subjects-read.ts';
import { terms } from './terms.ts';

export interface Spending {
  readonly clock: Clock;
  /** 0 for a process that only looks at it while it stands still. */
  readonly worker: number;
  readonly command: string;
  readonly operator?: string | undefined;
  readonly standing?: Standing | undefined;
  readonly found?: LedgerNow;
}

/** A reader's ledger has the writing methods as well: its connections are read-only, so the database refuses them. */
export function postgresLedger(database: Database, spending?: Spending, secret?: Buffer): Ledger {
  const { clock, worker = 0, command = '', operator, standing, found } = spending ?? {};
  const session: Session = {
    ...{ database, clock, worker, command, operator, secret, isAlone: standing !== undefined },
    ending: [],
    ...{ own: new Set(), given: new Set() },
    ...{ seen: found?.newest ?? undefined, identity: found?.identity },
  };
  const parts = {
    ...{ ...calls(session), ...money(session), ...misses(session), ...accounts(session) },
    ...{ ...batches(session), ...rows(session), ...people(session) },
    ...{ ...reports(session), ...hostNotes(session), ...subjects(session), ...listed(session) },
    ...notices(session),
    workers: () => workers(database),
    spenders: { ...spenders(session), ...terms(session) },
  };
  let closing: Promise<void> | undefined;
  async function close(): Promise<void> {
    for (const end of session.ending) await end();
    await standing?.end();
    if (worker !== 0) {
      await seeAtEnd(session);
      await leave(database.atOnce, worker);
    }
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
