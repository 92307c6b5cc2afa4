import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { type StopError, stop } from '../../core/errors.ts';

/**
 * Finds the source of an account's key, and reads the key. A key is read when it is needed and kept nowhere
 * else.
 */

export type KeySource =
  /**
   * The key is behind a function, so that an account which is printed or logged by mistake does not show it.
   */
  | { readonly kind: 'file'; readonly reveal: () => string }
  | { readonly kind: 'environment'; readonly variable: string }
  /**
   * A program and its arguments, run in `folder` without a shell: nothing in them is expanded, piped or
   * quoted.
   */
  | { readonly kind: 'command'; readonly words: readonly string[]; readonly folder: string }
  | { readonly kind: 'sandbox' };

const SANDBOX_KEY = 'sandbox';

/** Long enough to type the passphrase of a password store, short enough for a run at night to end. */
const COMMAND_TIMEOUT_MS = 60_000;

/**
 * The key itself. Each call runs `key_command`.
 * @throws StopError `account` when the key is missing or cannot be a key.
 */
export async function resolveKey(
  { name, key }: { readonly name: string; readonly key: KeySource },
  env: NodeJS.ProcessEnv = process.env,
): Promise<string> {
  switch (key.kind) {
    case 'sandbox':
      return SANDBOX_KEY;
    case 'file':
      return usableKey(name, key.reveal());
    case 'environment':
      return usableKey(name, env[key.variable] ?? missingVariable(name, key.variable));
    case 'command':
      return usableKey(name, await outputOf(name, key.words, key.folder));
  }
}

/** Where the key comes from. Arguments of a command may be secret. */
export function describeKey(key: KeySource): string {
  switch (key.kind) {
    case 'sandbox':
      return 'none needed';
    case 'file':
      return 'in the accounts file';
    case 'environment':
      return `environment variable ${shownName(key.variable)}`;
    case 'command':
      return 'printed by the program of key_command';
  }
}

/**
 * The key without the line end that a file or a command puts behind it.
 * @throws StopError `account` for characters that no HTTP header could carry: white space, control
 *   characters, other scripts.
 */
export function usableKey(account: string, found: string): string {
  const key = found.replace(/\r?\n$/, '');
  const wrong = (fact: string, next: string) =>
    stop('account', `The key of the account ${account} ${fact}.`, { next, again: 'mended' });
  if (key === '') throw wrong('is empty', 'Give the key.');
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  throw wrong(
    'contains a space, a line break or a character that is not ASCII',
    "Copy it again from the vendor's settings, without anything around it.",
  );
}

/**
 * A key that a user has put in the place of the variable's name is not shown: keys have small letters, or
 * more digits.
 */
const shownName = (variable: string): string => (/^[A-Z_]+\d{0,2}$/.test(variable) ? variable : 'of key_env');

function missingVariable(account: string, variable: string): never {
  const name = shownName(variable);
  const fact = `The key of the account ${account} is missing: the environment variable ${name} is not set.`;
  const next = `Set ${name} to the key, for example with export ${name}=…`;
  throw stop('account', fact, { next, again: 'mended' });
}

/**
 * The output of the program. It has the terminal's input and error output, so that it can ask for a
 * passphrase.
 */
async function outputOf(
  account: string,
  [named = '', ...words]: readonly string[],
  folder: string,
): Promise<string> {
  // A name alone is looked up in the PATH. A name with a slash is a path relative to the accounts file, like
  // its other paths.
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
    // The system's message would name the program, and a word that is not a program may be the key.
    throw error instanceof Error && 'syscall' in error
      ? commandFailed(account, `cannot be started (${'code' in error ? error.code : 'no reason given'})`)
      : error;
  }
}

function commandFailed(account: string, how: string): StopError {
  const fact = `The key of the account ${account} is missing: the program of key_command ${how}.`;
  const next = 'Run the command of key_command by hand, and correct it until it prints only the key.';
  return stop('account', fact, next);
}
