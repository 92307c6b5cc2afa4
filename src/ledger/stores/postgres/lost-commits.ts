import type { StopError } from '../../../core/errors.ts';
import { behindWords, lossAt as lossAtPlace, lossIn, lost, requireAccepted } from '../../lost-stores.ts';
import { keepNote, keepPlace, noteAt, noteOf, type SentRequest } from '../../outside-notes.ts';
import type { StoreOptions } from '../../store.ts';
import { type Database, oneCell, type Sql } from './connection.ts';
import type { Session } from './session.ts';

/**
 * A database that was restored from a backup, and a server that took another's place, may know less than was done with them. Each
 * process knows the newest attempt that it has seen in the ledger, and each host notes it outside with every beat and at the end
 * of a process, so that one that begins knows it as well: a kill loses what was noted since the last beat, about a second. A
 * process that finds it missing marks the ledger, and nobody spends from it until a person accepts that.
 */

/** Whether the ledger has the attempt, which may be NULL. */
export const hasAttempt = (attempt: string, atMs: string): string =>
  `(${attempt}::bigint IS NULL OR EXISTS (SELECT FROM entries w WHERE w.of = ${attempt}::bigint AND w.id = w.of AND w.at = ${atMs}::bigint))`;

export interface LedgerNow {
  readonly identity: string;
  /** The names of those whose loss a person accepted. */
  readonly formerly: readonly string[];
  /** What it has lost, as somebody noticed; null while nobody has, or where that was accepted. */
  readonly lost: string | null;
  /** The newest attempt; null while it holds nothing but play money, which is not worth a stop. */
  readonly newest: SentRequest | null;
}

export const LEDGER_NOW = `
SELECT json_build_object('identity', l.identity, 'formerly', l.formerly, 'lost', l.lost, 'newest', (
    SELECT json_build_object('attempt', e.of, 'atMs', e.at) FROM (SELECT max(of) AS of FROM entries) n
      CROSS JOIN LATERAL (SELECT of, at FROM entries WHERE of = n.of AND id = n.of LIMIT 1) e
     WHERE EXISTS (SELECT FROM batches WHERE NOT sandbox))) AS now FROM ledger l`;

export async function ledgerNow(sql: Sql): Promise<LedgerNow> {
  const now = await oneCell<LedgerNow>(sql, LEDGER_NOW);
  return now ?? { identity: '', formerly: [], lost: null, newest: null };
}

/** What is missing, and the name of the ledger that has it. */
export interface Loss {
  readonly fact: string;
  readonly identity: string;
}

/** What a database lacks of what is known; undefined when it is the newest known one. */
export async function lossOf(database: Database): Promise<Loss | undefined> {
  const { identity, formerly, lost: marked, newest } = await ledgerNow(database);
  if (marked !== null) return { fact: marked, identity };
  const [store, place] = [database.shown, placeOf(database)];
  const note = noteOf(identity);
  const isAhead = note?.newest !== undefined && !(await hasRequest(database, note.newest));
  const found = { store, place, identity, formerly, newest: newest ?? undefined };
  const fact = lossIn(found, isAhead ? note : undefined);
  if (fact === undefined) return undefined;
  return { fact, identity: isAhead ? identity : (noteAt(place)?.identity ?? identity) };
}

/** What is known to be lost where there is no ledger. */
export function lossAt(database: Database): Loss | undefined {
  const place = placeOf(database);
  const fact = lossAtPlace(database.shown, place);
  return fact === undefined ? undefined : { fact, identity: noteAt(place)?.identity ?? '' };
}

/** @throws StopError `store_lost` when something is missing and the person does not accept that; the others are told. */
export async function requireNewest(
  database: Database,
  options: Pick<StoreOptions, 'acceptLost' | 'tell'>,
): Promise<void> {
  const loss = await lossOf(database);
  if (loss === undefined) return;
  if (options.acceptLost !== true) await mark(database, loss);
  requireAccepted(loss.fact, options);
  await accept(database, loss);
}

async function hasRequest(sql: Sql, { attempt, atMs }: SentRequest): Promise<boolean> {
  return (await oneCell(sql, `SELECT ${hasAttempt('$1', '$2')}`, [attempt, atMs])) === true;
}

/** One address for all roles. */
const placeOf = ({ shown }: Database): string => shown.replace(/\/\/[^@/]*@/, '//');

/** Tells everybody who spends from the ledger. What stands in its place under another name is left alone. */
async function mark(sql: Sql, { fact, identity }: Loss): Promise<void> {
  const text = 'UPDATE ledger SET lost = $1 WHERE lost IS NULL AND identity = $2';
  // Where it cannot be written nobody can spend from it either.
  await sql.rows(text, [fact, identity]).catch(() => {});
}

/**
 * Accepts what is lost. The ledger gets a name of its own, so that the lost one is still missed when it comes back, and hosts that know
 * it by a former name go on with it.
 */
export async function accept(sql: Sql, { identity }: Loss): Promise<void> {
  await sql.rows(ACCEPT, [identity]);
}

const ACCEPT = `
UPDATE ledger SET identity = replace(gen_random_uuid()::text, '-', ''), formerly = formerly || ARRAY[identity, $1], lost = NULL`;

/** The stop of a process that had seen more than there is now. */
export function commitsLost({ database, seen }: Pick<Session, 'database' | 'seen'>): StopError {
  return lost(missingWords(database, seen));
}

function missingWords(database: Database, seen: SentRequest | undefined): string {
  const [store, place] = [database.shown, placeOf(database)];
  return behindWords({ store, place, newest: undefined }, { place, newest: seen });
}

export interface Looked {
  readonly isWhole: boolean;
  readonly now: LedgerNow;
}

/**
 * Takes what was found for the newest that is known, here and outside.
 * @throws StopError `store_lost` when something is missing; the others are told.
 */
export async function see(session: Session, { isWhole, now }: Looked): Promise<void> {
  const { database, seen, identity } = session;
  if (now.lost !== null) throw lost(now.lost);
  if (!isWhole) {
    if (identity !== undefined) await mark(database.atOnce, { fact: missingWords(database, seen), identity });
    throw commitsLost(session);
  }
  session.identity = now.identity;
  const { newest } = now;
  if (newest === null) return;
  if (seen === undefined || seen.attempt < newest.attempt) session.seen = newest;
  keepOutside(database, now.identity, newest);
}

/** Other processes of this host may have noted a newer one. */
function keepOutside(database: Database, identity: string, newest: SentRequest): void {
  const place = placeOf(database);
  const before = noteOf(identity);
  if (before?.newest !== undefined && before.place === place && before.newest.attempt >= newest.attempt)
    return;
  keepNote({ identity, newest, place });
  if (before?.place !== place) keepPlace({ identity, place });
}

const LOOK = `SELECT ${hasAttempt('$1', '$2')} AS "isWhole", (${LEDGER_NOW}) AS now`;

/** Notes the newest outside once more, as far as the database can be asked. */
export async function seeAtEnd(session: Session): Promise<void> {
  const { database, seen } = session;
  try {
    const looked = await database.atOnce.row<Looked>(LOOK, [seen?.attempt, seen?.atMs]);
    if (looked !== undefined) await see(session, looked);
  } catch {
    // What was noted with the last beat stays.
  }
}
