import type { BatchList, BatchView } from '../../api.ts';
import { Loaded } from '../loaded.tsx';
import { ButtonLink } from '../parts/controls.tsx';
import { allRows, counted, dateAndTime, grouped } from '../parts/figures.ts';
import { Progress, sumOf } from '../parts/outcomes.tsx';
import { BatchState, PlayMoney } from '../parts/tags.tsx';
import { query } from '../router.ts';
import { beat } from '../session.ts';
import { text, wordOf } from '../text.ts';

const words = text.batches;

/** All batches, newest first; the address knows the filter and the page. */
export function Batches() {
  const asked = query.value;
  const page = Number(asked.get('page') ?? 1);
  return (
    <>
      <div class="title">
        <h1>{words.title}</h1>
        <ButtonLink to="/new" says={words.start} look="primary" />
      </div>
      <Loaded<BatchList> path={`/batches?${asked}`} again={beat.value}>
        {(list) => (list.total === 0 ? <NoBatches /> : <Listed list={list} page={page} />)}
      </Loaded>
    </>
  );
}

function NoBatches() {
  return (
    <section class="card empty">
      <h2>{words.none}</h2>
      <p>{words.noneWhat}</p>
      <ButtonLink to="/new" says={words.start} look="primary" />
    </section>
  );
}

function Listed({ list, page }: { readonly list: BatchList; readonly page: number }) {
  const pages = Math.max(1, Math.ceil(list.total / list.per_page));
  return (
    <>
      <ul class="cards">
        {list.batches.map((batch) => (
          <BatchLine key={batch.batch} batch={batch} />
        ))}
      </ul>
      {pages > 1 && (
        <nav class="actions" aria-label={words.pages}>
          {page > 1 && <ButtonLink to={`/?page=${page - 1}`} says={words.newer} />}
          <span class="muted">{words.pageOf(grouped(page), grouped(pages), grouped(list.total))}</span>
          {page < pages && <ButtonLink to={`/?page=${page + 1}`} says={words.older} />}
        </nav>
      )}
    </>
  );
}

function BatchLine({ batch }: { readonly batch: BatchView }) {
  const operation =
    batch.undoes === null ? wordOf(text.todo.operations, batch.operation) : words.undoOf(batch.undoes);
  return (
    <li class="card batch-line">
      <div class="batch-what">
        <a class="batch-link" href={`/batches/${batch.batch}`} title={batch.input}>
          {batch.input}
        </a>
        <span class="batch-operation muted small" title={`${operation} · ${batch.account}`}>
          {operation} · {batch.account}
        </span>
      </div>
      <div class="batch-tags">
        <BatchState batch={batch} />
        {batch.sandbox && <PlayMoney />}
      </div>
      <div class="batch-progress">
        <Progress settled={sumOf(batch.counts)} rows={allRows(batch)} />
      </div>
      <div class="batch-cost number">{batch.has_costs ? costOf(batch.credits) : ''}</div>
      <time class="batch-when muted" dateTime={batch.created_at}>
        {dateAndTime(batch.created_at)}
      </time>
    </li>
  );
}

function costOf({ spent, exact }: BatchView['credits']): string {
  const cost = counted(spent, 'credit');
  return exact || spent === 0 ? cost : text.atMost(cost);
}
