import { changesOf } from './money.ts';

/** What the entries of a ledger add up to, stated again without the statements that book them. */

const ENDED = `('answered', 'lost', 'lost_beside', 'unsold')`;

/** What entries move, by the attempts that pay. */
const MOVED = `
SELECT of AS payer, 0 AS spent, reserved, 0 AS in_doubt, false AS estimated FROM entries WHERE id = of
UNION ALL SELECT e.of, 0, -a.reserved, 0, false FROM entries e JOIN entries a ON a.of = e.of AND a.id = e.of WHERE e.kind IN ${ENDED}
UNION ALL SELECT of, 0, 0, held, estimated FROM entries WHERE id <> of
UNION ALL SELECT coalesce(pays, of), spent, 0, 0, estimated FROM entries WHERE id <> of`;

/** By budget, as `changesOf` has it. @param worker whose purse is said to have admitted all of it, as a number in SQL. */
export const addedUp = (worker: string): string =>
  changesOf(`
  SELECT a.batch, c.account, ${worker} AS worker, a.at, a.kind = 'retry' AS is_retry, m.spent, m.reserved, m.in_doubt, m.estimated
    FROM (${MOVED}) m JOIN entries a ON a.of = m.payer AND a.id = m.payer JOIN calls c ON c.id = a.call`);
