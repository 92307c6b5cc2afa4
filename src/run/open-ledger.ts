import { userInfo } from 'node:os';
import { basename } from 'node:path';
import type { Clock } from '../core/clock.ts';
import { rowsIn } from '../core/counts.ts';
import { StopError, stop } from '../core/errors.ts';
import { stateFolder } from '../core/paths.ts';
import { UNNAMED } from '../core/people.ts';
import { asFlag, faces, phrase, typing } from '../core/phrase.ts';
import { grouped, plainText } from '../core/plain-text.ts';
import { STOPS } from '../core/stops.ts';
import { type Batch, type Ledger, type LedgerReader, lastFirst } from '../ledger/ledger.ts';
import {
  type AloneOptions,
  isUrl,
  NothingThere,
  type SoleAccess,
  type Spender,
  type StoreOptions,
} from '../ledger/store.ts';
import { storeAt } from '../ledger/stores.ts';
import { commandLine } from '../lib/command-line.ts';
import type { Tell } from '../lib/postgres-server.ts';
import { storesToLookAt } from './store-choice.ts';

/** Opens the ledger for spending, or makes it. @throws StopError like `Store.open`. */
export async function openLedger(location: string, options: Omit<StoreOptions, 'create'>): Promise<Ledger> {
  const operator = operatorNamed(options.operator);
  const store = await storeAt(location);
  return orHolder(location, store.open(location, { ...options, operator, create: true }));
}

const orHolder = <T>(location: string, opening: Promise<T>): Promise<T> =>
  opening.catch(async (error) => {
    throw await namingHolder(error, location);
  });

/** Says for a list that another process is at work on who runs it, and how far it is. */
async function namingHolder(error: unknown, location: string): Promise<unknown> {
  if (!(error instanceof StopError) || error.code !== 'busy') return error;
  const spender = await (await storeAt(location)).spender(location);
  if (spender === undefined) return error;
  const fact = await lookInto(location, async (ledger) => {
    const batch = (await ledger.batches()).find((each) => isAtWorkOn(each, spender));
    if (batch === undefined) return undefined;
    const who = (await ledger.acts(batch.id)).at(-1)?.operator ?? 'Somebody';
    const since = new Date(spender.since).toLocaleString('en-AU', SHORT);
    const rows = grouped(batch.inputRows + (batch.rowsBeyond ?? 0));
    const done = `${grouped(rowsIn(await ledger.counts(batch.id)))} of ${rows} rows`;
    const process = `process ${spender.pid}, "${spender.command}"`;
    return `${who} has been running ${basename(batch.inputPath)} since ${since}: ${done} (${process}).`;
  });
  const message = fact && faces(fact, 'Another list is being worked on.');
  return message === undefined ? error : new StopError({ ...error.detail, message }, { cause: error });
}

const SHORT = { dateStyle: 'medium', timeStyle: 'short', hourCycle: 'h23' } as const;

/** Whether the spender is the run that the batch knows as its newest. */
export function isAtWorkOn({ state, run }: Pick<Batch, 'state' | 'run'>, { worker, pid }: Spender): boolean {
  return state === 'open' && (worker === undefined ? pid === run?.pid : worker === run?.worker);
}

/** @throws StopError `unsupported` when the store takes no changes, and the operation makes some. */
export async function requireTaken(location: string, operation: string, changes: boolean): Promise<void> {
  if (!changes || !(await storeAt(location)).manySpend) return;
  throw stop(
    'unsupported',
    `The store ${location} takes only jobs that look things up, ` +
      `and ${operation} changes something at the service.`,
    phrase`Run it with a store on the disk of one machine${typing`: a folder after ${asFlag('--store')}`}.`,
  );
}

/**
 * Opens the store for a command that can also do with reading only. The ledger is undefined while another
 * process spends from the store, or when the store cannot be written to, for example because a newer ledger
 * is known or the disk is read-only.
 */
export async function openIfFree(
  location: string,
  command: string,
  clock: Clock,
): Promise<Ledger | undefined> {
  try {
    return await openLedger(location, { clock, command, waitForLockMs: 0, mayBeCopied: true });
  } catch (error) {
    if (error instanceof StopError && STOPS[error.code].store_can_be_read) return undefined;
    throw error;
  }
}

export async function lookIfThere(location: string, tell?: Tell): Promise<LedgerReader | undefined> {
  try {
    return await lookAtLedger(location, tell);
  } catch (error) {
    // For a server only its own answer tells, and it is named by a person.
    if (error instanceof NothingThere && !isUrl(location)) return undefined;
    throw error;
  }
}

export async function lookAtLedger(location: string, tell?: Tell): Promise<LedgerReader> {
  const store = await storeAt(location);
  if (askers === 0 || tell !== undefined) return store.look(location, tell);
  return lent(location, () => store.look(location));
}

// ------------------------------------------------------------------------------------- for several who look

interface OpenReader {
  readonly opening: Promise<LedgerReader>;
  borrowers: number;
}

const openReaders = new Map<string, OpenReader>();
let askers = 0;

/**
 * Opens each ledger once for all readers while the work goes on. A question of the page reads a ledger
 * several times, and opening takes longer than most reads. With no question at work no ledger stays open, so
 * a store that was replaced is noticed.
 */
export async function openedOnce<T>(work: () => Promise<T>): Promise<T> {
  askers += 1;
  try {
    return await work();
  } finally {
    askers -= 1;
    await closeUnused();
  }
}

