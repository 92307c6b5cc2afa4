import { type Account, resolveKey } from '../../client/account/account.ts';
import { isAgreed } from '../../client/account/agreements.ts';
import { checkAddress, type Reached } from '../../client/client.ts';
import { dialectOf, dialectQuestion } from '../../client/dialect.ts';
import { systemClock } from '../../core/clock.ts';
import type { Listener } from '../../core/events.ts';
import { type OwnUser, whoAmI } from '../../plan/team/remote-members.ts';

export type AccountFact =
  | { readonly kind: 'sandbox' }
  | { readonly kind: 'dialect'; readonly dialect: string }
  | { readonly kind: 'key' }
  | ({ readonly kind: 'address'; readonly url: URL } & Reached)
  | { readonly kind: 'tried'; readonly user: OwnUser }
  /** The key was not tried, because nobody has agreed to what the dialect sends. */
  | { readonly kind: 'unagreed' }
  /** The key was not tried. `why` is what the vendor said; undefined when it has no free question. */
  | { readonly kind: 'untried'; readonly why: string | undefined };

/** A test stops instead of waiting longer than this, because a person watches it. */
const MAX_PAUSE_MS = 60_000;

/**
 * Finds out step by step whether an account can be used. It sends at most one question, which is free.
 * @throws StopError at the first step that fails.
 */
export async function* testAccount(account: Account, emit: Listener): AsyncGenerator<AccountFact> {
  if (account.baseUrl === undefined) return yield { kind: 'sandbox' };
  await resolveKey(account);
  const dialect = await dialectOf(account);
  yield { kind: 'dialect', dialect: dialect.name };
  yield { kind: 'key' };
  yield { kind: 'address', url: account.baseUrl, ...(await checkAddress(account.baseUrl)) };
  const question = dialect.whoami && dialectQuestion(dialect, account.baseUrl);
  if (question !== undefined && !(await isAgreed(question.agreement))) return yield { kind: 'unagreed' };
  const told = await whoAmI({
    account,
    dialect,
    clock: systemClock,
    emit,
    signal: new AbortController().signal,
    maxPauseMs: MAX_PAUSE_MS,
  });
  yield told?.kind === 'told' ? { kind: 'tried', user: told.user } : { kind: 'untried', why: told?.why };
}
