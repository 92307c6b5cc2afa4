import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { type StopError, stop } from '../../core/errors.ts';
import { asField, faces, phrase, typing } from '../../core/phrase.ts';

/**
 * Finds the source of an account's key and of its further secrets, and reads them. They are read when they
 * are needed and kept nowhere else.
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

/** What is looked for, in words, and the entry of the accounts file that says where. */
interface Wanted {
  /** `key of the account data` */
  readonly whose: string;
  /** `key`, behind which `_env` and `_command` stand; or `secrets.user.` */
  readonly entry: string;
}

const keyOf = (account: string): Wanted => ({ whose: `key of the account ${account}`, entry: 'key_' });

/**
 * The key itself. Each call runs `key_command`.
 * @throws StopError `account` when the key is missing or cannot be a key.
 */
export function resolveKey(
  { name, key }: { readonly name: string; readonly key: KeySource },
  env: NodeJS.ProcessEnv = process.env,
): Promise<string> {
  return read(key, keyOf(name), env);
}

/**
 * The further secrets by the names of their slots; undefined for an account that has none.
 * @throws StopError `account` as `resolveKey` does.
 */
export async function resolveSecrets(
  { name, secrets }: { readonly name: string; readonly secrets?: Readonly<Record<string, KeySource>> },
  env: NodeJS.ProcessEnv = process.env,
): Promise<Readonly<Record<string, string>> | undefined> {
  if (secrets === undefined) return undefined;
  const found: [string, string][] = [];
  // One after the other, because each program may ask for a passphrase.
  for (const [slot, source] of Object.entries(secrets)) {
    const wanted = { whose: `secret ${slot} of the account ${name}`, entry: `secrets.${slot}.` };
    found.push([slot, await read(source, wanted, env)]);
  }
  return Object.fromEntries(found);
}

async function read(source: KeySource, wanted: Wanted, env: NodeJS.ProcessEnv): Promise<string> {
  switch (source.kind) {
    case 'sandbox':
      return SANDBOX_KEY;
    case 'file':
      return usable(wanted, source.reveal());
    case 'environment':
      return usable(wanted, env[source.variable] ?? missingVariable(wanted, source.variable));
    case 'command':
      return usable(wanted, await outputOf(wanted, source.words, source.folder));
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

export const usableKey = (account: string, found: string): string => usable(keyOf(account), found);

/**
 * The key without the line end that a file or a command puts behind it.
 * @throws StopError `account` for characters that no HTTP header could carry: white space, control
 *   characters, other scripts.
 */
function usable({ whose }: Wanted, found: string): string {
  const key = found.replace(/\r?\n$/, '');
  const wrong = (fact: string, next: string) =>
    stop('account', `The ${whose} ${fact}.`, { next, again: 'mended' });
  if (key === '') throw wrong('is empty', `Give the ${whose.split(' ')[0]}.`);
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
const shownName = (variable: string, entry = keyOf('').entry): string =>
  /^[A-Z_]+\d{0,2}$/.test(variable) ? variable : `of ${entry}env`;

function missingVariable({ whose, entry }: Wanted, variable: string): never {
  const name = shownName(variable, entry);
  const fact = `The ${whose} is missing: the environment variable ${name} is not set.`;
  const next = phrase`Set ${name} to the
    ${whose.split(' ')[0] ?? ''}${typing`, for example with export ${name}=…`}`;
  throw stop('account', fact, { next, again: 'mended' });
}

/**
 * The output of the program. It has the terminal's input and error output, so that it can ask for a
 * passphrase.
 */
async function outputOf(
  wanted: Wanted,
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
    throw commandFailed(wanted, `ended with ${signal ?? code}`);
  } catch (error) {
    // The system's message would name the program, and a word that is not a program may be the key.
    throw error instanceof Error && 'syscall' in error
      ? commandFailed(wanted, `cannot be started (${'code' in error ? error.code : 'no reason given'})`)
      : error;
  }
}

function commandFailed({ whose, entry }: Wanted, how: string): StopError {
  const field = asField(`${entry}command`);
  const program = faces(phrase`the program of ${field}`, 'the program that prints it');
  const it = faces(phrase`the command of ${field}`, 'it');
  const fact = phrase`The ${whose} is missing: ${program} ${how}.`;
  const next = phrase`Run ${it} by hand, and correct it until it prints only the
    ${whose.split(' ')[0] ?? ''}.`;
  return stop('account', fact, next);
}
