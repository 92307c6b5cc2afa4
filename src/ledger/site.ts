import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, realpathSync, renameSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { isoTime } from '../core/clock.ts';
import { accepting, StopError, stop } from '../core/errors.ts';
import { asFlag, byFlag, type Phrase, phrase, typing, type Words } from '../core/phrase.ts';
import { commandLine } from '../lib/command-line.ts';
import type { Tell } from '../lib/postgres-server.ts';
import { accountsOf, type Context, oneRow } from './context.ts';
import type { Db, Sql } from './db.ts';
import {
  hostFolder,
  isOfEarlierBuild,
  noteHere,
  noteKnownLedger,
  noteNoticeHere,
  noteWrittenHere,
  orderOf,
} from './known-here.ts';
import { FIRST_COPIED, LAYOUT, layoutOf } from './layouts.ts';
import { readerOver } from './open-ledger.ts';
import type { Notice } from './records.ts';
import { layAll } from './schema.ts';
import { NothingThere, type StoreCheck, type StoreOptions } from './store.ts';
import { recountBudgets } from './transitions.ts';

/**
 * What both databases do in the same way with a ledger: they lay it out, recognize it, and say whether it may
 * be spent from.
 */

/** Where a store is. */
export interface Site {
  readonly shown: string;
  /** The same however it is reached: by a link, or as another role. */
  readonly at: string;
}

/** Lays out what is not there yet. Two may do so at once, and a crash leaves what the next one completes. */
export async function layOut(db: Db): Promise<void> {
  await layAll(db).catch(async (error: unknown) => {
    if ((await layoutOf(db).catch(() => undefined)) !== LAYOUT) throw error;
  });
  const drawn = [randomBytes(16).toString('hex'), randomBytes(32).toString('hex')];
  const names = `INSERT INTO meta (name, value) VALUES ('identity', ?), ('secret', ?)
    ON CONFLICT (name) DO NOTHING`;
  await db.transaction((sql) => sql.rows(names, drawn));
}

/** @throws StopError `store_version` for a ledger of another Rowonce. */
export async function refuseOther(db: Pick<Db, 'rows'>, shown: string): Promise<void> {
  await refuseUncopied(db, shown);
  const layout = await layoutOf(db);
  if (layout === undefined || layout === LAYOUT) return;
  const earlier = madeEarlier(shown);
  const copied = await copiedTo(db);
  if (copied !== undefined && copied.location !== shown)
    throw stop('store_version', `${earlier} It ${wasCopied(copied)}.`, nameTheCopy(copied));
  throw stop(
    'store_version',
    earlier,
    'Copy it into the form of this one, at the same place; what is there now is kept under another name.',
    commandLine(['store', 'copy', shown, shown]),
  );
}

/** @throws StopError `store_version` for a ledger that this Rowonce can make no copy of. */
export async function refuseUncopied(db: Pick<Db, 'rows'>, shown: string): Promise<void> {
  const layout = (await layoutOf(db)) ?? LAYOUT;
  if (layout > LAYOUT)
    throw stop(
      'store_version',
      `The store ${shown} was made by a newer Rowonce (schema ${layout}; this one knows ${LAYOUT}). Nothing in it was changed.`,
      phrase`Use the newer Rowonce, or name another place ${byFlag('--store')}.`,
    );
  if (layout < FIRST_COPIED)
    throw stop(
      'store_version',
      madeEarlier(shown),
      phrase`Finish its batches and export its answers with the version that made it, or name another place
        ${byFlag('--store')}; a new one buys again what that one has bought.`,
    );
}

const madeEarlier = (shown: string): string =>
  `The store ${shown} was made by an earlier Rowonce, which kept the ledger in another form. Nothing in it was changed.`;

const wasCopied = ({ location, atMs }: CopyRecord): string => `was copied to ${location} on ${isoTime(atMs)}`;
const nameTheCopy = ({ location }: CopyRecord): Phrase =>
  phrase`Name the copy${typing`: ${asFlag('--store', location)}`}`;

/** What a store says of a ledger that is copied. */
export async function sourceIn(db: Db, site: Site) {
  const layout = (await layoutOf(db)) ?? LAYOUT;
  return { db, layout, isEarlier: layout < LAYOUT, missing: (await missingIn(db, site))?.fact };
}

/** The stop of a process that would buy from a ledger that was copied: the copy goes on in its place. */
export async function copiedAway(sql: Pick<Sql, 'rows'>, shown: string): Promise<StopError | undefined> {
  const copied = await copiedTo(sql);
  if (copied === undefined) return undefined;
  return stop(
    'store',
    `The store ${shown} ${wasCopied(copied)}, and nothing is bought from it any more; status, export and forget still work.`,
    nameTheCopy(copied),
  );
}