async function lent(location: string, open: () => Promise<LedgerReader>): Promise<LedgerReader> {
  const shared = openReaders.get(location) ?? { opening: open(), borrowers: 0 };
  openReaders.set(location, shared);
  shared.borrowers += 1;
  const giveBack = async (): Promise<void> => {
    shared.borrowers -= 1;
    await closeUnused();
  };
  try {
    return { ...(await shared.opening), close: giveBack };
  } catch (error) {
    // The next one who looks may find a ledger there.
    if (openReaders.get(location) === shared) openReaders.delete(location);
    throw error;
  }
}

async function closeUnused(): Promise<void> {
  if (askers > 0) return;
  for (const [location, { opening, borrowers }] of openReaders)
    if (borrowers === 0) {
      openReaders.delete(location);
      await (await opening).close();
    }
}

export async function aloneIn<T>(
  location: string,
  options: AloneOptions,
  work: (alone: SoleAccess) => Promise<T>,
): Promise<T> {
  const operator = operatorNamed(options.operator);
  const store = await storeAt(location);
  return orHolder(location, store.alone(location, { ...options, operator }, work));
}

export interface FoundBatch {
  readonly batch: Batch;
  readonly location: string;
}

export const lookInto = <T>(location: string, look: (ledger: LedgerReader) => Promise<T>): Promise<T> =>
  closedAfter(lookAtLedger(location), look);

/** The same for a store that may not be there yet: then `look` gets no ledger. */
export const lookIntoIfThere = <T>(
  location: string,
  look: (ledger: LedgerReader | undefined) => Promise<T>,
): Promise<T> => closedAfter(lookIfThere(location), look);

/** Lends what is opened, and closes it in any case. */
export async function closedAfter<Opened extends { close(): Promise<void> } | undefined, T>(
  opening: Promise<Opened>,
  work: (opened: Opened) => Promise<T>,
): Promise<T> {
  const opened = await opening;
  try {
    return await work(opened);
  } finally {
    await opened?.close();
  }
}

type LookAt<T> = (ledger: LedgerReader, location: string) => Promise<T>;

/** @throws StopError `store` where the named store is not there. */
export const eachLedger = <T>(
  flag: string | undefined,
  look: LookAt<T>,
  tell?: Tell,
): Promise<readonly T[]> => inTurn(flag, (location) => lookAtLedger(location, tell), look);

/** The same for the stores that are there already: a new store has nothing to look at. */
export const eachLedgerThere = <T>(flag: string | undefined, look: LookAt<T>): Promise<readonly T[]> =>
  inTurn(flag, lookIfThere, look);

type Open = (location: string) => Promise<LedgerReader | undefined>;

async function inTurn<T>(flag: string | undefined, open: Open, look: LookAt<T>): Promise<readonly T[]> {
  const seen: T[] = [];
  for (const location of storesToLookAt(flag))
    await closedAfter(open(location), async (ledger) => {
      if (ledger !== undefined) seen.push(await look(ledger, location));
    });
  return seen;
}

export async function batchesIn(ledger: LedgerReader, location: string): Promise<readonly FoundBatch[]> {
  return (await ledger.batches()).map((batch) => ({ batch, location }));
}

/**
 * Finds a batch by its id or the beginning of its id, or by `last` the one that was started last.
 * @throws StopError `usage` when there is no such batch, or when several ids begin like this.
 */
export async function findBatch(
  word: string,
  storeFlag: string | undefined,
  tell?: Tell,
): Promise<FoundBatch> {
  const lists = await eachLedger(storeFlag, batchesIn, tell);
  const all = lists.flat().sort((a, b) => lastFirst(a.batch, b.batch));
  const [found, ...others] =
    word === 'last' ? all.slice(0, 1) : all.filter(({ batch }) => word !== '' && batch.id.startsWith(word));
  if (found !== undefined && others.length === 0) return found;
  const none =
    lists.length === 0 ? `There is no store at ${stateFolder()} yet.` : 'There are no batches yet.';
  if (all.length === 0)
    throw stop(
      'usage',
      none,
      phrase`Run a list first, or name the store that has it${typing`: ${asFlag('--store', 'FOLDER')}`}.`,
    );
  const fact = found === undefined ? `There is no batch "${word}".` : `Several batches begin with "${word}".`;
  throw stop('usage', fact, 'See all batches.', allBatches());
}

export const allBatches = (): string => commandLine(['status']);

const LONGEST = 254;

/**
 * The name of the person at work: the name that was given, or the user of the system. It is a note for
 * people; nothing is allowed or forbidden by it.
 * @throws StopError `usage` for a name that is not valid.
 */
function operatorNamed(givenName: string | undefined): string {
  if (givenName === undefined) return systemUser();
  const name = plainText(givenName).trim();
  if (name !== '' && name.length <= LONGEST && !/[\n\r]/.test(name)) return name;
  throw stop(
    'usage',
    `The operator's name has ${name.length} characters, but it must be one line of at most ${LONGEST}.`,
    phrase`Give a name${typing` after --as, such as ${asFlag('--as', '"Jo Byrne"')}`}.`,
  );
}

/** A container may run under a user number that has no user. Its owner is no person, and so names none. */
function systemUser(): string {
  try {
    const { username } = userInfo();
    return username === 'root' ? UNNAMED : username;
  } catch {
    return process.env.USER || `user ${process.getuid?.() ?? 'unknown'}`;
  }
}
