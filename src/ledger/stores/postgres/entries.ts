import {
  type AttemptId,
  type Credits,
  DEADLINE_MS,
  type EntryOf,
  type Intent,
  OVER_AFTER_MS,
  SENT_WITHIN_MS,
} from '../../ledger.ts';
import type { Draft } from '../../rules/drafts.ts';
import {
  type Attempt,
  attemptIn,
  type EntryFacts,
  type History,
  type KeptCall,
  reservedBy,
} from '../../rules/history.ts';
import { termsOf } from '../../rules/kept-call.ts';
import { ENDED, type Kind, SENT } from '../../rules/moves.ts';
import { oneCell, oneColumn, type Sql } from './connection.ts';
import { type Lack, Lacking, type Moved, movesOf, NO_MOST, type Payer } from './money.ts';
import { json, keyBytes, type Session, wholeMs } from './session.ts';

/**
 * Writes entries, each in the statement that moves its call. What is written most is one statement for many calls: it moves those
 * that stand as a plain entry needs it, locked in the order of their keys, and leaves the others to the rules.
 */

interface BegunRow {
  readonly begun: Begun | null;
  /** A call that others have moved, as it was when the statement began. */
  readonly other: (Pick<KeptCall, 'state' | 'open' | 'stands'> & { readonly key: string }) | null;
  readonly lack: Lack | null;
}

export interface Begun {
  readonly key: string;
  readonly attempt: AttemptId;
  readonly reserved: number;
  /** Where the ledger went on, by which nothing may begin any more. */
  readonly copiedTo: string | null;
}

/** By the clock of the database, which is that of all workers. */
const inMs = (ms: string): string => `clock() + ms(${ms})`;

/** When an attempt is over, whoever made it: it leaves soon after its intent, or never, and its exchange has a deadline. */
export const overAfterMs = ({ deadlineMs = DEADLINE_MS }: Intent): number =>
  Math.ceil(SENT_WITHIN_MS + deadlineMs + OVER_AFTER_MS);

const BEGIN = `
WITH asked AS (
  SELECT * FROM unnest($1::bytea[], $2::text[], $3::text[], $4::bigint[], $5::json[], $6::json[], $7::text[], $8::bigint[],
    $9::bigint[], $10::bigint[], $11::json[], $12::bigint[])
    AS a (key, account, operation, most, parameters, terms, batch, row, reserved, at, facts, lasts)
), moved AS (
  INSERT INTO calls AS c (key, account, operation, credits_most, parameters, terms, kind, over_at)
    SELECT key, account, operation, most, parameters, terms, 'intent', ${inMs('lasts')} FROM asked ORDER BY key
    ON CONFLICT (key) DO UPDATE SET kind = 'intent', over_at = excluded.over_at WHERE c.state = 'free' AND c.open IS NULL
  RETURNING c.id, c.key, c.head, c.account, c.operation, c.credits_most
), begun AS (
  INSERT INTO entries (id, of, call, kind, batch, row, reserved, at, facts, worker)
    SELECT m.head, m.head, m.id, 'intent', a.batch, a.row, greatest(a.reserved, p.highest), a.at, a.facts, $13
      FROM moved m JOIN asked a USING (key)
      LEFT JOIN prices p ON p.account = m.account AND p.operation = m.operation AND p.credits_most = coalesce(m.credits_most, ${NO_MOST})
    RETURNING id, batch, reserved, at, worker
), ${movesOf('SELECT b.*, m.account, 0 AS spent, 0 AS in_doubt, false AS estimated, false AS is_retry FROM begun b JOIN moved m ON m.head = b.id', 'true')}
SELECT json_build_object('key', encode(m.key, 'hex'), 'attempt', b.id, 'reserved', b.reserved, 'copiedTo', l.copied_to) AS begun, NULL::json AS other, NULL::json AS lack
  FROM begun b JOIN moved m ON m.head = b.id CROSS JOIN ledger l
UNION ALL SELECT NULL, json_build_object('key', encode(c.key, 'hex'), 'state', c.state, 'open', c.open, 'stands', c.stands), NULL
  FROM asked a JOIN calls c USING (key) WHERE NOT EXISTS (SELECT FROM moved m WHERE m.key = a.key)
UNION ALL SELECT NULL, NULL, to_json(l) FROM lacking l`;

interface BegunCalls {
  readonly begun: ReadonlyMap<string, Begun>;
  readonly others: ReadonlyMap<string, NonNullable<BegunRow['other']>>;
}

/**
 * Begins attempts of calls of which nothing stands and nothing is under way, and reserves for them.
 * @throws Lacking when a purse does not hold all of them: it is filled in a transaction of its own, because others wait for that.
 */
