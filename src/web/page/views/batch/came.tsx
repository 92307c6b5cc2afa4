import type { BatchDetail, SummaryView, Tickets } from '../../../api.ts';
import { RefusedNotice } from '../../loaded.tsx';
import { take, useAction } from '../../parts/action.ts';
import { Button, ButtonLink } from '../../parts/controls.tsx';
import { grouped } from '../../parts/figures.ts';
import { NEED_ATTENTION, sumOf } from '../../parts/outcomes.tsx';
import { text } from '../../text.ts';

const words = text.batch.came;

export function Came({ batch, came }: { readonly batch: BatchDetail; readonly came: SummaryView }) {
  const { headline, cost, needs, identifiers } = came;
  return (
    <section class="card stack" aria-label={words.title}>
      <h2>{headline}</h2>
      {cost !== undefined && <p>{cost}</p>}
      <p>{needs}</p>
      <DownloadLinks batch={batch} />
      {batch.changes === undefined && <Funnel came={came} />}
      {batch.changes === undefined && identifiers !== '' && <p class="muted">{identifiers}</p>}
      <CameReasons batch={batch} came={came} />
    </section>
  );
}

function Funnel({ came: { figures } }: { readonly came: SummaryView }) {
  const { rows, usable, asked, found } = figures;
  const steps = [
    [rows, words.rows],
    [usable, words.usable],
    [asked, words.asked],
    [found, words.found],
  ] as const;
  return (
    <ol class="actions">
      {steps.map(([count, word]) => (
        <li key={word}>
          <b>{grouped(count)}</b> {word}
        </li>
      ))}
    </ol>
  );
}

function CameReasons({ batch, came }: { readonly batch: BatchDetail; readonly came: SummaryView }) {
  const { figures, rows } = came;
  if (figures.reasons.length === 0) return null;
  return (
    <>
      <h2>{words.needs}</h2>
      <ul class="reasons">
        {figures.reasons.map(({ kind, words: why, rows: count }, at) => (
          <li key={`${kind} ${why}`} class="actions">
            <b class="number">{grouped(count)}</b>
            <span class="why">{why}</span>
            <span class="muted">{rows[at]}</span>
            {kind === 'in_doubt' ? (
              <ButtonLink to={`/batches/${batch.batch}/doubts`} says={words.decide} />
            ) : (
              <ButtonLink to={`/batches/${batch.batch}/rows?status=${kind}`} says={words.look} />
            )}
          </li>
        ))}
      </ul>
    </>
  );
}

const downloadWords = text.batch.downloads;

type What = keyof Tickets;

export function DownloadLinks({ batch }: { readonly batch: BatchDetail }) {
  const attention = sumOf(batch.counts, NEED_ATTENTION);
  return (
    <div class="actions">
      <DownloadButton batch={batch} what="output" />
      {attention > 0 && <DownloadButton batch={batch} what="needs_attention" />}
      <DownloadButton batch={batch} what="report" />
    </div>
  );
}

const isWorkbook = ({ input }: BatchDetail): boolean => /\.xls[xm]$/i.test(input);

function DownloadButton({ batch, what }: { readonly batch: BatchDetail; readonly what: What }) {
  const action = useAction();
  const press = (): void => action.run(() => take(batch.batch, what));
  return (
    <>
      <Button
        class={what === 'output' ? 'primary' : ''}
        onClick={press}
        disabled={action.isBusy.value}
        says={action.isBusy.value ? downloadWords.preparing : nameOf(what, batch)}
      />
      <RefusedNotice refused={action.refused.value} />
    </>
  );
}

function nameOf(what: What, batch: BatchDetail): string {
  if (what === 'needs_attention') return downloadWords.attention(sumOf(batch.counts, NEED_ATTENTION));
  if (what === 'report') return downloadWords.report;
  return isWorkbook(batch) ? downloadWords.ownWorkbook : downloadWords.output;
}
