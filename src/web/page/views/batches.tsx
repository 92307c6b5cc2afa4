import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { BatchList, BatchView, WorkerList, WorkerView } from '../../api.ts';
import { Loaded } from '../loaded.tsx';
import { ButtonLink, Select } from '../parts/controls.tsx';
import { allRows, counted, dateAndTime, grouped } from '../parts/figures.ts';
import { OutcomeBar, sumOf } from '../parts/outcomes.tsx';
import { numbers, Table } from '../parts/table.tsx';
import { BatchState, PlayMoney } from '../parts/tags.tsx';
import { go, query } from '../router.ts';
import { beat } from '../session.ts';
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
        <ButtonLink to="/new" says={words.start} look="primary" />
      </div>
      <Workers />
      <Filters />
      <Loaded<BatchList> path={`/batches?${asked}`} again={beat.value}>
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
      <ButtonLink to="/new" says={words.start} look="primary" />
    </section>
  );
}

function NothingFits() {
  return (
    <section class="card empty">
      <h2>{words.nothingFits}</h2>
      <ButtonLink to="/" says={words.showAll} />
    </section>
  );
}

/** How long after the last letter the list is asked for. */
const TYPING_MS = 250;

const STATES = ['open', 'finished', 'cancelled', 'superseded'] as const;

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
            onInput={(event) => (typed.value = event.currentTarget.value)}
          />
        </label>
        <Select
          name={words.state}
          value={query.value.get('state') ?? 'all'}
          options={[
            ['all', words.everyState],
            ...STATES.map((state) => [state, text.batch.states[state]] as const),
          ]}
          onChosen={(state) => set('state', state)}
        />
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
          {page > 1 && <ButtonLink to={to(page - 1)} says={words.newer} />}
          <span class="muted">{words.pageOf(grouped(page), grouped(pages), grouped(list.total))}</span>
          {page < pages && <ButtonLink to={to(page + 1)} says={words.older} />}
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

const workerWords = text.workers;

/** Who spends from a store that many share, each with what it has on its way of every account; nothing for any other store. */
function Workers() {
  return (
    <Loaded<WorkerList> path="/workers" again={beat.value} meanwhile={null}>
      {({ shared, workers }) => (shared ? <ListedWorkers workers={workers} /> : null)}
    </Loaded>
  );
}

function ListedWorkers({ workers }: { readonly workers: readonly WorkerView[] }) {
  if (workers.length === 0) return <p class="notice">{workerWords.none}</p>;
  const columns = [workerWords.host, workerWords.process, workerWords.command, workerWords.account];
  return (
    <section class="card stack">
      <h2>{workerWords.title(grouped(workers.length))}</h2>
      <Table
        name={workerWords.table}
        columns={[...columns, ...numbers(workerWords.inFlight, workerWords.beat)]}
      >
        {workers.flatMap((worker) =>
          accountsOf(worker).map(({ account, in_flight: inFlight }) => (
            <tr key={`${worker.host} ${worker.pid} ${account}`}>
              <td>{worker.host}</td>
              <td>{worker.pid}</td>
              <td title={worker.command}>{commandOf(worker)}</td>
              <td>{account}</td>
              <td class="number">{grouped(inFlight)}</td>
              <td class="number">{beatWords(worker)}</td>
            </tr>
          )),
        )}
      </Table>
    </section>
  );
}

/** One that has nothing to do has a line all the same. */
function accountsOf({ accounts }: WorkerView): WorkerView['accounts'] {
  return accounts.length === 0 ? [{ account: '', in_flight: 0 }] : accounts;
}

/** What a whole command is called: the rest of it are paths. */
function commandOf({ command }: WorkerView): string {
  return /(?:\browonce|bin\.js'?) (\w+)/.exec(command)?.[1] ?? command;
}

function beatWords({ beat_seconds: seconds }: WorkerView): string {
  return seconds === undefined ? workerWords.noBeat : workerWords.ago(seconds.toFixed(1));
}
