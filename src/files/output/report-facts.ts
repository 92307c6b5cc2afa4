import { isoTime } from '../../core/clock.ts';
import { present } from '../../core/objects.ts';
import { plainText } from '../../core/plain-text.ts';
import type { Act, Batch, LedgerReader } from '../../ledger/ledger.ts';
import { listNameOf } from '../called.ts';
import type { WholeView } from './batch-view.ts';
import type { ChangesDone, ReportObject } from './report-object.ts';
import { changesSentence, summaryOf } from './summary-words.ts';

/**
 * What the report of a batch says, in the file as on the page.
 * @param changes undefined for a batch that changes nothing.
 */
export async function readReport(
  ledger: Pick<LedgerReader, 'acts'>,
  batch: Batch,
  view: WholeView,
  changes: ChangesDone | undefined,
): Promise<ReportObject> {
  const acts = await ledger.acts(batch.id);
  return madePlain({
    ...view,
    list: listNameOf(batch.inputPath),
    created_at: isoTime(batch.createdAtMs),
    operators: [...new Set(acts.map(({ operator }) => operator))],
    sandbox: batch.sandbox,
    words: summaryOf(batch, view, changes && changesSentence(changes)),
    ...present({ changes }),
    acts: acts.map(({ kind, operator, atMs }) => {
      return { at: isoTime(atMs), what: `${ACT_WORDS[kind]} ${operator}` };
    }),
  });
}

const ACT_WORDS: Readonly<Record<Act['kind'], string>> = {
  begun: 'started by',
  gone_on: 'went on with',
  settled: 'doubts decided by',
  paused: 'paused by',
  resumed: 'resumed by',
  cancelled: 'stopped for good by',
  erased: 'forgotten by',
};

/** Makes each text of the facts plain in one place, so that no part of the report can forget it. */
export function madePlain<Facts>(facts: Facts): Facts {
  const plain = (_name: string, value: unknown) => (typeof value === 'string' ? plainText(value) : value);
  return JSON.parse(JSON.stringify(facts), plain);
}
