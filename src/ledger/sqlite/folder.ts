import {
  chmodSync,
  closeSync,
  constants,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { stop } from '../../core/errors.ts';
import { shellWord } from '../../lib/command-line.ts';
import { distrustOfFolder, ownedByAnother } from '../../lib/file-trust.ts';

/**
 * The folder that is an SQLite store, and the names in it. `ledger.db` and `lock.db` are opened by SQLite and by nothing
 * else in the process: closing any other file descriptor of theirs would silently drop the locks (POSIX).
 * Asking for their size and changing their mode is harmless.
 */
export interface StoreFolder {
  readonly path: string;
  readonly ledger: string;
  readonly lock: string;
  readonly reserve: string;
  readonly spender: string;
}

export function storeFolder(location: string): StoreFolder {
  const path = resolve(location);
  return {
    path,
    ledger: join(path, 'ledger.db'),
    lock: join(path, 'lock.db'),
    reserve: join(path, 'reserve'),
    spender: join(path, 'spender.json'),
  };
}

/** Only the user may read what was bought and for whom. */
const FOLDER_MODE = 0o700;
export const FILE_MODE = 0o600;
const OTHERS = 0o077;
/** Windows has no such modes; the user's profile folder is private there already. */
const HAS_MODES = process.platform !== 'win32';

/** Flags that replace a file and never follow a link in its place; Windows has no such flag, and rarely such links. */
export const ANEW = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | (constants.O_NOFOLLOW ?? 0);

export function writeAnew(path: string, content: string): void {
  const file = openSync(path, ANEW, FILE_MODE);
  try {
    writeFileSync(file, content);
  } finally {
    closeSync(file);
  }
}

export function sizeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.size;
}

export function makePrivateFile(path: string): void {
  if (HAS_MODES) chmodSync(path, FILE_MODE);
}

export function hasLedger(folder: StoreFolder): boolean {
  return sizeOf(folder.ledger) !== undefined;
}

/**
 * Refuses a folder that another user owns or can write to, and files in it that are not ours: they could make us
 * believe that something was bought, or make us write where their links lead.
 * @throws StopError `store`.
 */
export function refuseForeign(folder: StoreFolder): void {
  const open = hasLedger(folder) ? distrustOfFolder(folder.path) : ownerOf(folder.path);
  if (open !== undefined) throw stop('store', `The store was not opened: ${open.fact}.`, open.next);
  for (const path of filesOf(folder)) refuseUnlessOurs(path, 'file');
  for (const name of FILES_BESIDE) refuseUnlessOurs(join(folder.path, name), 'file');
  for (const name of FOLDERS_BESIDE) refuseUnlessOurs(join(folder.path, name), 'folder');
}

function refuseUnlessOurs(path: string, kind: 'file' | 'folder'): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return;
  const owner = ownedByAnother(path, found);
  const isKind = kind === 'file' ? found.isFile() : found.isDirectory();
  if (isKind && owner === undefined) return;
  const fact = owner?.fact ?? `${path} is ${found.isSymbolicLink() ? 'a link' : `no ${kind}`}`;
  throw stop(
    'store',
    `The store was not opened: ${fact}, which Rowonce never makes there.`,
    'Find out who made it, then remove it or restore the whole folder from a backup.',
  );
}

function filesOf(folder: StoreFolder): readonly string[] {
  const { ledger, lock, reserve, spender } = folder;
  const ofSqlite = ['-wal', '-shm', '-journal'].map((ending) => `${ledger}${ending}`);
  return [ledger, ...ofSqlite, lock, `${lock}-journal`, reserve, spender];
}

/** Whether another user owns a folder that is to become a store, and would then be closed to others. */
function ownerOf(path: string): ReturnType<typeof ownedByAnother> {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? undefined : ownedByAnother(path, found);
}

/** What the page keeps beside the ledger, and may have kept before the ledger is made. */
const FILES_BESIDE = ['open.html', 'serve.json', 'serve.lock', 'serve.lock-journal', 'schedules.json'];

/** Standard input, and lists and what belongs to them, are saved there, also before the ledger is made. */
const FOLDERS_BESIDE = ['spool', 'lists', 'columns', 'jobs', 'downloads'];

const BEFORE_THE_LEDGER: ReadonlySet<string> = new Set([...FILES_BESIDE, ...FOLDERS_BESIDE]);

/**
 * Makes the folder, or takes an existing one. An empty folder and an existing store are closed to others. A folder with
 * other files that others can reach is refused, because closing it would take those files from them.
 */
export function preparePrivateFolder(folder: StoreFolder): void {
  if (mkdirSync(folder.path, { recursive: true, mode: FOLDER_MODE }) !== undefined)
    syncFolder(dirname(folder.path));
  refuseForeign(folder);
  refuseNetworkFileSystem(folder.path);
  if (!HAS_MODES || (statSync(folder.path).mode & OTHERS) === 0) return;
  const others = readdirSync(folder.path).filter((name) => !BEFORE_THE_LEDGER.has(name));
  if (!hasLedger(folder) && others.length > 0) {
    throw stop(
      'store',
      `The folder ${folder.path} has other files and is open to other users, so it was not made a store.`,
      `Name an empty folder with --store, or close this one: chmod 700 ${shellWord(folder.path)}`,
    );
  }
  chmodSync(folder.path, FOLDER_MODE);
}

export function syncFile(path: string): void {
  const file = openSync(path, 'r+');
  fsyncSync(file);
  closeSync(file);
}

/** Makes the file names in a folder survive a loss of power; Windows does that by itself. */
export function syncFolder(path: string): void {
  if (!HAS_MODES) return;
  const handle = openSync(path, 'r');
  fsyncSync(handle);
  closeSync(handle);
}

/** `f_type` of file systems whose locks and shared memory SQLite cannot rely on: NFS, SMB, CIFS, SMB2, AFS, Ceph. */
const NETWORK_FILE_SYSTEMS: ReadonlySet<number> = new Set([
  0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x5346414f, 0x00c36400,
]);

export function isNetworkFileSystem(type: number): boolean {
  return process.platform === 'linux' && NETWORK_FILE_SYSTEMS.has(type);
}

function refuseNetworkFileSystem(path: string): void {
  if (!isNetworkFileSystem(statfsSync(path).type)) return;
  throw stop(
    'store',
    `The folder ${path} is on a network file system, where two machines could spend at once.`,
    'Name a folder on a local disk with --store.',
  );
}
