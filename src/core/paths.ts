import { hash } from 'node:crypto';
import { mkdirSync, realpathSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PACKAGE } from './families.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The accounts file: in `$ROWONCE_CONFIG`, else in the XDG config folder. */
export function accountsPath(): string {
  const { env } = process;
  return join(env.ROWONCE_CONFIG || xdgFolder(env.XDG_CONFIG_HOME, '.config'), 'accounts.yaml');
}

export function stateFolder(env: Environment = process.env): string {
  return xdgFolder(env.XDG_STATE_HOME, '.local/state');
}

/**
 * Notes about ledgers outside of their stores. They are beside the default store and not in it, so that a
 * restored copy of that store does not bring its old notes back.
 */
export function ledgersFolder(): string {
  return `${stateFolder()}-ledgers`;
}

/**
 * The folder that keeps standard input, so that a run over it can be resumed. It is beside the ledger with
 * its answers.
 */
export function spoolFolder(store: string): string {
  return resolve(besideFolder(store), 'spool');
}

/**
 * The folder of the lists that users brought to the page: each list in a folder of its own, with its
 * original.
 */
export function listsFolder(store: string): string {
  return join(resolve(store), LISTS);
}

export const LISTS = 'lists';

/** The folder of the nights that were made on the page: each a job, with its inbox in a folder beside it. */
export const nightsFolder = (store: string): string => join(resolve(store), NIGHTS);

export const NIGHTS = 'nights';

/** Whether the job at a path is a night that was made on the page. */
export const isNightJob = (path: string): boolean => basename(dirname(path)) === NIGHTS;

/** Outputs of sweeps for which their host knows no place. */
export const OUTPUTS = 'outputs';

/**
 * Folders of lists beside a ledger: standard input, the input of undos, lists that users brought to the page,
 * files that they fetch from it, outputs of sweeps, and inboxes that the page has made.
 */
export const WITH_LISTS: readonly string[] = ['spool', 'undo', LISTS, 'downloads', OUTPUTS, NIGHTS];

/**
 * The names that lead from a folder down to an existing file or folder, links followed; undefined where that
 * lies elsewhere.
 */
export function wayBelow(folder: string, path: string): readonly string[] | undefined {
  try {
    const way = relative(realpathSync(folder), realpathSync(path));
    const names = way === '' ? [] : way.split(sep);
    return names[0] === '..' || isAbsolute(way) ? undefined : names;
  } catch {
    return undefined;
  }
}

/**
 * The folder of the list whose content is at the path; undefined for a file that was not brought to the page.
 */
export function listFolderOf(path: string): string | undefined {
  const folder = dirname(path);
  const isList = /^list\./.test(basename(path)) && basename(dirname(folder)) === LISTS;
  return isList && isListId(basename(folder)) ? folder : undefined;
}

/** A list's own name is never a path. Its folder is named by an id of this form. */
export function isListId(text: string): boolean {
  return /^[0-9a-f]{16}$/.test(text);
}

/** Whether a file is kept standard input. It is named by its content. */
export function isSpooled(path: string): boolean {
  return basename(dirname(path)) === 'spool' && /^[0-9a-f]{64}\./.test(basename(path));
}

/** The XDG specification says to ignore a relative path. */
function xdgFolder(named: string | undefined, byDefault: string): string {
  if (named !== undefined && isAbsolute(named)) return join(named, 'rowonce');
  // With an empty HOME, which some schedulers set, all files would land in the current folder and never be
  // found again.
  return join(homedir() || userInfo().homedir, byDefault, 'rowonce');
}

/**
 * A line for a file that we write, by which an editor finds the schema that comes with the program. The path
 * is relative to the file. Blank where the path has a blank, because editors would end it there.
 */
export function schemaComment(kind: 'job' | 'accounts' | 'dialect', file: string): string {
  const schema = fileURLToPath(new URL(`docs/reference/schemas/${kind}.json`, PACKAGE));
  const path = relative(dirname(resolve(file)), schema).replaceAll(sep, '/');
  return /\s/.test(path) ? '' : `# yaml-language-server: $schema=${path}\n`;
}

/**
 * The folder for files beside a ledger, such as a sandbox's book and the lists of the page. It is the store's
 * own folder. For a ledger on a server it is a folder of this user, one for each server.
 */
export function besideFolder(store: string, env: Environment = process.env): string {
  if (!store.includes('://')) return store;
  const name = hash('sha256', store.replace(/\/\/[^@/]*@/, '//'), 'hex').slice(0, 16);
  const folder = join(stateFolder(env), 'beside', name);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch {
    // A command that writes there reports the error.
  }
  return folder;
}
