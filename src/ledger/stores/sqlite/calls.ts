import type { CallKey } from '../../../core/call-key.ts';
import { present } from '../../../core/objects.ts';
import type { BatchId, CallState, Detail, Doubt, LedgerReader, OpenAttempt } from '../../ledger.ts';
import { hiddenKey } from '../../rules/hidden-keys.ts';
import { doubtOf, type History, openIn, standing, unusedDecision } from '../../rules/history.ts';
import { statesUnder } from './answers.ts';
import { type CallRow, historyOf, historyWith, recordOf, recordsBy } from './attempt-records.ts';
import { AlteredRow, type Connection, type Reads } from './connection.ts';
import { attemptsOf, hasKey } from './lookups.ts';
import { batchNumber, keyBytes, keyText } from './tables.ts';

/** What the ledger holds for calls, for those who ask for one after the other: a few reads by number, one or two microseconds each. */

/** @param secret the key that hides calls of forgotten people; undefined when nobody was forgotten. */
export function callUnder(connection: Connection, key: Buffer, secret?: Buffer): CallRow | undefined {
  const call = connection.get<CallRow>(BY_KEY, { key });
  if (call !== undefined || secret === undefined) return call;
  return connection.get(BY_KEY, { key: hiddenKey(secret, key) });
}

const BY_KEY = `SELECT * FROM calls WHERE ${hasKey('calls', '+:key')}`;

export function statesOf(
  connection: Connection,
  keys: readonly CallKey[],
  { detail = 'whole', batch }: { readonly detail?: Detail; readonly batch?: BatchId | undefined },
  secret?: Buffer,
): readonly CallState<Detail>[] {
  const states = statesUnder(connection, keys, detail, false);
  if (secret !== undefined) {
    const missing = keys.flatMap((key, at) => (states[at]?.kind === 'unknown' ? [{ key, at }] : []));
    const hidden = missing.map(({ key }) => keyText(hiddenKey(secret, keyBytes(key))));
    for (const [index, state] of statesUnder(connection, hidden, detail, true).entries())
      states[missing[index]?.at ?? 0] = state;
  }
  if (detail !== 'whole') return states;
  return states.map((state) =>
    state.kind === 'in_doubt' ? inDoubt(connection, state.doubt.attempt, batch) : state,
  );
}

function inDoubt(connection: Connection, attempt: number, batch?: BatchId): CallState {
  const history = historyWith(connection, attempt);
  const decision = batch === undefined ? undefined : unusedDecision(history, batch);
  return { kind: 'in_doubt', doubt: doubtIn(history), ...present({ decision }) };
}

function doubtIn(history: History): Doubt {
  const lost = standing(history);
  if (lost === undefined) throw new AlteredRow(`what call ${history.call.id} is in doubt about is missing`);
  return doubtOf(history, lost);
}

export function openAttempts(connection: Connection, newest: number): readonly OpenAttempt[] {
  const sql = 'SELECT id FROM calls WHERE open IS NOT NULL AND open <= +? ORDER BY open';
  const calls = connection.all<{ id: number }>(sql, newest);
  return calls.flatMap(({ id }) => openIn(historyOf(connection, id)) ?? []);
}

/** The loss of each call in doubt that rows of the batch wait for: own attempts, and those of other batches that a row names. */
const DOUBTS = `
SELECT c.id FROM calls c JOIN attempts d ON d.id = c.stands
 WHERE c.state = 'doubt'
   AND (
     EXISTS (SELECT 1 FROM losses l JOIN attempts a ON a.id = l.attempt WHERE l.call = c.id AND a.batch = :batch)
     OR c.id IN (
       SELECT a.call FROM rows r, json_each(r.answers) j JOIN attempts a ON a.id = j.value
        WHERE r.batch = :batch AND r.outcome = 'in_doubt'))
   AND (:withSkipped OR (
     SELECT k.said FROM notes k WHERE k.of = c.stands AND k.kind = 'decided' AND k.batch = :batch
      ORDER BY k.id DESC LIMIT 1) IS NOT 'skip')
 ORDER BY d.row, c.id`;

const HISTORY = `
SELECT a.id FROM (
  SELECT call FROM attempts WHERE batch = :batch AND row = :row
  UNION
  SELECT a.call FROM rows r, json_each(r.answers) j JOIN attempts a ON a.id = j.value
   WHERE r.batch = :batch AND r.row = :row) c
 CROSS JOIN attempts a ON a.id IN ${attemptsOf('c.call')} ORDER BY a.id`;

/** Attempts have numbers in the order in which they began, so the newest are at the end of the table: so many are searched. */
const NEWEST_FOUND = `
SELECT e.of AS id FROM (SELECT id FROM attempts ORDER BY id DESC LIMIT 1000) a
  CROSS JOIN ends e ON e.of = a.id CROSS JOIN calls c ON c.id = e.call CROSS JOIN accounts p ON p.id = c.account
 WHERE p.identity = +? AND e.kind = 'answered' AND e.said = 'found' ORDER BY e.of DESC LIMIT +?`;

export const CALL_READS = {
  doubts: (connection, batch, { withSkipped } = { withSkipped: false }) =>
    connection
      .all<{ id: number }>(DOUBTS, { batch: batchNumber(batch), withSkipped: withSkipped ? 1 : 0 })
      .map(({ id }) => doubtIn(historyOf(connection, id))),
  history: (connection, batch, row) => recordsBy(connection, HISTORY, { batch: batchNumber(batch), row }),
  attempts: (connection, ids) => ids.map((id) => recordOf(connection, id)),
  lostRefresh(connection, answer) {
    const sql = `SELECT max(l.at) AS at FROM attempts l CROSS JOIN losses x ON x.attempt = l.id
      WHERE l.sees = +? AND l.kind = 'refresh'`;
    return connection.get<{ at: number | null }>(sql, answer)?.at ?? undefined;
  },
  newestFound: (connection, accountIdentity, most) =>
    recordsBy(connection, NEWEST_FOUND, accountIdentity, most).flatMap(({ call, reply }) =>
      reply === undefined ? [] : [{ call, reply }],
    ),
} satisfies Partial<Reads<LedgerReader>>;
