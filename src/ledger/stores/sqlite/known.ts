import type { CallKey } from '../../../core/call-key.ts';
import { type AttemptId, answeredCall, type BatchId, type KnownCall, type ReadAs } from '../../ledger.ts';
import { AlteredRow, type Connection } from './connection.ts';
import { hiddenKey } from './erasure-key.ts';
import { hasKey } from './lookups.ts';
import { wordsOf } from './stories.ts';
import { batchId, keyBytes, keyText } from './tables.ts';

/** A call that is answered, in doubt or under way, with the facts of its attempt; `at` is the index of its key among the requested ones. */
type KnownRow = [
  ...[at: number, state: 'free' | 'answered' | 'doubt', attempt: number, batch: number | null],
  ...[kind: ReadAs | null, dialect: number | null, words: string | null, status: number | null],
  ...[answeredAtMs: number | null, erasedAtMs: number | null],
];

/**
 * One statement for all keys, because passing a key costs as much as finding it. CROSS JOIN makes SQLite start with the
 * keys. What was told counts as found.
 */
const KNOWN = `
  SELECT j.key AS at, c.state, coalesce(c.stands, c.open) AS attempt, a.batch,
         CASE WHEN n.id IS NULL THEN k.said WHEN n.kind = 'told' THEN 'found' ELSE n.said END,
         iif(n.id IS NULL, k.dialect, n.dialect), iif(n.id IS NULL, k.words, n.words), k.status,
         CASE WHEN NOT :ages OR c.state <> 'answered' THEN NULL
              WHEN n.kind = 'told' THEN n.facts ->> '$.received_at'
              ELSE (SELECT r.at FROM replies r WHERE r.of = c.stands) END,
         iif(:hidden, c.question ->> '$.erasedAtMs', NULL)
    FROM json_each(:keys) j CROSS JOIN calls c ON ${hasKey('c', 'unhex(j.value)')}
    LEFT JOIN attempts a ON a.id = coalesce(c.stands, c.open) LEFT JOIN ends k ON k.of = c.stands
    LEFT JOIN notes n ON n.id = (
      SELECT max(e.id) FROM notes e WHERE e.of = c.stands AND (e.kind = 'told' OR e.kind = 'read' OR e.kind = 'reading'))
   WHERE coalesce(c.stands, c.open) IS NOT NULL`;

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
    known[at] = knownCall(row, batch, withAges);
  }
  return known;
}

function knownCall(row: KnownRow, batch: BatchId, withAges: boolean): KnownCall {
  const [, state, number, , kind, dialect, words, status, answeredAtMs, erasedAtMs] = row;
  const attempt = number as AttemptId;
  if (state === 'free') return { kind: 'in_flight', attempt };
  if (state === 'doubt') return { kind: 'in_doubt', doubt: { attempt, batch } };
  if (kind === null || (withAges && answeredAtMs === null))
    throw new AlteredRow(`the answer of attempt ${attempt} is not whole`);
  const said = dialect === null ? {} : { dialect };
  const erased = erasedAtMs === null ? {} : { erasedAtMs };
  const answer = { attempt, batch, kind, why: wordsOf({ words, status }), ...said, ...erased };
  return answeredCall(answeredAtMs === null ? answer : { ...answer, answeredAtMs });
}

export function forgettingAccounts(connection: Connection): readonly string[] {
  const found = connection.all<{ identity: string }>(
    `SELECT DISTINCT p.identity FROM erasures e JOIN erased x ON x.erasure = e.id AND x.what = 'call'
       JOIN calls c ON c.id = x.id JOIN accounts p ON p.id = c.account
      WHERE e.kind = 'person'`,
  );
  return found.map(({ identity }) => identity);
}
