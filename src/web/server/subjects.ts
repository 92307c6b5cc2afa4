import { stop } from '../../core/errors.ts';
import { LogEntryObject } from '../../objects/log-object.ts';
import { aboutOf, type LogEntry, logOf } from '../../run/tasks/log.ts';
import { pricesOfAccounts } from '../../run/tasks/spend.ts';
import type { SubjectView } from '../api.ts';

/** What was asked, bought, changed or decided about one person or company, or by one batch. */

const MOST_ENTRIES = 500;

/** @param leaving ends the search when nobody waits for it any more. */
export async function subjectView(
  store: string | undefined,
  text: string,
  leaving: AbortSignal,
): Promise<SubjectView> {
  if (text.trim() === '')
    throw stop(
      'usage',
      'There is nothing to search for.',
      'Give an e-mail address, an ABN or a web address.',
    );
  const about = await aboutOf(text, store);
  const enough = new AbortController();
  const found: LogEntry[] = [];
  await logOf({ store, about, leaving: AbortSignal.any([leaving, enough.signal]) }, (entry) => {
    found.push(entry);
    if (found.length > MOST_ENTRIES) enough.abort();
  });
  const prices = await pricesOfAccounts();
  const entries = found.sort((one, other) => other.atMs - one.atMs).slice(0, MOST_ENTRIES);
  return {
    values: about.kind === 'values' ? [...about.values] : about.kind === 'batch' ? [about.batch] : [],
    entries: entries.map((entry) =>
      LogEntryObject.of({ ...entry, price: prices.get(entry.batch?.accountIdentity ?? '') }),
    ),
    more: found.length > MOST_ENTRIES,
  };
}
