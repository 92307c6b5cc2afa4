import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { type StopError, stop, unreachable } from '../../core/errors.ts';

/** Where an account's key comes from, and reading it. A key is read when it is needed and kept nowhere else. */

export type KeySource =
  /** The key is behind a function, so that an account that is printed or logged by mistake does not show it. */
  | { readonly kind: 'file'; readonly reveal: () => string }
  | { readonly kind: 'environment'; readonly variable: string }
  /** A program and its arguments, run in `folder` without a shell: nothing in them is expanded, piped or quoted. */
  | { readonly kind: 'command'; readonly words: readonly string[]; readonly folder: string }
  | { readonly kind: 'sandbox' };

const SANDBOX_KEY = 'sandbox';

/** Long enough to type the passphrase of a password store, short enough for a run at night to end. */
const COMMAND_TIMEOUT_MS = 60_000;

type Environment = Readonly<Record<string, string | undefined>>;

interface KeyHolder {
  readonly name: string;
  readonly key: KeySource;
}

/** The key itself. Runs `key_command` each time it is called. @throws StopError `account` when it is missing or cannot be a key. */
export async function resolveKey(account: KeyHolder, env: Environment = process.env): Promise<string> {
  const { name, key } = account;
  switch (key.kind) {
    case 'sandbox':
      return SANDBOX_KEY;
    case 'file':
      return usableKey(name, key.reveal());
    case 'environment':
      return usableKey(name, env[key.variable] ?? missingVariable(name, key.variable));
    case 'command':
      return usableKey(name, await outputOf(name, key.words, key.folder));
    default:
      return unreachable(key);
  }
}

/** The environment for a program that is none of ours, such as a browser or a command that is notified: without secrets of ours. */
export function environmentForOthers(
  accounts: readonly Pick<KeyHolder, 'key'>[],
  env: Environment = process.env,
): Environment {
  const keys = accounts.flatMap(({ key }) =>
    key.kind === 'file' ? [key.reveal()] : key.kind === 'environment' ? [env[key.variable] ?? ''] : [],
  );
  const secret = new Set(keys.map((key) => key.trim()));
  const isShared = ([name, value = '']: readonly [string, string | undefined]): boolean =>
    name !== 'PGPASSWORD' && (value.trim() === '' || !secret.has(value.trim()));
  return Object.fromEntries(Object.entries(env).filter(isShared));
}

/**
 * Says where the key comes from, in words that may be shown. A user may have written the key itself as `key_env` or
 * `key_command`, and arguments of a command may be secret.
 */
export function describeKey(key: KeySource, env: Environment = process.env): string {
  switch (key.kind) {
    case 'sandbox':
      return 'none needed';
    case 'file':
      return 'in the accounts file';
    case 'environment':
      return isShownName(key.variable, env) ? `environment variable ${key.variable}` : 'environment, not set';
    case 'command':
      return 'printed by the program of key_command';
    default:
      return unreachable(key);
  }
}

/**
 * The key without the line end that a file or a command puts behind it.
 * @throws StopError `account` for what no header of HTTP could carry: white space, control characters, other scripts.
 */
export function usableKey(account: string, found: string): string {
  const key = found.replace(/\r?\n$/, '');
  if (key === '') throw stop('account', `The key of the account ${account} is empty.`, 'Give the key.');
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  const fact = `The key of the account ${account} contains a space, a line break or a character that is not ASCII.`;
  throw stop('account', fact, "Copy it again from the vendor's settings, without anything around it.");
}

/** Words of capital letters with at most two digits at the end. Keys are longer, or have more digits or small letters. */
const USUAL_NAME = /^[A-Z]{1,16}(?:_[A-Z]{1,16})*_?\d{0,2}$/;

/** Whether the entry `key_env` is certainly a name: that of a variable, or one that looks like most variables. */
function isShownName(variable: string, env: Environment): boolean {
  return env[variable] !== undefined || USUAL_NAME.test(variable);
}

function missingVariable(account: string, variable: string): never {
  if (!isShownName(variable, {})) {
    const fact = `The key of the account ${account} is missing: its key_env does not name a variable that is set.`;
    const next = 'Write the name of an environment variable after key_env, and set that variable to the key.';
    throw stop('account', fact, next);
  }
  const fact = `The key of the account ${account} is missing: the environment variable ${variable} is not set.`;
  throw stop('account', fact, `Set ${variable} to the key, for example with export ${variable}=…`);
}

/** The output of the program. It has the terminal's input and error output, so that it can ask for a passphrase. */
async function outputOf(
  account: string,
  [named = '', ...words]: readonly string[],
  folder: string,
): Promise<string> {
  // A name alone is looked up in the PATH; one with a slash is a path of the accounts file, as its other paths are.
  const program = /[/\\]/.test(named) ? resolve(folder, named) : named;
  const child = spawn(program, words, {
    cwd: folder,
    stdio: ['inherit', 'pipe', 'inherit'],
    timeout: COMMAND_TIMEOUT_MS,
  });
  try {
    const [[code, signal], output] = await Promise.all([once(child, 'close'), text(child.stdout)]);
    if (code === 0) return output;
    throw commandFailed(account, `ended with ${signal ?? code}`);
  } catch (error) {
    // The system's message would name the program, and a name that is no program may be the key.
    throw error instanceof Error && 'syscall' in error
      ? commandFailed(account, `cannot be started (${'code' in error ? error.code : 'no reason given'})`)
      : error;
  }
}

function commandFailed(account: string, how: string): StopError {
  const fact = `The key of the account ${account} is missing: the program of key_command ${how}.`;
  return stop(
    'account',
    fact,
    'Run the command of key_command by hand, and correct it until it prints only the key.',
  );
}
