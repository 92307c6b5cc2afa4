import type { Account } from '../client/account/account.ts';
import { basePathOf } from '../client/request.ts';
import type { AttemptId, CallState, Detail, KnownAnswer, LedgerReader } from '../ledger/ledger.ts';
import type { AskedCall } from './known-calls.ts';

/**
 * Until an account has answered anything but 404, the path of its address may be wrong, and its misses say
 * nothing about rows. Where the path has been corrected since, the next run asks again.
 */

interface AtAnotherPath {
  /** Of the address as it is now. */
  readonly path: string;
  /** What was heard at the path before. */
  readonly answers: readonly AttemptId[];
}

/** @returns undefined where the account has answered, or its path is that of its newest start. */
export async function atAnotherPath(
  { identity, sandbox, baseUrl }: Account,
  ledger: LedgerReader,
): Promise<AtAnotherPath | undefined> {
  if (sandbox || baseUrl === undefined) return undefined;
  const { hasAnsweredNot404, only404At } = await ledger.account(identity);
  const path = basePathOf(baseUrl);
  if (hasAnsweredNot404 || only404At === path) return undefined;
  return { path, answers: only404At === undefined ? [] : await ledger.newestHeard(identity) };
}

/** The states as the next run finds them: what it takes back for a corrected path is unknown already. */
export async function withoutWrongPaths<State extends CallState<Detail>>(
  states: readonly State[],
  askedCalls: readonly AskedCall[],
  ledger: LedgerReader,
): Promise<readonly (State | { readonly kind: 'unknown' })[]> {
  const missing = new Map<string, Account>();
  const answering = new Set<string>();
  for (const [at, { by }] of askedCalls.entries()) {
    const { answer } = states[at]?.kind === 'answered' ? states[at] : {};
    if (isFound(answer)) answering.add(by.account.identity);
    else if (answer !== undefined) missing.set(by.account.identity, by.account);
  }
  const again = new Set<AttemptId>();
  for (const account of missing.values()) {
    if (answering.has(account.identity)) continue;
    const { answers = [] } = (await atAnotherPath(account, ledger)) ?? {};
    for (const id of await ledger.freeAnswers(account.identity, answers)) again.add(id);
  }
  if (again.size === 0) return states;
  const isAgain = (state: State): boolean => 'answer' in state && again.has(state.answer.attempt);
  return states.map((state) => (isAgain(state) ? { kind: 'unknown' } : state));
}

/** What a person told was not answered by the account. */
const isFound = (answer: KnownAnswer | undefined): boolean =>
  answer?.kind === 'found' && answer.dialect !== undefined;
