import type { Account } from '../client/account/account.ts';
import { StopError } from '../core/errors.ts';
import { counted, linesOf } from '../core/plain-text.ts';
import { isUrl, type StoreOptions } from '../ledger/store.ts';
import { commandLine, shellWord } from '../lib/command-line.ts';
import { type Erased, eraseIn, isNothing } from './tasks/erase.ts';

/**
 * Erases answers that are older than their account's retention. It happens after a run, once its store is closed, and never
 * makes the run fail: answers that cannot be erased now, beside another spender or by who does not own the database, are erased
 * later, and that is said.
 */
export async function keepRetention(
  accounts: readonly Account[],
  location: string,
  options: Pick<StoreOptions, 'clock' | 'operator' | 'tell'>,
): Promise<void> {
  const byIdentity = new Map(accounts.map((account) => [account.identity, account]));
  for (const { name, identity: accountIdentity, retentionMs } of byIdentity.values())
    if (retentionMs !== undefined) await keepOne(location, { name, accountIdentity, retentionMs }, options);
}

async function keepOne(
  location: string,
  { name, accountIdentity, retentionMs }: { name: string; accountIdentity: string; retentionMs: number },
  { clock, operator, tell = () => {} }: Parameters<typeof keepRetention>[2],
): Promise<void> {
  const order = { kind: 'age', ageMs: retentionMs, accountIdentity } as const;
  const erase = (dryRun: boolean): Promise<Erased> =>
    eraseIn(location, order, { clock, waitForLockMs: 0, command: 'retention', operator, dryRun });
  try {
    // In a database nobody may work meanwhile, which is asked for only where something is due.
    if (isUrl(location) && isNothing(await erase(true))) return;
    const { calls, needed } = await erase(false);
    if (calls > 0) tell(`Erased ${counted(calls, 'request')} of account ${name} that passed the retention.`);
    const words = neededWords(needed);
    if (words !== undefined) tell(`Account ${name} keeps data beyond its retention: ${words}`);
  } catch (error) {
    if (!(error instanceof StopError)) throw error;
    const fact = `Data that passed the retention of account ${name} is not erased yet.`;
    tell(`${fact} ${error.message} ${error.next}`);
    const words = `store purge --account ${shellWord(name)} --older-than ${typedAge(retentionMs)}`;
    if (isUrl(location)) tell(`What erases it: ${words}`);
  }
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
