import { text as textOf } from 'node:stream/consumers';
import { usableKey } from '../../client/account/account.ts';
import { stop } from '../../core/errors.ts';
import { asFlag, byFlag, phrase, typing } from '../../core/phrase.ts';
import { takenKey } from '../../lib/given-key.ts';
import type { Console } from './command.ts';

/** A key comes from a variable, from standard input or from the terminal, and is never an argument. */

export interface KeyInput {
  readonly key_env?: string | undefined;
  readonly key_stdin?: boolean | undefined;
}

/** @returns the entry of the account that says where its key is, or what it is. */
export async function keyOf(
  console: Console,
  { key_env, key_stdin }: KeyInput,
  account: string,
): Promise<{ readonly key: string } | { readonly key_env: string }> {
  if (key_env !== undefined && key_stdin)
    throw stop('usage', '--key-env and --key-stdin both give a key.', 'Give one of them.');
  if (key_env !== undefined) return { key_env };
  return {
    key: usableKey(account, key_stdin ? await keyOnStdin() : await askForKey(console)),
  };
}

/** A process of the page has its key before its words, because its standard input does not end. */
const keyOnStdin = async (): Promise<string> => takenKey() ?? textOf(process.stdin);

async function askForKey(console: Console): Promise<string> {
  const answer = await console.ask("Key (not shown as you type; copy it from the vendor's settings): ", {
    hidden: true,
  });
  if (answer !== undefined) return answer.trim();
  const fact = 'The key is missing.';
  throw stop(
    'usage',
    fact,
    phrase`Give it${typing` ${byFlag('--key-env', 'NAME')} or ${asFlag('--key-stdin')}, or answer on a terminal`}.`,
  );
}
