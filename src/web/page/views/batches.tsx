import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { BatchList, BatchView } from '../../api.ts';
import { anyChanges } from '../live.ts';
import { Loaded } from '../loaded.tsx';
import { allRows, counted, dateAndTime, grouped } from '../parts/figures.ts';
import { OutcomeBar, sumOf } from '../parts/outcomes.tsx';
import { BatchState, PlayMoney } from '../parts/tags.tsx';
import { Workers } from '../parts/workers.tsx';
import { go, query } from '../router.ts';
import { text, wordOf } from '../text.ts';

const words = text.batches;

/** All batches, newest first; the address knows the filter and the page. */
export function Batches() {
  const asked = query.value;
  const page = Number(asked.get('page') ?? 1);
  const filtered = asked.has('text') || asked.has('state');
  return (
    <>
      <div class="title">
        <h1>{words.title}</h1>
        <a class="button primary" href="/new">
          {words.start}
        </a>
      </div>
      <Workers />
      <Filters />
      <Loaded<BatchList> path={`/batches?${asked}`} again={anyChanges()}>
        {(list) =>
          list.all === 0 ? (
            <NoBatches />
          ) : list.total === 0 && filtered ? (
            <NothingFits />
          ) : (
            <Listed list={list} page={page} />
          )
        }
      </Loaded>
    </>
  );
}

function NoBatches() {
  return (
    <section class="card empty">
      <h2>{words.none}</h2>
      <p>{words.noneWhat}</p>
      <a class="button primary" href="/new">
        {words.start}
      </a>
    </section>
  );
}

function NothingFits() {
  return (
    <section class="card empty">
      <h2>{words.nothingFits}</h2>
      <a class="button" href="/">
        {words.showAll}
      </a>
    </section>
  );
}

/** How long after the last letter the list is asked for. */
const TYPING_MS = 250;

function Filters() {
  const typed = useSignal(query.value.get('text') ?? '');
  const set = (name: string, value: string): void => {
    const next = new URLSearchParams(query.value);
    next.delete('page');
    if (value === '' || value === 'all') next.delete(name);
    else next.set(name, value);
    go(`/${next.size === 0 ? '' : `?${next}`}`, true);
  };
  useEffect(() => {
    if (typed.value === (query.value.get('text') ?? '')) return;
    const timer = setTimeout(() => set('text', typed.value), TYPING_MS);
    return () => clearTimeout(timer);
  }, [typed.value]);
  return (
    <search>
      <form class="batch-filters" onSubmit={(event) => event.preventDefault()}>
        <label class="field batch-find">
          {words.find}
          <input
            type="search"
            value={typed}
            placeholder={words.findWhat}
            onInput={(event) => {
              typed.value = event.currentTarget.value;
            }}
          />
        </label>
        <label class="field">
          {words.state}
          <select
            value={query.value.get('state') ?? 'all'}
            onChange={(event) => set('state', event.currentTarget.value)}
          >
            <option value="all">{words.everyState}</option>
            {(['open', 'finished', 'cancelled', 'superseded'] as const).map((state) => (
              <option key={state} value={state}>
                {text.batch.states[state]}
              </option>
            ))}
          </select>
        </label>
      </form>
    </search>
  );
}

function Listed({ list, page }: { readonly list: BatchList; readonly page: number }) {
  const pages = Math.max(1, Math.ceil(list.total / list.per_page));
  const to = (wanted: number): string => {
    const next = new URLSearchParams(query.value);
    next.set('page', String(wanted));
    return `/?${next}`;
  };
  return (
    <>
      <ul class="cards">
        {list.batches.map((batch) => (
          <BatchLine key={batch.batch} batch={batch} />
        ))}
      </ul>
      {pages > 1 && (
        <nav class="actions pages" aria-label={words.pages}>
          {page > 1 && (
            <a class="button" href={to(page - 1)}>
              {words.newer}
            </a>
          )}
          <span class="muted">{words.pageOf(grouped(page), grouped(pages), grouped(list.total))}</span>
          {page < pages && (
            <a class="button" href={to(page + 1)}>
              {words.older}
            </a>
          )}
        </nav>
      )}
    </>
  );
}

function BatchLine({ batch }: { readonly batch: BatchView }) {
  const progress = words.rows(grouped(sumOf(batch.counts)), grouped(allRows(batch)));
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
        <OutcomeBar counts={batch.counts} rows={allRows(batch)} label={progress} />
        <span class="muted">{progress}</span>
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
