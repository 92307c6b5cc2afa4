import { randomBytes } from 'node:crypto';
import type { StopError } from '../../core/errors.ts';
import type { PostgresDb } from '../db/postgres.ts';
import { behindWords, lossAt, lossIn, lost } from '../lost-stores.ts';
import { keepNote, keepPlace, noteAt, noteOf, type SentRequest } from '../outside-notes.ts';

/**
 * A database that was restored from a backup, and a server that took another's place, may know less than was done with them. The door finds
 * its own commits missing. Beside that each process knows the newest call that it has seen in the ledger, and each host notes it outside
 * with every beat and at the end of a process: a kill loses what was noted since, about a second. Who finds it missing marks the ledger,
 * and nobody spends from it until a person accepts that.
 */

interface LedgerNow {
  readonly identity: string;
  /** The names of those whose loss a person accepted. */
  readonly formerly: readonly string[];
  /** What it has lost, as somebody noticed. */
  readonly lost: string | undefined;
  /** The newest call; undefined while it holds nothing but play money, which is not worth a stop. */
  readonly newest: SentRequest | undefined;
}

interface Asked {
  readonly identity: string;
  readonly formerly: string | null;
  readonly lost: string | null;
  readonly attempt: number | null;
  readonly atMs: number | null;
  readonly isWhole: boolean;
}

const value = (name: string): string => `(SELECT value FROM meta WHERE name = '${name}')`;

const NOW = `
SELECT ${value('identity')} AS identity, ${value('formerly')} AS formerly, ${value('lost')} AS lost, n.id AS attempt, n.sent_at AS "atMs",
  (CAST(? AS {int}) IS NULL OR EXISTS (SELECT FROM calls WHERE id = ? AND sent_at = ?)) AS "isWhole"
FROM (SELECT) one LEFT JOIN LATERAL (
  SELECT c.id, c.sent_at FROM accounts a
    CROSS JOIN LATERAL (SELECT id, sent_at FROM calls WHERE account = a.id ORDER BY sent_at DESC, id DESC LIMIT 1) c
   WHERE EXISTS (SELECT FROM batches WHERE CAST(facts AS json) ->> 'sandbox' IS DISTINCT FROM 'true')
   ORDER BY c.sent_at DESC, c.id DESC LIMIT 1) n ON true`;

const paramsOf = (seen: SentRequest | undefined) => [
  seen?.attempt ?? null,
  seen?.attempt ?? null,
  seen?.atMs ?? null,
];

function nowOf({ identity, formerly, lost: marked, attempt, atMs }: Asked): LedgerNow {
  return {
    identity,
    formerly: formerly === null ? [] : JSON.parse(formerly),
    lost: marked === null || marked === '' ? undefined : marked,
    newest: attempt === null || atMs === null ? undefined : { attempt, atMs },
  };
}

/** One address for all roles. */
const placeOf = ({ shown }: PostgresDb): string => shown.replace(/\/\/[^@/]*@/, '//');

/** What is missing, and the name of the ledger that has it. */
export interface Loss {
  readonly fact: string;
  readonly identity: string;
}

/** What a database lacks of what is known; undefined when it is the newest known one. */
export async function lossOf(db: PostgresDb): Promise<Loss | undefined> {
  const [asked] = await db.rows<Asked>(NOW, paramsOf(undefined));
  if (asked === undefined) return undefined;
  const { identity, formerly, lost: marked, newest } = nowOf(asked);
  if (marked !== undefined) return { fact: marked, identity };
  const note = noteOf(identity);
  const isAhead = note?.newest !== undefined && !(await hasRequest(db, note.newest));
  const place = placeOf(db);
  const fact = lossIn({ store: db.shown, place, identity, formerly, newest }, isAhead ? note : undefined);
  if (fact === undefined) return undefined;
  return { fact, identity: isAhead ? identity : (noteAt(place)?.identity ?? identity) };
}

async function hasRequest(db: PostgresDb, { attempt, atMs }: SentRequest): Promise<boolean> {
  return (await db.rows('SELECT 1 FROM calls WHERE id = ? AND sent_at = ?', [attempt, atMs])).length > 0;
}

