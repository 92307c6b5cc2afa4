import { setImmediate } from 'node:timers/promises';
import { isoTime } from '../../core/clock.ts';
import { stop } from '../../core/errors.ts';
import { subjectWords } from '../../core/membership.ts';
import { sentParameters } from '../../core/operation.ts';
import type { AttemptRecord, Batch, BatchId, LedgerReader } from '../../ledger/ledger.ts';
import {
  normaliseAbn,
  normaliseCompanyProfile,
  normaliseDomain,
  normaliseEmail,
  normalisePersonProfile,
  normaliseProfileSlug,
  normaliseWebsite,
} from '../../operations/lookup/identifiers.ts';
import { isAbn, isEmail } from '../../operations/lookup/recognise.ts';
import { eachLedgerThere } from '../../run/open-ledger.ts';
import type { SubjectEntry, SubjectView } from '../api.ts';

/** What was asked, bought or changed about one person or company. */

/** Calls of one read: some 30 ms, so that the server answers others in between. */
const CALLS_AT_ONCE = 20_000;

const MOST_ENTRIES = 500;

/** @param leaving ends the search when nobody waits for it any more. */
export async function subjectView(
  store: string | undefined,
  text: string,
  leaving: AbortSignal,
): Promise<SubjectView> {
  const values = spellingsOf(text.trim());
  if (values.length === 0)
    throw stop(
      'usage',
      'There is nothing to search for.',
      'Give an e-mail address, an ABN or a web address.',
    );
  const found = await eachLedgerThere(store, (ledger) => entriesIn(ledger, values, leaving));
  const entries = found.flat().sort((one, other) => other.at.localeCompare(one.at));
  return {
    values: [...values],
    entries: entries.slice(0, MOST_ENTRIES),
    more: entries.length > MOST_ENTRIES,
  };
}

/** The value as operations send it: by what the text is, so that an address does not find the company of its domain. */
function spellingsOf(text: string): readonly string[] {
  if (text === '' || text.length > 500) return [];
  const readers = isEmail(text)
    ? [normaliseEmail]
    : isAbn(text)
      ? [normaliseAbn]
      : [
          normaliseDomain,
          normaliseWebsite,
          normalisePersonProfile,
          normaliseCompanyProfile,
          normaliseProfileSlug,
        ];
  const read = readers.map((reader) => reader(text));
  return [...new Set([text, ...read.flatMap((each) => (each.kind === 'usable' ? each.value : []))])];
}

async function entriesIn(
  ledger: LedgerReader,
  values: readonly string[],
  leaving: AbortSignal,
): Promise<readonly SubjectEntry[]> {
  const batches = new Map<BatchId, Batch | undefined>();
  const entries: SubjectEntry[] = [];
  let after: number | undefined = 0;
  while (after !== undefined && entries.length <= MOST_ENTRIES && !leaving.aborted) {
    const { attempts, next } = await ledger.attemptsAbout(values, after, CALLS_AT_ONCE);
    for (const attempt of attempts) {
      const { batch: id } = attempt;
      if (!batches.has(id)) batches.set(id, await ledger.batch(id));
      entries.push(entryOf(attempt, batches.get(id)));
    }
    after = next;
    await setImmediate();
  }
  return entries;
}

function entryOf(attempt: AttemptRecord, batch: Batch | undefined): SubjectEntry {
  const { call, closure, decision, readings, reserved } = attempt;
  const reading = readings.at(-1);
  const isTold = decision?.kind === 'told';
  const settled = closure?.kind === 'answered' ? closure : undefined;
  return {
    at: isoTime(attempt.intentAtMs),
    batch: attempt.batch,
    row: attempt.row,
    account: batch?.accountName ?? '',
    sandbox: batch?.sandbox ?? false,
    operation: call.operation,
    subject: call.change === undefined ? null : subjectWords(call.change.subject),
    asked: Object.fromEntries(
      Object.entries(sentParameters(call)).map(([name, value]) => [
        name,
        typeof value === 'string' ? value : JSON.stringify(value),
      ]),
    ),
    ended: isTold ? 'found' : (reading?.answer ?? settled?.answer ?? closure?.kind ?? 'open'),
    charged: isTold ? reserved : (reading?.charged ?? settled?.charged ?? 0),
  };
}
