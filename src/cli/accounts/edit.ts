import { mkdir, readFile, realpath } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Document, isMap, parseDocument } from 'yaml';
import { ACCOUNTS_FILE, type Account, type Accounts, accountsOf } from '../../account.ts';
import { accountsSchema } from '../../accounts-file.ts';
import { replaceFile } from '../../atomic-file.ts';
import { dialectOf } from '../../dialect-of.ts';
import { checkDocument } from '../../document.ts';
import { invariant, messageOf, stop } from '../../errors.ts';
import { schemaComment } from '../../paths.ts';
import { problemOf } from '../../schema-problem.ts';

/**
 * Changes the accounts file and keeps everything in it that the user wrote, comments included. A crash leaves the old
 * file or the new one, never half of one, and at worst a temporary file beside it that only the user can read.
 */

/** An entry as it stands in the file; members that are undefined are left out. */
export type NewAccount = Readonly<Record<string, unknown>>;

/** Only the user may read a key. */
const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

/**
 * Adds an account and returns it as a command will read it.
 * @throws StopError `usage` when the entry is wrong, `account` when the name is taken, the address is missing, or the
 * dialect is wrong.
 */
export async function addAccount(accounts: Accounts, name: string, entry: NewAccount): Promise<Account> {
  const taken = accounts.configured.some((account) => account.name === name);
  if (taken) {
    const next = `Choose another name, or type rowonce accounts remove ${name} first.`;
    throw stop('account', `there is an account ${name} already`, next);
  }
  checkEntry(name, entry);
  const change = (document: Document): void => {
    const existing = document.get('accounts');
    if (!isMap(existing)) {
      document.set('accounts', document.createNode({ [name]: entry }));
      return;
    }
    // An empty map is written {}; what is added to it would stand on that line.
    if (existing.items.length === 0) existing.flow = false;
    existing.set(name, document.createNode(entry));
  };
  const { text, configured } = await changed(accounts.path, change);
  const added = configured.find((account) => account.name === name);
  invariant(added, `account ${name} is not in the file that is written`);
  await dialectOf(added);
  await writeAccounts(accounts.path, text);
  return added;
}

/** Removes an account that exists. What it bought stays in the ledger. */
export async function removeAccount(accounts: Accounts, name: string): Promise<void> {
  const { text } = await changed(accounts.path, (document) => {
    document.deleteIn(['accounts', name]);
  });
  await writeAccounts(accounts.path, text);
}

/** Before it is in the file, what is wrong with it is wrong with what was typed. */
function checkEntry(name: string, entry: NewAccount): void {
  const content: unknown = JSON.parse(JSON.stringify({ accounts: { [name]: entry } }));
  const checked = accountsSchema.safeParse(content);
  if (checked.success) return;
  const { fact, next } = problemOf(accountsSchema, content, checked.error.issues);
  throw stop('usage', fact, next);
}

/** The file as it would be, and the accounts in it. */
async function changed(
  path: string,
  change: (document: Document) => void,
): Promise<Accounts & { readonly text: string }> {
  const before = await textOf(path);
  const document = parseDocument(before);
  change(document);
  const comment = before === '' ? schemaComment('accounts', path) : '';
  const text = comment + document.toString({ lineWidth: 0 });
  return { ...accountsOf(checkDocument(text, path, accountsSchema, ACCOUNTS_FILE)), text };
}

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch {
    // There is no file yet: what is wrong with one that exists was found when the accounts were loaded.
    return '';
  }
}

async function writeAccounts(path: string, text: string): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true, mode: FOLDER_MODE });
    // A file that is kept elsewhere and linked stays where it is.
    const target = await realpath(path).catch(() => path);
    await replaceFile(target, FILE_MODE, [text]);
  } catch (error) {
    throw stop(
      'account',
      messageOf(error),
      'Free some space, or set $ROWONCE_CONFIG to a folder that you may write.',
    );
  }
}
