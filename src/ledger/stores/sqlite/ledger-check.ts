import type { StoreCheck, WrongBudget } from '../../store.ts';
import { ADDED_TOTALS } from './added-up.ts';
import type { Connection } from './connection.ts';
import { batchId } from './tables.ts';

interface Compared {
  readonly scope: string;
  readonly booked: string;
  readonly added: string;
}

const SUMS = (of: string): string =>
  `json_object('spent', coalesce(${of}.spent, 0), 'reserved', coalesce(${of}.reserved, 0), 'in_doubt', coalesce(${of}.held, 0))`;

const WRONG = `
WITH ${ADDED_TOTALS},
compared AS (SELECT coalesce(a.scope, t.scope) AS scope, ${SUMS('t')} AS booked, ${SUMS('a')} AS added
  FROM added a FULL JOIN totals t ON t.scope = a.scope)
SELECT scope, booked, added FROM compared WHERE booked <> added ORDER BY scope`;

/** SQLite's own check, and each total added up anew from the entries. It sees one state of the ledger. */
export function checkLedger(connection: Connection): StoreCheck {
  return connection.snapshot(() => {
    const said = connection.all<{ integrity_check: string }>('PRAGMA integrity_check');
    const broken = said.map(({ integrity_check: words }) => words).filter((words) => words !== 'ok');
    // On broken pages anything may be found.
    if (broken.length > 0) return { broken, budgets: 0, wrong: [] };
    const budgets = connection.get<{ n: number }>('SELECT count(*) AS n FROM totals')?.n ?? 0;
    const wrong = connection.all<Compared>(WRONG).map((each) => wrongFrom(connection, each));
    return { broken, budgets, wrong };
  });
}

/** A scope is `batch:7`, `extra:7`, `day:1:2026-11-22` or `month:1:2026-11`. */
function wrongFrom(connection: Connection, { scope: words, booked, added }: Compared): WrongBudget {
  const [scope = '', id = '', period] = words.split(':');
  const sums = { booked: JSON.parse(booked), added: JSON.parse(added) };
  if (period === undefined) return { scope, of: batchId(Number(id)), ...sums };
  const sql = 'SELECT identity FROM accounts WHERE id = ?';
  return {
    scope,
    of: connection.get<{ identity: string }>(sql, Number(id))?.identity ?? id,
    period,
    ...sums,
  };
}
