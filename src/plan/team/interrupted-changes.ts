import { subjectWords } from '../../core/membership.ts';
import type { Batch, LedgerReader } from '../../ledger/ledger.ts';

/**
 * People whose invite a batch deleted in order to create it again, and who have none now because the second step is
 * missing. The result is one sentence for each of them, for the user who ends the batch at this point.
 */
export async function interruptedChanges(
  ledger: LedgerReader,
  { id, accountIdentity }: Pick<Batch, 'id' | 'accountIdentity'>,
): Promise<readonly string[]> {
  const known = await ledger.subjects(accountIdentity);
  return known
    .filter(({ batch, facts }) => batch === id && facts?.state === 'between')
    .map(({ subject, doubt }) =>
      doubt === undefined
        ? `${subjectWords(subject)} has no invite now: batch ${id} deleted it and did not create it again.`
        : `${subjectWords(subject)} may have no invite now: batch ${id} deleted it, and may not have created it again.`,
    );
}
