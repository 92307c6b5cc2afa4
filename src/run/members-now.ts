import type { Account } from '../client/account/account.ts';
import { isAgreed, type Question } from '../client/account/agreements.ts';
import { type Dialect, dialectQuestion } from '../client/dialect.ts';
import { systemClock } from '../core/clock.ts';
import type { RunOptions } from '../plan/context.ts';
import { type RemoteMembers, remoteMembers } from '../plan/team/remote-members.ts';

/** Who is in a team now, by the service's own word, before anything is run. */

/** What nobody has agreed to yet of what the dialect sends. */
export async function unagreed({ baseUrl }: Account, dialect: Dialect): Promise<Question | undefined> {
  const question = baseUrl && dialectQuestion(dialect, baseUrl);
  return question === undefined || (await isAgreed(question.agreement)) ? undefined : question;
}

/** What the ledger remembers counts while nobody has agreed to the questions of a dialect: a run asks first. */
export async function membersNow(
  { account, dialect }: { readonly account: Account; readonly dialect: Dialect },
  { signal = new AbortController().signal, onEvent: emit = () => {} }: Pick<RunOptions, 'signal' | 'onEvent'>,
  projects: readonly string[],
): Promise<RemoteMembers | undefined> {
  if ((await unagreed(account, dialect)) === undefined)
    return remoteMembers({ account, dialect, clock: systemClock, emit, signal }, projects);
  const message =
    'The service was not asked who is in the projects, because nobody has agreed yet to what the dialect sends.';
  emit({ kind: 'note', message });
  return undefined;
}