export async function beginAll(
  sql: Sql,
  intents: readonly Intent[],
  { worker }: Session,
): Promise<BegunCalls> {
  const columns = [
    intents.map(({ key }) => keyBytes(key)),
    intents.map(({ accountIdentity }) => accountIdentity),
    intents.map(({ call }) => call.operation),
    intents.map(({ call }) => call.creditsMost ?? null),
    intents.map(({ call }) => json(call.parameters)),
    intents.map(({ call }) => json(termsOf(call))),
    intents.map(({ batch }) => batch),
    intents.map(({ row }) => row),
    intents.map(({ reserve }) => reserve),
    intents.map(({ atMs }) => wholeMs(atMs)),
    intents.map((intent) => json(requestFacts(intent))),
    intents.map(overAfterMs),
  ];
  const rows = await sql.rows<BegunRow>(BEGIN, [...columns, worker]);
  const lacking = rows.flatMap(({ lack }) => lack ?? []);
  if (lacking.length > 0) throw new Lacking(lacking);
  return {
    begun: new Map(rows.flatMap(({ begun }) => (begun === null ? [] : [[begun.key, begun]]))),
    others: new Map(rows.flatMap(({ other }) => (other === null ? [] : [[other.key, other]]))),
  };
}

export function requestFacts({ request }: Intent): EntryFacts | undefined {
  if (request === undefined) return undefined;
  const { body, ...others } = request;
  return { request: body === undefined ? others : { ...others, body: body.toString('base64') } };
}

/**
 * A price that is known already is not written: whoever does takes its row until the transaction ends, and all others wait for that,
 * because nearly every answer shows the same price.
 */
function keepHighest(shown: string): string {
  return `INSERT INTO prices AS p (account, operation, credits_most, highest)
    SELECT account, operation, most, highest FROM (${shown}) s WHERE NOT EXISTS (
      SELECT FROM prices k WHERE (k.account, k.operation, k.credits_most) = (s.account, s.operation, s.most) AND k.highest >= s.highest)
     ORDER BY 1, 2, 3
    ON CONFLICT (account, operation, credits_most) DO UPDATE SET highest = excluded.highest WHERE excluded.highest > p.highest`;
}

/** Said so that the index of open calls is no way to it: the planner takes that for short, and it has all that were open lately. */
const isOpen = (call: string, asked: string): string => `coalesce(${call}.open, 0) = ${asked}.attempt`;

/** Replies and ends of calls that no other attempt has a part in. All are locked first, in the order of their keys. */
const FOLLOW = `
WITH back AS (
  SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::json[], $5::bytea[]) AS a (attempt, at, status, headers, body)
), over AS (
  SELECT * FROM unnest($6::bigint[], $7::text[], $8::bigint[], $9::bigint[], $10::text[], $11::bigint[], $12::boolean[], $13::json[], $14::boolean[])
    AS a (attempt, kind, spent, at, said, dialect, estimated, words, shows)
), asked AS (
  SELECT attempt FROM back UNION SELECT attempt FROM over
), locked AS (
  SELECT c.id, e.of AS attempt, e.batch, e.worker, e.reserved, e.at AS begun_at
    FROM asked a CROSS JOIN LATERAL (SELECT * FROM entries WHERE of = a.attempt AND id = a.attempt LIMIT 1) e
    JOIN calls c ON c.id = e.call AND ${isOpen('c', 'a')}
   ORDER BY c.key FOR UPDATE OF c
), replied AS (
  UPDATE calls c SET kind = 'reply', of = l.attempt FROM locked l JOIN back a USING (attempt)
   WHERE c.id = l.id AND ${isOpen('c', 'l')} AND c.phase = 'sent'
  RETURNING c.id AS call, c.head, a.*
), ended AS (
  UPDATE calls c SET kind = a.kind, of = l.attempt FROM locked l JOIN over a USING (attempt)
   WHERE c.id = l.id AND ${isOpen('c', 'l')} AND c.state = 'free' AND (c.phase = 'back' OR a.kind <> 'answered')
  RETURNING c.id AS call, c.head, c.account, c.operation, c.credits_most, l.batch, l.worker, l.reserved, l.begun_at, a.*
), kept AS (
  INSERT INTO entries (id, of, call, kind, at, status, headers, body)
    SELECT head, attempt, call, 'reply', at, status, headers, body FROM replied
), written AS (
  INSERT INTO entries (id, of, call, kind, spent, held, at, said, dialect, estimated, words, status)
    SELECT head, attempt, call, kind, spent, CASE WHEN kind = 'lost' THEN reserved ELSE 0 END, at, said, dialect, estimated, words,
           CASE WHEN kind = 'answered' THEN (SELECT r.status FROM entries r WHERE r.of = attempt AND r.kind = 'reply') END
      FROM ended
), priced AS (
  ${keepHighest(`SELECT account, operation, coalesce(credits_most, ${NO_MOST}) AS most, max(spent) AS highest FROM ended WHERE shows GROUP BY 1, 2, 3`)}
), ${movesOf(
  "SELECT batch, account, worker, begun_at AS at, spent, -reserved AS reserved, CASE WHEN kind = 'lost' THEN reserved ELSE 0 END AS in_doubt, estimated, false AS is_retry FROM ended",
  'false',
)}
SELECT attempt FROM ended UNION ALL SELECT attempt FROM replied UNION ALL SELECT worker FROM lacking`;

/**
 * Keeps what came back for attempts that are under way, and ends attempts of calls of which nothing stands, so that no other attempt has
 * a part in them, with what they move and what they show of prices. No attempt is in both.
 * @returns those that were written.
 */
