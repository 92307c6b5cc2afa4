import { type Account, resolveKey } from '../../client/account/account.ts';
import { isAgreed } from '../../client/account/agreements.ts';
import { checkAddress, type Reached } from '../../client/client.ts';
import { dialectOf, dialectQuestion } from '../../client/dialect.ts';
import { systemClock } from '../../core/clock.ts';
import { StopError } from '../../core/errors.ts';
import type { Listener } from '../../core/events.ts';
import { type LookContext, type OwnUser, openLookUps, whoAmI } from '../../plan/team/remote-members.ts';
import { amountIn } from '../balance.ts';
import { eachLedgerThere } from '../open-ledger.ts';

export type AccountFact =
  | { readonly kind: 'sandbox' }
  | { readonly kind: 'dialect'; readonly dialect: string }
  | { readonly kind: 'key' }
  | ({ readonly kind: 'address'; readonly url: URL } & Reached)
  | { readonly kind: 'tried'; readonly user: OwnUser }
  /** What the vendor says is left, and what our books have as spent; nothing where there is no store yet. */
  | { readonly kind: 'balance'; readonly left: number; readonly booked?: number }
  /** The key was not tried, because nobody has agreed to what the dialect sends. */
  | { readonly kind: 'unagreed' }
  /** The key was not tried. `why` is what the vendor said; undefined when it has no free question. */
  | { readonly kind: 'untried'; readonly why: string | undefined };

/** A test stops instead of waiting longer than this, because a person watches it. */
const MAX_PAUSE_MS = 60_000;

/**
 * Finds out step by step whether an account can be used. It sends at most two questions, which are free.
 * @throws StopError at the first step that fails.
 */
export async function* testAccount(account: Account, emit: Listener): AsyncGenerator<AccountFact> {
  if (account.baseUrl === undefined) return yield { kind: 'sandbox' };
  await resolveKey(account);
  const dialect = await dialectOf(account);
  yield { kind: 'dialect', dialect: dialect.name };
  yield { kind: 'key' };
  yield { kind: 'address', url: account.baseUrl, ...(await checkAddress(account.baseUrl)) };
  const { whoami, balance } = dialect;
  const question = (whoami ?? balance) && dialectQuestion(dialect, account.baseUrl);
  if (question !== undefined && !(await isAgreed(question.agreement))) return yield { kind: 'unagreed' };
  const context: LookContext = {
    ...{ account, dialect, clock: systemClock, emit },
    ...{ signal: new AbortController().signal, maxPauseMs: MAX_PAUSE_MS },
  };
  const told = await whoAmI(context);
  const left = await balanceLeft(context, account.baseUrl);
  if (told?.kind === 'told') yield { kind: 'tried', user: told.user };
  else if (left === undefined || told !== undefined) yield { kind: 'untried', why: told?.why };
  if (left === undefined) return;
  const [money] = await eachLedgerThere(undefined, (ledger) =>
    ledger.accountMoney(account.identity, 'ever', systemClock.wallMs()),
  );
  yield { kind: 'balance', left, ...(money && { booked: money.spent }) };
}

/** @throws StopError where the vendor refuses the key, or is none. */
async function balanceLeft(context: LookContext, baseUrl: URL): Promise<number | undefined> {
  const { balance } = context.dialect;
  if (balance === undefined) return undefined;
  const { client, waiter } = await openLookUps(context, baseUrl);
  try {
    const asked = await client.ask(waiter, client.freeRequest(balance));
    if (asked.verdict.kind === 'stopped') throw new StopError(asked.verdict.stop);
    return amountIn(asked, context.dialect, balance.credits);
  } finally {
    await client.close();
  }
}