/** What is known to be lost where there is no ledger. */
export function lossOfPlace(db: PostgresDb): Loss | undefined {
  const place = placeOf(db);
  const fact = lossAt(db.shown, place);
  return fact === undefined ? undefined : { fact, identity: noteAt(place)?.identity ?? '' };
}

/** Tells everybody who spends from the ledger. What stands in its place under another name is left alone. */
export async function mark(db: PostgresDb, { fact, identity }: Loss): Promise<void> {
  const text = `INSERT INTO meta (name, value) SELECT 'lost', CAST(? AS TEXT) FROM meta WHERE name = 'identity' AND value = ?
    ON CONFLICT (name) DO UPDATE SET value = excluded.value WHERE meta.value = ''`;
  // Where it cannot be written nobody can spend from it either.
  await db.rowsAtOnce(text, [fact, identity]).catch(() => {});
}

/**
 * Accepts what is lost. The ledger gets a name of its own, so that the lost one is still missed when it comes back, and hosts that know
 * it by a former name go on with it.
 */
export function accept(db: PostgresDb, { identity }: Loss): Promise<void> {
  return db.transaction(async (sql) => {
    const [asked] = await sql.rows<Asked>(NOW, paramsOf(undefined));
    if (asked === undefined) return;
    const now = nowOf(asked);
    const formerly = JSON.stringify([...now.formerly, now.identity, identity]);
    for (const [name, given] of Object.entries({
      identity: randomBytes(16).toString('hex'),
      formerly,
      lost: '',
    }))
      await sql.rows(
        'INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
        [name, given],
      );
  });
}

/** The newest call that this process has seen in the ledger, its own or another's. Where it is missing, commits were lost. */
export class Seen {
  readonly #db: PostgresDb;
  #newest: SentRequest | undefined;
  #identity: string | undefined;
  /** Why nothing new is written. */
  refusal: StopError | undefined;

  private constructor(db: PostgresDb) {
    this.#db = db;
  }

  static async of(db: PostgresDb): Promise<Seen> {
    const seen = new Seen(db);
    await seen.look();
    return seen;
  }

  /**
   * Takes what is found for the newest that is known, here and outside.
   * @throws StopError `store_lost` when something is missing; the others are told.
   */
  async look(): Promise<void> {
    const [asked] = await this.#db.rowsAtOnce<Asked>(NOW, paramsOf(this.#newest));
    if (asked === undefined) return;
    const { identity, lost: marked, newest } = nowOf(asked);
    if (marked !== undefined) throw this.#refused(lost(marked));
    if (!asked.isWhole) throw await this.tellLost();
    this.#identity = identity;
    if (newest === undefined) return;
    if (this.#newest === undefined || isNewer(newest, this.#newest)) this.#newest = newest;
    keepOutside(placeOf(this.#db), identity, newest);
  }

  /** Something that was committed is missing. @returns what ends this process; the others are told. */
  async tellLost(): Promise<StopError> {
    const [store, place] = [this.#db.shown, placeOf(this.#db)];
    const fact = behindWords({ store, place, newest: undefined }, { place, newest: this.#newest });
    if (this.#identity !== undefined) await mark(this.#db, { fact, identity: this.#identity });
    return this.#refused(lost(fact));
  }

  /** As far as the database can be asked. */
  async lookOnceMore(): Promise<void> {
    await this.look().catch(() => {});
  }

  #refused(refusal: StopError): StopError {
    this.refusal = refusal;
    return refusal;
  }
}

const isNewer = (one: SentRequest, other: SentRequest): boolean =>
  one.atMs === other.atMs ? one.attempt > other.attempt : one.atMs > other.atMs;

/** Other processes of this host may have noted a newer one. */
function keepOutside(place: string, identity: string, newest: SentRequest): void {
  const before = noteOf(identity);
  if (before?.newest !== undefined && before.place === place && !isNewer(newest, before.newest)) return;
  keepNote({ identity, newest, place });
  if (before?.place !== place) keepPlace({ identity, place });
}
