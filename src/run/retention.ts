import type { Clock } from '../core/clock.ts';
import { StopError } from '../core/errors.ts';
import { counted } from '../core/plain-text.ts';
import type { Tell } from '../ledger/store.ts';
import type { Account } from '../vendor/account/account.ts';
import { eraseIn } from './open-ledger.ts';

/**
 * Erases answers that are older than their account's retention. It happens after a run, once its store is closed, and never
 * makes the run fail: answers that cannot be erased now, for example beside another spender, are erased after the next run.
 */
export async function keepRetention(
  accounts: readonly Account[],
  location: string,
  { clock, tell = () => {} }: { readonly clock: Clock; readonly tell?: Tell | undefined },
): Promise<void> {
  const byIdentity = new Map(accounts.map((account) => [account.identity, account]));
  for (const { identity: accountIdentity, retentionMs, name } of byIdentity.values()) {
    if (retentionMs === undefined) continue;
    const order = { kind: 'age', ageMs: retentionMs, accountIdentity } as const;
    try {
      const { calls } = await eraseIn(location, order, {
        clock,
        waitForLockMs: 0,
        command: 'retention',
        dryRun: false,
      });
      if (calls > 0) tell(`${counted(calls, 'request')} of account ${name} passed its retention: erased.`);
    } catch (error) {
      if (!(error instanceof StopError)) throw error;
      tell(`What passed the retention of account ${name} is not erased yet. ${error.message}`);
    }
  }
}
