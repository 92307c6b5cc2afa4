import { sentence } from '../../../../core/plain-text.ts';
import { Bar } from '../../../../files/output/report/table.ts';
import { capital } from '../../../../files/output/summary-words.ts';
import type { BatchStatusObject } from '../../../api.ts';
import { forPage } from '../../loaded.tsx';
import { counted, grouped, money, needing, needWords, spentWords, when } from '../../parts/figures.ts';
import type { Scene } from './scene.ts';
import { isBegun } from './words.ts';

/** Beside the table while it runs: what it has spent, what it waits for, and what needs her already. */
export function SoFar({ scene: { batch } }: { readonly scene: Scene }) {
  return (
    <aside aria-label="So far">
      <h2>So far</h2>
      {batch === undefined ? <p>It begins.</p> : <Spent batch={batch} />}
      {batch && <Speed batch={batch} />}
      <p class="soft">You may close this window: it goes on.</p>
      {batch && <Needs batch={batch} />}
    </aside>
  );
}

interface OfBatch {
  readonly batch: BatchStatusObject;
}

/** What a change does stands in the title. */
function Spent({ batch: { credits, cost, has_costs: hasCosts } }: OfBatch) {
  const { budget, spent } = credits;
  if (!hasCosts) return null;
  return (
    <>
      <p>
        <b class="big">{spentWords(credits)}</b> credits
        {budget !== null && ` of ${grouped(budget)}`}
        {cost && `, ${money(cost)}`}
      </p>
      {budget !== null && <Bar part={spent} all={budget} />}
    </>
  );
}

/** How fast it is, or why it is not. */
function Speed({ batch }: OfBatch) {
  const { requests_last_minute: requests, paused_until: until, paused_why: why = '', counts } = batch;
  if (until !== null)
    return (
      <p>
        {batch.paused_asked ? 'The vendor asks to wait.' : forPage(sentenceOf(why))} It goes on by itself{' '}
        {when(until)}.
      </p>
    );
  if (!isBegun(batch)) return <p>It begins.</p>;
  if (batch.open > 0 && requests === 0 && counts.matched === undefined)
    return <p class="soft">{counted(batch.open, 'question')} wait for an answer.</p>;
  return <p class="soft">{counted(requests, 'request')} in the last minute, as the account allows.</p>;
}

/** What the vendor said beside it is for those who look into the log. */
function sentenceOf(why: string): string {
  const said = why.replace(/ \(.*\)/s, '');
  return said === '' ? 'It waits.' : capital(sentence(said));
}

function Needs({ batch }: OfBatch) {
  const attention = needing(batch);
  if (attention === 0) return null;
  return (
    <div class="need">
      <b>{needWords(attention)}</b>
      <br />
      They are marked in the table. Correct them while it runs.
    </div>
  );
}
