import { hash } from 'node:crypto';
import { lstat, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { canonicalJson } from '../../core/call-key.ts';
import { accepting, messageOf, StopError, stop } from '../../core/errors.ts';
import type { JsonObject } from '../../core/operation.ts';
import { accountsPath } from '../../core/paths.ts';
import { byFlag, phrase, typing } from '../../core/phrase.ts';
import { foreignWords, plainJson } from '../../core/plain-text.ts';
import { outputProblem, replaceFile } from '../../lib/atomic-file.ts';
import { distrustOfFolder } from '../../lib/file-trust.ts';

/**
 * Agreements that a person gives once: that a dialect of another person, or an api-call, may send its
 * requests, and that a very large list is meant. They stand beside the accounts file, because they are about
 * the content of files, hold for every store, and have to be known before there is a store. Each agreement is
 * a file of its own that says what was shown. So two processes never write the same one, and a user takes one
 * back by removing its file.
 */

/** The name of an agreement in `--accept`: `dialect:HASH`. */
export type Agreement = `dialect:${string}`;

/** A list by its content. `--accept large-list` agrees to the one that the command is about. */
export type LargeList = `large-list:${string}`;

export function isAgreement(text: string): text is Agreement {
  return /^dialect:[0-9a-f]{32}$/.test(text);
}

export interface AgreementQuestion<Answer extends string = Agreement> {
  /** The value of `--accept` that replaces a yes. */
  readonly agreement: Answer;
  readonly fact: string;
  readonly details: readonly string[];
  /** The words of the question; left out: whether that is intended. */
  readonly asks?: string;
}

/**
 * The question before the first request of an `api-call`, because another person may have written its job.
 * @param address the address of the account.
 */
export function requestQuestion(
  { method = 'POST', endpoint, body = {} }: JsonObject,
  address: URL,
): AgreementQuestion {
  const { origin } = address;
  const sent = canonicalJson(['rowonce-api-call-1', origin, method, endpoint ?? null, body]);
  return {
    agreement: `dialect:${hash('sha256', sent, 'hex').slice(0, 32)}`,
    fact: `An api-call sends ${origin} what its job says, with the account's key where {key} stands`,
    details: [`${method} ${endpoint}`, `with ${plainJson(body)}`].map((each) =>
      foreignWords(each, each.length),
    ),
  };
}

export interface Answers {
  /** What a person accepts, in the words of `--accept`. */
  readonly accept?: readonly string[] | undefined;
  /** Asks a person who is there; left out: no one is there. */
  readonly askAgreement?: ((question: AgreementQuestion<string>) => Promise<boolean>) | undefined;
}

/**
 * Asks unless a person has agreed before, and keeps the agreement.
 * @throws StopError `consent` when no one agreed.
 */
export async function requireAgreement(question: AgreementQuestion, answers: Answers = {}): Promise<void> {
  const { accept = [], askAgreement } = answers;
  const { agreement } = question;
  if (await isAgreed(agreement)) return;
  const byWord = byFlag('--accept', agreement);
  if (!accept.includes(agreement) && (await askAgreement?.(question)) !== true)
    throw new StopError({
      code: 'consent',
      message: `${question.fact}: ${question.details.join('; ')}. You have not agreed to that yet.`,
      next: phrase`Check it, then agree once${typing`: on a terminal, on the page, or ${byWord}`}`,
      choices: [accepting(agreement, 'allow it')],
    });
  await keepAgreement(question);
}

/** @throws StopError `account` when others can write into the folder, and so agree for this user. */
export async function isAgreed(agreement: Agreement | LargeList): Promise<boolean> {
  const distrust = distrustOfFolder(agreedFolder());
  if (distrust !== undefined)
    throw stop('account', `The saved agreement cannot be trusted: ${distrust.fact}.`, distrust.next);
  return (await lstat(fileOf(agreement)).catch(() => undefined))?.isFile() === true;
}

/** @throws StopError `output` when the agreement could not be kept, such as on a read-only disk. */
export async function keepAgreement({
  agreement,
  fact,
  details,
}: AgreementQuestion<Agreement | LargeList>): Promise<void> {
  try {
    await mkdir(agreedFolder(), { recursive: true, mode: 0o700 });
    await replaceFile(fileOf(agreement), 0o600, [`${fact}:\n${details.join('\n')}\n`]);
  } catch (error) {
    const why = messageOf(outputProblem(agreedFolder(), error));
    throw stop('output', `The agreement could not be kept: ${why}`, 'Check that you may write there.');
  }
}

const agreedFolder = (): string => join(dirname(accountsPath()), 'agreed');

const fileOf = (agreement: Agreement | LargeList): string =>
  join(agreedFolder(), `${agreement.replace(':', '-')}.txt`);
