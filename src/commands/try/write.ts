import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Document, isMap, isSeq } from 'yaml';
import { findAccount, loadAccounts } from '../../client/account/account.ts';
import { keepAgreement } from '../../client/account/agreements.ts';
import { addAccount } from '../../client/account/edit.ts';
import { dialectOf, dialectQuestion, type OwnDialect } from '../../client/dialect.ts';
import { stop } from '../../core/errors.ts';
import { schemaComment } from '../../core/paths.ts';
import { replaceFile } from '../../lib/atomic-file.ts';

/** Writes a proposed dialect into a file beside the accounts file, and the account that names it. */

/** These stand on several lines, and what is in them on one line each. */
const OPEN = new Set(['operations', 'answers', 'examples']);

export function dialectText({ name, ...entries }: OwnDialect): string {
  const document = new Document(JSON.parse(JSON.stringify(entries)));
  const { contents } = document;
  if (isMap(contents))
    for (const { key, value } of contents.items) {
      if (!isMap(value) && !isSeq(value)) continue;
      value.flow = !OPEN.has(String(key));
      for (const inner of value.flow ? [] : value.items) flowBelow(inner);
    }
  return `# ${name}, from a line of curl and two answers. The names in the examples are invented.\n${document.toString({ lineWidth: 0 })}`;
}

/** A rule and an example is one line; an operation has one for each of its entries. */
function flowBelow(inner: unknown): void {
  if (isMap(inner)) {
    inner.flow = true;
    return;
  }
  const operation = (inner as { readonly value?: unknown }).value;
  if (!isMap(operation)) return;
  for (const { value } of operation.items) if (isMap(value) || isSeq(value)) value.flow = true;
}

const dialectPathOf = (accountsPath: string, name: string): string =>
  join(dirname(accountsPath), `${name}.yaml`);

/**
 * Who has seen the requests and both answers agrees to what the dialect sends.
 * A crash leaves the file without its account, and the same command writes the rest.
 * @returns the path of the dialect file.
 * @throws StopError `account` where another file has its name, or the accounts file cannot be changed.
 */
export async function writeDialect(
  dialect: OwnDialect,
  { name, baseUrl, key }: { readonly name: string; readonly baseUrl: string; readonly key: object },
): Promise<string> {
  const { path: accounts } = await loadAccounts();
  const path = dialectPathOf(accounts, name);
  const text = schemaComment('dialect', path) + dialectText(dialect);
  const before = await readFile(path, 'utf8').catch(() => undefined);
  if (before !== undefined && before !== text)
    throw stop(
      'account',
      `${path} is there already, and says something else.`,
      'Move it away, or choose another name.',
    );
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  if (before === undefined) await replaceFile(path, 0o600, [text]);
  await addAccount(accounts, name, {
    vendor: 'provider',
    base_url: baseUrl,
    dialect: `./${name}.yaml`,
    ...key,
  });
  const account = findAccount(await loadAccounts(), name);
  const question = dialectQuestion(await dialectOf(account), baseUrl);
  if (question !== undefined) await keepAgreement(question);
  return path;
}
