import type { StoreCheck, WrongBudget } from '../../store.ts';
import { addedUp } from './added-up.ts';
import { connect } from './connection.ts';
import { hasLedger, nothingThere } from './schema-laid-out.ts';

const SUMS = 'sum(spent) AS spent, sum(reserved) AS reserved, sum(in_doubt) AS in_doubt';
const asJson = (of: string): string =>
  ['spent', 'reserved', 'in_doubt'].map((name) => `'${name}', coalesce(${of}.${name}, 0)`).join(', ');

/** One statement sees one state, whatever others write meanwhile. A purse that nothing was taken from adds nothing. */
const BUDGETS = `
WITH added AS (SELECT scope, of, period, ${SUMS} FROM (${addedUp('0')}) a GROUP BY 1, 2, 3),
booked AS (SELECT scope, of, period, ${SUMS} FROM purses GROUP BY 1, 2, 3)
SELECT scope, of, nullif(period, '') AS period, json_build_object(${asJson('b')}) AS booked, json_build_object(${asJson('a')}) AS added
  FROM added a FULL JOIN booked b USING (scope, of, period) ORDER BY 1, 2, 3`;

/** Adds the budgets up anew. Whether its files are whole the server tells, by its own checksums. */
export async function check(location: string): Promise<StoreCheck> {
  const database = await connect(location, { isReader: true });
  try {
    if (!(await hasLedger(database))) throw nothingThere(database);
    const budgets = await database.rows<WrongBudget & { readonly period: string | null }>(BUDGETS);
    const wrong = budgets.filter(({ booked, added }) => JSON.stringify(booked) !== JSON.stringify(added));
    return {
      broken: [],
      budgets: budgets.length,
      wrong: wrong.map(({ period, ...each }) => (period === null ? each : { ...each, period })),
    };
  } finally {
    await database.close();
  }
}
