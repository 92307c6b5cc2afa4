import type { CallKey } from '../../../core/call-key.ts';
import { type AttemptId, type BatchId, type KnownCall, type ReadAs, settledCall } from '../../ledger.ts';
import { AlteredRow, type Connection } from './connection.ts';
import { hiddenKey } from './erasure-key.ts';
import { hasKey } from './lookups.ts';
import { dialectOf } from './shapes.ts';
import { batchId, keyBytes, keyText } from './tables.ts';

/** A call that is answered or in doubt, with the facts of its attempt; `at` is the index of its key among the requested ones. */
type KnownRow = [
  ...[at: number, isInDoubt: 0 | 1, attempt: number, batch: number | null],
  ...[kind: ReadAs | null, rereadBy: number | null, readBy: number | null, why: string | null],
  ...[answeredAtMs: number | null, erasedAtMs: number | null],
];

/**
 * One statement for all keys, because passing a key costs as much as finding it. CROSS JOIN makes SQLite start with the
 * keys. A reply is on a page of its own, so it is read only when its time is wanted.
 */
const KNOWN = `
  SELECT j.key AS at, c.answer IS NULL AS in_doubt, coalesce(c.answer, c.doubt) AS attempt, a.batch,
         coalesce(e.answer, iif(k.kind = 'in_doubt', 'found', k.answer)) AS kind,
         e.dialect, k.dialect,
         CASE WHEN c.answer IS NULL OR k.kind = 'settled' OR e.id IS NOT NULL THEN coalesce(e.why, k.why)
              ELSE (SELECT d.why FROM told t JOIN decisions d ON d.id = t.decision
                     WHERE t.attempt = c.answer) END AS why,
         CASE WHEN NOT :ages OR c.answer IS NULL THEN NULL
              WHEN k.kind = 'settled' OR e.id IS NOT NULL THEN (SELECT received_at FROM replies WHERE attempt = c.answer)
              ELSE (SELECT received_at FROM told WHERE attempt = c.answer) END AS answered_at,
         iif(:hidden AND c.shape IS NULL, c.call ->> '$.erasedAtMs', NULL) AS erased_at
    FROM json_each(:keys) j CROSS JOIN calls c ON ${hasKey('c', 'unhex(j.value)')}
    LEFT JOIN attempts a ON a.id = coalesce(c.answer, c.doubt)
    LEFT JOIN closures k ON k.attempt = a.id
    LEFT JOIN readings e ON e.id = (SELECT max(id) FROM readings WHERE attempt = c.answer)
   WHERE c.answer IS NOT NULL OR c.doubt IS NOT NULL`;

const UNKNOWN: KnownCall = { kind: 'unknown' };

/**
 * The known calls, in the order of the keys. A told answer counts as found, as everywhere.
 * @param secret the key that hides calls of forgotten people; undefined when nobody was forgotten.
 */
export function knownCalls(
  connection: Connection,
  keys: readonly CallKey[],
  withAges: boolean,
  secret?: Buffer,
): readonly KnownCall[] {
  const plain = callsUnder(connection, keys, withAges, false);
  if (secret === undefined) return plain;
  const missing = keys.flatMap((key, at) => (plain[at] === UNKNOWN ? [{ key, at }] : []));
  const hidden = missing.map(({ key }) => keyText(hiddenKey(secret, keyBytes(key))));
  const found = callsUnder(connection, hidden, withAges, true);
  const known = [...plain];
  for (const [index, { at }] of missing.entries()) known[at] = found[index] ?? UNKNOWN;
  return known;
}

function callsUnder(
  connection: Connection,
  keys: readonly CallKey[],
  withAges: boolean,
  isHidden: boolean,
): readonly KnownCall[] {
  const known = new Array<KnownCall>(keys.length).fill(UNKNOWN);
  const values = { keys: JSON.stringify(keys), ages: withAges ? 1 : 0, hidden: isHidden ? 1 : 0 };
  const batches = new Map<number, BatchId>();
  for (const row of connection.lists<KnownRow>(KNOWN, values)) {
    const [at, , attempt, number] = row;
    if (number === null) throw new AlteredRow(`attempt ${attempt} is missing`);
    const batch = batches.get(number) ?? batchId(number);
    batches.set(number, batch);
    known[at] = knownCall(connection, row, batch, withAges);
  }
  return known;
}

function knownCall(connection: Connection, row: KnownRow, batch: BatchId, withAges: boolean): KnownCall {
  const [, isInDoubt, number, , kind, rereadBy, readBy, why, answeredAtMs, erasedAtMs] = row;
  const attempt = number as AttemptId;
  if (isInDoubt === 1) return { kind: 'in_doubt', doubt: { attempt, batch } };
  if (kind === null || why === null || (withAges && answeredAtMs === null)) {
    throw new AlteredRow(`the answer of attempt ${attempt} is not whole`);
  }
  const mark = rereadBy ?? (readBy === null ? undefined : dialectOf(connection, readBy));
  const dialect = mark === undefined ? {} : { dialect: mark };
  const erased = erasedAtMs === null ? {} : { erasedAtMs };
  const answer = { attempt, batch, kind, why, ...dialect, ...erased };
  return settledCall(answeredAtMs === null ? answer : { ...answer, answeredAtMs });
}

export function forgettingAccounts(connection: Connection): readonly string[] {
  const found = connection.all<{ identity: string }>(
    `SELECT DISTINCT p.identity FROM erasures e JOIN erased x ON x.erasure = e.id AND x.what = 'call'
       JOIN calls c ON c.id = x.id JOIN accounts p ON p.id = c.account
      WHERE e.kind = 'person'`,
  );
  return found.map(({ identity }) => identity);
}