/**
 * Takes the ledger that is there to spend from it, or lays one out. A crash in here leaves an outdated ledger
 * as it was found, or accepted.
 * @throws StopError `store` for one that was copied away, `store_lost`.
 */
export async function takeLedger(
  db: Db,
  site: Site,
  options: Pick<StoreOptions, 'acceptOutdated' | 'mayBeCopied' | 'tell'>,
  wasThere: boolean,
): Promise<void> {
  const away = wasThere && options.mayBeCopied !== true ? await copiedAway(db, site.shown) : undefined;
  if (away !== undefined) throw away;
  const found = wasThere ? await missingIn(db, site) : undefined;
  if (found !== undefined && options.acceptOutdated !== true && db.name === 'postgres')
    await markOutdated(db, found);
  const missing = wasThere ? found?.fact : missingAt(site);
  requireAccepted(missing, options); // rule 2
  if (!wasThere) await layOut(db);
  if (missing !== undefined) await db.transaction((sql) => acceptLedger(sql, site));
}

/** Tells everybody who spends from the ledger. A ledger with another name at the same place is left alone. */
export async function markOutdated(sql: Pick<Sql, 'rows'>, { fact, identity }: Missing): Promise<void> {
  const text = `INSERT INTO meta (name, value) SELECT 'outdated', CAST(? AS TEXT) FROM meta
    WHERE name = 'identity' AND value = ?
    ON CONFLICT (name) DO UPDATE SET value = excluded.value WHERE meta.value = ''`;
  // Where this cannot be written, no one can spend from the ledger either.
  await sql.rows(text, [fact, identity]).catch(() => {});
}

export async function contextOf(db: Db): Promise<Context> {
  return { db, secret: (await metaOf(db, 'secret')) ?? '', account: accountsOf(db) };
}

/**
 * A ledger that is there, to read it beside who spends.
 * @param tell hears what a spender would be stopped by.
 */
export async function readerAt(db: Db, site: Site, tell: Tell) {
  const missing = await missingIn(db, site);
  if (missing !== undefined) tell(`${missing.fact} Nothing is bought from it in this state.`);
  return { ...readerOver(await contextOf(db)), close: () => db.close() };
}

/** Adds each budget up anew from the attempts. */
export async function checkBudgets(db: Db): Promise<Pick<StoreCheck, 'budgets' | 'wrong'>> {
  const { n: budgets } = await oneRow<{ n: number }>(db, 'SELECT count(*) AS n FROM budgets');
  return { budgets, wrong: await recountBudgets(db) };
}

/** @param makes what would make one. @param tell hears of a ledger that is gone. */
export function nothingThere(site: Site, makes: Words, tell?: Tell): NothingThere {
  const gone = missingAt(site);
  if (gone !== undefined) tell?.(gone);
  const message = `There is no store at ${site.shown}.`;
  const next = phrase`Name an existing store ${byFlag('--store')}; ${makes}`;
  return new NothingThere({ code: 'store', message, next });
}

/** A database that is left open would keep the process from ending. */
export async function closedByFailure<T>(db: { close(): unknown }, open: () => Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (error) {
    await db.close();
    throw error;
  }
}

// ----------------------------------------------------------------------------- what is kept of it as a whole

/**
 * What is kept of a ledger as a whole: `identity`, `secret`, `numbers` (of `Gather`), `formerly`, `outdated`,
 * `copied_to` and `arriving`.
 */
export async function metaOf(sql: Pick<Sql, 'rows'>, name: string): Promise<string | undefined> {
  const [found] = await sql.rows<{ value: string }>('SELECT value FROM meta WHERE name = ?', [name]);
  return found?.value;
}

export async function setMeta(sql: Sql, values: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, value] of Object.entries(values))
    await sql.rows(
      'INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
      [name, value],
    );
}

/** To which ledger one was copied. It spends no more from then on. */
export interface CopyRecord {
  readonly identity: string;
  readonly location: string;
  readonly atMs: number;
}

export async function copiedTo(sql: Pick<Sql, 'rows'>): Promise<CopyRecord | undefined> {
  const copied = await metaOf(sql, 'copied_to');
  return copied === undefined ? undefined : JSON.parse(copied);
}

// ------------------------------------------------------------------------------------- what is known outside

/**
 * What is known of a ledger outside of its store. A ledger that was deleted, restored from a backup or copied
 * lacks what was bought since. It would buy that again, and cannot know it (protocol, rule 2). There is one
 * small file for each ledger: its newest request, and where it was last used.
 *
 * It is best effort: without a writable folder, or in a container that starts empty each time, a store is
 * taken as it is. A kill loses what was bought in the last second. A note is never ahead of its ledger,
 * because it follows the commit.
 */
interface OutsideNote {
  readonly identity: string;
  readonly newest: SentRequest;
  /** Where the ledger was last used. */
  readonly at: string;
}

