import type { Account } from '../client/account/account.ts';
import { StopError } from '../core/errors.ts';
import { counted, linesOf } from '../core/plain-text.ts';
import { isUrl, type StoreOptions } from '../ledger/store.ts';
import { commandLine } from '../lib/command-line.ts';
import { asRole, type Erased, eraseIn } from './tasks/erase.ts';

interface RetentionOptions extends Pick<StoreOptions, 'clock' | 'operator' | 'tell'> {
  /** False for who erases nothing, also as the owner: it is at work for as long as it lives. */
  readonly erases?: boolean;
}

/**
 * Erases answers that are older than their account's retention. It happens after a run, once its store is closed, and never
 * makes the run fail: answers that cannot be erased now, for example beside another spender, are erased after the next run. In a
 * database they are its owner's to erase, and whoever else works there says that it is due.
 */
export async function keepRetention(
  accounts: readonly Account[],
  location: string,
  options: RetentionOptions,
): Promise<void> {
  const byIdentity = new Map(accounts.map((account) => [account.identity, account]));
  for (const account of byIdentity.values()) {
    try {
      await keepOne(account, location, options);
    } catch (error) {
      if (!(error instanceof StopError)) throw error;
      const fact = `Data that passed the retention of account ${account.name} is not erased yet.`;
      options.tell?.(`${fact} ${error.message} ${error.next}`);
    }
  }
}

async function keepOne(
  { identity: accountIdentity, retentionMs, name }: Account,
  location: string,
  { clock, operator, tell = () => {}, erases = true }: RetentionOptions,
): Promise<void> {
  if (retentionMs === undefined) return;
  const order = { kind: 'age', ageMs: retentionMs, accountIdentity } as const;
  const erase = (dryRun: boolean): Promise<Erased> =>
    eraseIn(location, order, { clock, waitForLockMs: 0, command: 'retention', operator, dryRun });
  const due = isUrl(location) ? await erase(true) : undefined;
  if (due !== undefined && (!erases || due.owner !== undefined)) {
    if (due.calls === 0) return;
    const words = ['store', 'purge', '--account', name, '--older-than', typedAge(retentionMs)];
    const typed = commandLine([...words, '--store', asRole(location, due.owner)]);
    return tell(
      `${counted(due.calls, 'request')} of account ${name} passed the retention, and only the owner of the store erases. As the owner, type: ${typed}`,
    );
  }
  const { calls, needed } = await erase(false);
  if (calls > 0) tell(`Erased ${counted(calls, 'request')} of account ${name} that passed the retention.`);
  const words = neededWords(needed);
  if (words !== undefined) tell(`Account ${name} keeps data beyond its retention: ${words}`);
}

/** As a person writes it: nothing younger is meant by it. */
function typedAge(ms: number): string {
  const hours = Math.ceil(ms / 3_600_000);
  return hours % 24 === 0 ? `${hours / 24}d` : `${hours}h`;
}

/** What stays for batches that go on, and what ends them; undefined where there is nothing. */
export function neededWords({ calls, lists, by }: Erased['needed']): string | undefined {
  const [batch] = by;
  if (batch === undefined) return undefined;
  const parts = linesOf(calls > 0 && counted(calls, 'request'), lists > 0 && counted(lists, 'kept list'));
  const others = by.length > 1 ? ` and ${by.length - 1} more` : '';
  const typed = (command: string): string => commandLine([command, batch]);
  return `${parts.join(' and ')} that batch ${batch}${others} may still need. To end it, run its list, or run ${typed('cancel')}; for what is in doubt, ${typed('settle')}`;
}
