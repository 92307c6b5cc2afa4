import { rowsFound, rowsWanted } from '../../../../../core/counts.ts';
import { whatWords } from '../../../../../files/output/summary-words.ts';
import { teamDoneWords } from '../../../../../files/output/team-done-words.ts';
import type { BatchStatusObject, ListedBatch } from '../../../../api.ts';
import { counted, creditWords, dayAndTime, grouped } from '../../../parts/figures.ts';

type Start = BatchStatusObject | ListedBatch;

/** Each start over the list, with what it found, and the way to it. */
export const Starts = ({ of }: { readonly of: readonly Start[] }) => (
  <ul class="stack tight">
    {of.map((each) => (
      <li key={each.batch}>
        <a href={`/files/${each.batch}`}>{dayAndTime(each.created_at)}</a>: {startWords(each)}
      </li>
    ))}
  </ul>
);

function startWords(batch: Start): string {
  if (batch.changes) return `${whatWords(batch.operation)}, ${teamDoneWords(batch.changes)}`;
  // Of several accounts what each was paid by this start stands where it is opened.
  const { accounts } = 'in_all' in batch ? batch.in_all : batch;
  const isOne = batch.has_costs && accounts === undefined;
  const cost = isOne ? `, ${creditWords(batch.credits)}` : '';
  const found = `${grouped(rowsFound(batch.counts))} of ${counted(rowsWanted(batch), 'row')}`;
  return `${whatWords(batch.operation)}, ${found}${cost}`;
}