/**
 * An attempt in a ledger. Its number alone may mean another attempt, where a person has gone on from a
 * backup.
 */
interface SentRequest {
  readonly id: number;
  readonly atMs: number;
}

/** The path of a store's folder with all links before it resolved, even when the folder is gone. */
export function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(realPathOf(parent), basename(path));
  }
}

// ---------------------------------------------------------------------------------------- what a ledger says

const NOW = `
SELECT (SELECT value FROM meta WHERE name = 'identity') AS identity,
  (SELECT value FROM meta WHERE name = 'formerly') AS formerly,
  (SELECT value FROM meta WHERE name = 'outdated') AS fact, newest.id, newest.sent_at
FROM (SELECT 1) one LEFT JOIN (
  SELECT id, sent_at FROM attempts
   WHERE id IN (SELECT (SELECT att.id FROM attempts att WHERE att.account = acc.id
       ORDER BY att.sent_at DESC, att.id DESC LIMIT 1) FROM accounts acc)
     AND EXISTS (SELECT 1 FROM batches WHERE is_sandbox = 0)
   ORDER BY sent_at DESC, id DESC LIMIT 1) newest ON true`;

type SiteRow = Record<'identity' | 'formerly' | 'fact', string | null> &
  Record<'id' | 'sent_at', number | null>;

export async function ledgerNow(sql: Pick<Sql, 'rows'>) {
  const { identity, formerly, fact, id, sent_at: atMs } = await oneRow<SiteRow>(sql, NOW);
  // The names of the ledgers that a person accepted to be without. Hosts that know one of them go on with
  // this one.
  const accepted: readonly string[] = JSON.parse(formerly ?? '[]');
  return {
    identity: identity ?? '',
    formerly: accepted,
    /** What a person has found missing, or that it is a backup. */
    outdated: fact || undefined,
    /** The newest attempt; undefined while it holds nothing but play money, which is not worth a stop. */
    newest: id === null || atMs === null ? undefined : { id, atMs },
  };
}

/** The names that a copy continues, as `formerly` of its `meta`: the ledger's own, and those before. */
export async function formerlyIn(sql: Pick<Sql, 'rows'>): Promise<string> {
  const { identity, formerly } = await ledgerNow(sql);
  return JSON.stringify([...formerly, identity]);
}

type LedgerNow = Awaited<ReturnType<typeof ledgerNow>>;

// ------------------------------------------------------------------------------------------ what is missing

/** What is missing, and the name of the ledger that has it. */
export interface Missing {
  readonly fact: string;
  readonly identity: string;
}

/**
 * The entries that are known outside of a ledger and that it lacks; undefined for the newest known ledger.
 * @throws StopError `store` for notes that others can write.
 */
export async function missingIn(sql: Pick<Sql, 'rows'>, site: Site): Promise<Missing | undefined> {
  const { identity, formerly, outdated: marked, newest } = await ledgerNow(sql);
  if (marked !== undefined) return { fact: marked, identity };
  // A running spender notes only what it has committed, so the notes are read before the ledger is asked.
  const notes = outsideNotes();
  const ownNote = notes.find((note) => note.identity === identity);
  if (ownNote?.at === site.at && isOfEarlierBuild(identity)) await noteWhatIsThere(sql, identity);
  const isBehind = ownNote !== undefined && !(await has(sql, ownNote.newest));
  const missing = isBehind ? ownNote : otherAt(notes, site, [identity, ...formerly]);
  if (missing === undefined) return undefined;
  const ledger = missing.at === site.at ? 'its ledger' : `its ledger in ${missing.at}`;
  const since = isBehind && newest !== undefined ? ` after ${isoTime(newest.atMs)}` : '';
  const fact = `The store ${site.shown} is not the newest one: ${history(missing, ledger)}, and that one is missing. What it bought${since} would be bought again.`;
  return { fact, identity: missing.identity };
}

/**
 * Takes over, once, what a ledger says of this host that an earlier build has spent from here. The note
 * outside proves that the ledger is this host's own, as no ledger that was handed over has one.
 */
async function noteWhatIsThere(sql: Pick<Sql, 'rows'>, identity: string): Promise<void> {
  const batches = await sql.rows<{ id: string; operation: string; facts: string }>(
    'SELECT id, operation, facts FROM batches',
  );
  for (const { id, operation, facts } of batches) {
    const { inputPath, outputPath, accountName, settings } = JSON.parse(facts);
    noteHere(id, [
      ['list', inputPath],
      ['order', orderOf({ operation, accountName, settings })],
      ['output', outputPath],
      ['output', settings.output_path],
    ]);
  }
  const files = await sql.rows<{ path: string; sha256: string }>(
    `SELECT path, sha256 FROM files WHERE kind = 'written' AND host = ?`,
    [hostname()],
  );
  for (const [path, written] of Map.groupBy(files, (file) => file.path))
    noteWrittenHere(
      path,
      written.map(({ sha256 }) => sha256),
    );
  const waiting = 'SELECT id, target, body FROM notices WHERE sent_at IS NULL';
  for (const notice of await sql.rows<Pick<Notice, 'id' | 'target' | 'body'>>(waiting))
    noteNoticeHere(notice);
  noteKnownLedger(identity);
}

