import type { Account } from '../client/account/account.ts';
import type { Clock } from '../core/clock.ts';
import { StopError } from '../core/errors.ts';
import { counted } from '../core/plain-text.ts';
import type { StoreOptions, Tell } from '../ledger/store.ts';
import { commandLine } from '../lib/command-line.ts';
import { eraseIn, type Needed } from './tasks/erase.ts';

/**
 * Erases answers that are older than their account's retention. It happens after a run, once its store is closed, and never
 * makes the run fail: answers that cannot be erased now, for example beside another spender, are erased after the next run.
 */
export async function keepRetention(
  accounts: readonly Account[],
  location: string,
  {
    clock,
    operator,
    tell = () => {},
  }: Pick<StoreOptions, 'operator'> & { readonly clock: Clock; readonly tell?: Tell | undefined },
): Promise<void> {
  const byIdentity = new Map(accounts.map((account) => [account.identity, account]));
  for (const { identity: accountIdentity, retentionMs, name } of byIdentity.values()) {
    if (retentionMs === undefined) continue;
    const order = { kind: 'age', ageMs: retentionMs, accountIdentity } as const;
    try {
      const { calls, needed } = await eraseIn(location, order, {
        clock,
        waitForLockMs: 0,
        command: 'retention',
        operator,
        dryRun: false,
      });
      if (calls > 0)
        tell(`Erased ${counted(calls, 'request')} of account ${name} that passed the retention.`);
      for (const words of neededWords(needed))
        tell(`Account ${name} keeps data beyond its retention: ${words}`);
    } catch (error) {
      if (!(error instanceof StopError)) throw error;
      tell(
        `Data that passed the retention of account ${name} is not erased yet. ${error.message} ${error.next}`,
      );
    }
  }
}

/** What stays for batches that go on, and what ends them; nothing where there is none. */
export function neededWords({ calls, lists, by }: Needed): readonly string[] {
  const [batch] = by;
  if (batch === undefined) return [];
  const parts = [
    ...(calls > 0 ? [counted(calls, 'request')] : []),
    ...(lists > 0 ? [counted(lists, 'kept list')] : []),
  ];
  const others = by.length > 1 ? ` and ${by.length - 1} more` : '';
  // What the rows of an open batch ask that are not finished yet, the ledger does not know.
  const counts =
    calls > 0 ? ': as long as it is open, every answer to its operation on its account counts' : '';
  const typed = (command: string): string => commandLine([command, batch]);
  return [
    `${parts.join(' and ')} that batch ${batch}${others} may still need${counts}. To end it, run its list, or run ${typed('cancel')}; for what is in doubt, ${typed('settle')}`,
  ];
}