export async function followAll(
  sql: Sql,
  replies: readonly EntryOf<'reply'>[],
  ends: readonly EntryOf<'end'>[],
): Promise<readonly AttemptId[]> {
  if (replies.length + ends.length === 0) return [];
  const closures = ends.map(({ closure }) => closure);
  return oneColumn<AttemptId>(sql, FOLLOW, [
    replies.map(({ attempt }) => attempt),
    replies.map(({ reply }) => wholeMs(reply.receivedAtMs)),
    replies.map(({ reply }) => reply.status),
    replies.map(({ reply }) => json(reply.headers)),
    replies.map(({ reply }) => reply.body),
    ends.map(({ attempt }) => attempt),
    closures.map(kindOfEnd),
    closures.map((closure) => spentBy(closure)),
    ends.map(({ atMs }) => wholeMs(atMs)),
    closures.map((closure) => (closure.kind === 'answered' ? closure.answer : saidBy(closure.kind))),
    closures.map((closure) => (closure.kind === 'answered' ? (closure.dialect ?? null) : null)),
    closures.map((closure) => isEstimated(closure)),
    closures.map(({ why }) => json(why)),
    closures.map((closure) => closure.kind === 'answered' && closure.showsPrice === true),
  ]);
}

type Closure = EntryOf<'end'>['closure'];
const kindOfEnd = ({ kind }: Closure): 'answered' | 'lost' | 'unsold' =>
  kind === 'answered' ? kind : kind === 'in_doubt' ? 'lost' : 'unsold';
const saidBy = (kind: Closure['kind']): string | null => (kind === 'in_doubt' ? null : kind);
const spentBy = (closure: Closure): number => (closure.kind === 'answered' ? closure.charged : 0);
const isEstimated = (closure: Closure): boolean =>
  closure.kind === 'answered' && closure.isAtMost === true && closure.charged > 0;

const WRITE = `
WITH moved AS (
  UPDATE calls SET kind = $2, of = coalesce($3, of), over_at = CASE WHEN $24::bigint IS NULL THEN over_at ELSE ${inMs('$24')} END, state = CASE WHEN $4 THEN $5 ELSE state END, stands = CASE WHEN $4 THEN $6 ELSE stands END
   WHERE id = $1 RETURNING id, head, of
)
INSERT INTO entries (id, of, call, kind, sees, pays, batch, row, reserved, spent, held, at, status, said,
    dialect, estimated, words, headers, body, facts, worker)
  SELECT head, of, id, $2, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23 FROM moved
  RETURNING id`;

/**
 * Writes what follows in the history of a call whose row is taken.
 * @param overMs when an attempt that begins by it is over.
 * @returns the number of the first entry.
 */
export async function write(
  sql: Sql,
  { call }: History,
  drafts: readonly Draft[],
  overMs?: number,
): Promise<number> {
  let first = 0;
  for (const { kind, of, to, sees, at, spent = 0, held = 0, estimated = false, ...rest } of drafts) {
    const [words, headers, facts] = [rest.words, rest.headers, rest.facts].map((cell) =>
      json(cell ?? undefined),
    );
    const written = await oneCell<number>(sql, WRITE, [
      ...[call.id, kind, of, to !== undefined, to?.state, to?.stands, sees === 'first' ? first : sees],
      ...[rest.pays, rest.batch, rest.row, rest.reserved, spent, held, wholeMs(at)],
      ...[rest.status, rest.said, rest.dialect, estimated, words, headers, rest.body, facts],
      ...[rest.worker, overMs],
    ]);
    if (first === 0) first = written ?? 0;
  }
  return first;
}

const payerOf = ({ call }: History, { begun }: Attempt): Payer => ({
  batch: begun.batch ?? ('' as Payer['batch']),
  account: call.account,
  worker: begun.worker ?? 0,
  atMs: begun.at,
  isRetry: begun.kind === 'retry',
});

/** What entries that follow in a history move, but for those that begin an attempt. */
export function movedBy(history: History, drafts: readonly Draft[]): readonly Moved[] {
  return drafts.flatMap(({ kind, of, pays, spent = 0, held = 0, estimated = false }) => {
    const attempt = attemptIn(history, of ?? null);
    if (attempt === undefined || isOneOf(SENT, kind)) return [];
    const paying = attemptIn(history, pays ?? null) ?? attempt;
    const reserved = isOneOf(ENDED, kind) ? -reservedBy(attempt) : 0;
    return [
      { payer: payerOf(history, attempt), reserved, held, estimated },
      { payer: payerOf(history, paying), spent, estimated },
    ];
  });
}

const isOneOf = (kinds: readonly Kind[], kind: Kind): boolean => kinds.includes(kind);

export async function keepPrice(sql: Sql, { account, call }: KeptCall, charged: Credits): Promise<void> {
  await sql.rows(PRICE, [account, call.operation, call.creditsMost ?? NO_MOST, charged]);
}

const PRICE = keepHighest(
  'SELECT $1::text AS account, $2::text AS operation, $3::bigint AS most, $4::bigint AS highest',
);