const has = async (sql: Pick<Sql, 'rows'>, { id, atMs }: SentRequest): Promise<boolean> =>
  (await sql.rows('SELECT 1 FROM attempts WHERE id = ? AND sent_at = ?', [id, atMs])).length > 0;

/** What is known to be missing where there is no ledger. */
export function missingAt(site: Site): string | undefined {
  const before = otherAt(outsideNotes(), site);
  if (before === undefined) return undefined;
  const known = history(before, 'the ledger that was there');
  return `The store ${site.shown} is gone: ${known}. All that it bought would be bought again.`;
}

/** The newest of other ledgers that were last used there. */
const otherAt = (
  notes: readonly OutsideNote[],
  { at }: Site,
  known: readonly string[] = [],
): OutsideNote | undefined =>
  notes
    .filter((note) => note.at === at && !known.includes(note.identity))
    .toSorted((a, b) => b.newest.atMs - a.newest.atMs)[0];

const history = ({ newest }: OutsideNote, ledger: string): string =>
  `requests were made with ${ledger}, the last known one at ${isoTime(newest.atMs)}`;

export const outdated = (fact: string): StopError =>
  new StopError({
    code: 'store_lost',
    message: fact,
    next: phrase`Restore the newest store, or let a run continue without
      it${typing` by ${asFlag('--accept', 'store')}`}.`,
    choices: [accepting('store', 'go on with what is known here')],
  });

/** @throws StopError `store_lost` where no one has accepted what is missing. */
export function requireAccepted(
  missing: string | undefined,
  { acceptOutdated, tell }: Pick<StoreOptions, 'acceptOutdated' | 'tell'>,
): void {
  if (missing === undefined) return;
  if (acceptOutdated !== true) throw outdated(missing);
  tell?.(`Accepted with --accept store: ${missing}`);
}

/**
 * Gives a ledger that a person accepts a name of its own, so that the other one is still missed when it comes
 * back.
 */
export async function acceptLedger(sql: Sql, { at }: Site): Promise<void> {
  const { identity, formerly } = await ledgerNow(sql);
  const there = outsideNotes().flatMap((note) => (note.at === at ? [note.identity] : []));
  await setMeta(sql, {
    identity: randomBytes(16).toString('hex'),
    formerly: JSON.stringify([...new Set([...formerly, identity, ...there])]),
    outdated: '',
  });
}

// ------------------------------------------------------------------------------------------ the notes

function outsideNotes(): readonly OutsideNote[] {
  const folder = hostFolder();
  try {
    return folder === undefined ? [] : readdirSync(folder).flatMap((name) => readNote(folder, name) ?? []);
  } catch {
    return [];
  }
}

/**
 * A file is called by the name of its ledger. Its lines are the number and the time of the newest request,
 * and where it is.
 */
function readNote(folder: string, identity: string): OutsideNote | undefined {
  if (!/^[0-9a-f]{32}$/.test(identity)) return undefined;
  try {
    const lines = readFileSync(join(folder, identity), 'utf8');
    const [, id, atMs, at] = /^(\d{1,16}) (\d{1,15})\n(.+)\n$/s.exec(lines) ?? [];
    return at === undefined ? undefined : { identity, newest: { id: Number(id), atMs: Number(atMs) }, at };
  } catch {
    return undefined;
  }
}

/** Readers see the old note or the new one. A crash leaves a file under a name that no ledger has. */
export function keepNote({ at }: Site, { identity, newest }: Pick<LedgerNow, 'identity' | 'newest'>): void {
  if (newest === undefined) return;
  try {
    const folder = hostFolder();
    if (folder === undefined) return;
    const before = readNote(folder, identity);
    // Other processes of this host may have noted a newer one.
    if (before?.at === at && !isNewer(newest, before.newest)) return;
    if (before === undefined) noteKnownLedger(identity);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const newFile = join(folder, `${identity}.${randomBytes(6).toString('hex')}.new`);
    writeFileSync(newFile, `${newest.id} ${newest.atMs}\n${at}\n`, { flag: 'wx', mode: 0o600 });
    renameSync(newFile, join(folder, identity));
  } catch {
    // Best effort, as above.
  }
}

const isNewer = (one: SentRequest, other: SentRequest): boolean =>
  one.atMs === other.atMs ? one.id > other.id : one.atMs > other.atMs;
