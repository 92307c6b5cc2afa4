import { hash } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Document, isMap, parseDocument, visit } from 'yaml';
import { messageOf, stop } from '../../core/errors.ts';
import { schemaComment } from '../../core/paths.ts';
import { DO_AGAIN, phrase, typing } from '../../core/phrase.ts';
import { outputProblem, replaceFile } from '../../lib/atomic-file.ts';
import { commandLine } from '../../lib/command-line.ts';
import { checkDocument } from '../../lib/yaml/document.ts';
import { dialectOf } from '../dialect.ts';
import {
  ACCOUNTS_FILE,
  type Account,
  type Accounts,
  accountsOf,
  accountsSchema,
  findAccount,
} from './account.ts';

/**
 * Changes the accounts file and keeps everything in it that the user wrote, comments included. A crash leaves
 * the old file or the new one, never half of one, and at worst a temporary file beside it that only the user
 * can read.
 */

/**
 * Adds an account and returns it as a command will read it.
 * @throws StopError `account` when the entry or its dialect is wrong, the name is taken, or the address is
 * missing.
 */
export async function addAccount(
  path: string,
  name: string,
  entry: Readonly<Record<string, unknown>>,
): Promise<Account> {
  const changed = await rewrite(
    path,
    (document) => {
      const existing = document.get('accounts');
      if (!isMap(existing)) return document.set('accounts', document.createNode({ [name]: entry }));
      if (existing.has(name)) {
        const next = 'Choose another name, or remove that one first.';
        const remove = commandLine(['accounts', 'remove', name]);
        throw stop('account', `There is already an account ${name}.`, next, remove);
      }
      // An empty map is written as {}, and entries added to it would stand on that one line.
      if (existing.items.length === 0) existing.flow = false;
      existing.set(name, document.createNode(entry));
    },
    async (written) => {
      await dialectOf(findAccount(written, name));
    },
  );
  return findAccount(changed, name);
}

/**
 * The accounts with one that the file does not have, as a command will read it once it is added.
 * @throws StopError `account` when the entry is wrong, or the name is taken.
 */
export function withAccount(accounts: Accounts, name: string, entry: object): Accounts {
  const { path, configured } = accounts;
  if (configured.some((each) => each.name === name)) {
    const next = 'Choose another name, or try an operation of that account.';
    throw stop('account', `There is already an account ${name}.`, next);
  }
  const document = new Document({ accounts: { [name]: entry } }).toString();
  const kind = { ...ACCOUNTS_FILE, isUnwritten: true } as const;
  const { configured: added } = accountsOf(checkDocument(document, path, accountsSchema, kind));
  return { ...accounts, configured: [...configured, ...added] };
}

/** @param key `key`, or `key_env`: the other one goes. */
export async function changeKey(path: string, name: string, key: object): Promise<Account> {
  const changed = await rewrite(path, (document) => {
    for (const entry of ['key', 'key_env', 'key_command']) document.deleteIn(['accounts', name, entry]);
    for (const [entry, value] of Object.entries(key)) document.setIn(['accounts', name, entry], value);
  });
  return findAccount(changed, name);
}

/** @param terms its budget and the price of a credit; what is left out stays as it was. */
export async function changeTerms(
  path: string,
  name: string,
  { budget = {}, price }: { readonly budget?: Readonly<Record<string, number>>; readonly price?: string },
): Promise<Account> {
  const changed = await rewrite(path, (document) => {
    for (const [entry, credits] of Object.entries(budget))
      document.setIn(['accounts', name, 'budget', entry], credits);
    if (price !== undefined) document.setIn(['accounts', name, 'price'], price);
  });
  return findAccount(changed, name);
}

export async function removeAccount(path: string, name: string): Promise<void> {
  await rewrite(path, (document) => document.deleteIn(['accounts', name]));
}

/** @param check sees the accounts of the changed file, and may refuse them. */
async function rewrite(
  path: string,
  change: (document: Document) => unknown,
  check: (changed: Accounts) => Promise<void> = async () => {},
): Promise<Accounts> {
  // A file that exists and cannot be read was refused when the accounts were loaded.
  const before = await readFile(path, 'utf8').catch(() => '');
  const document = parseDocument(before);
  // Values that entries share by an alias belong to none of them, so a person decides about them.
  const refuse = (): never => {
    throw stop('account', `${path} has entries that others share (*name).`, 'Change the file by hand.');
  };
  visit(document, { Alias: refuse });
  change(document);
  const comment = before === '' ? schemaComment('accounts', path) : '';
  const text = comment + document.toString({ lineWidth: 0 });
  const kind = { ...ACCOUNTS_FILE, isUnwritten: true } as const;
  const changed = accountsOf(checkDocument(text, path, accountsSchema, kind));
  await check(changed);
  const known = hash('sha256', before, 'hex');
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    // Writes through a link, so a file kept elsewhere stays there.
    if (await replaceFile(path, 0o600, [text], async (_path, sha256) => sha256 === known)) return changed;
  } catch (error) {
    const next = phrase`Free some space${typing`, or set $ROWONCE_CONFIG to a folder of yours`}.`;
    throw stop('account', messageOf(outputProblem(path, error)), next);
  }
  throw stop('account', `${path} was changed by another program just now.`, phrase`${DO_AGAIN}.`);
}
