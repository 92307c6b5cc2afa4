import { whatWords } from '../../../files/output/summary-words.ts';
import type { BatchList, ListedBatch, Lists, ListView } from '../../api.ts';
import { Loaded } from '../loaded.tsx';
import { Act } from '../parts/act.tsx';
import { ButtonLink } from '../parts/controls.tsx';
import { allRows, creditWords, foundIn, grouped, needing, percent, when } from '../parts/figures.ts';
import { query } from '../router.ts';
import { ask, beat } from '../session.ts';
import { Bring } from './home/bring.tsx';

/** Where a list is brought, and all lists, the newest first. */
export function Home() {
  const page = Number(query.value.get('page') ?? 1);
  return (
    <Loaded<Lists> path="/lists" again={beat.value}>
      {({ lists, endings }) => (
        <>
          <Bring endings={endings} />
          <Loaded<BatchList> path={`/batches?newest=true&page=${page}`} again={beat.value}>
            {(found) => <AllLists lists={lists} found={found} page={page} />}
          </Loaded>
        </>
      )}
    </Loaded>
  );
}

/** A list as it was brought, as it was worked on, or both. */
interface Line {
  readonly list: ListView | undefined;
  readonly batch: ListedBatch | undefined;
}

/** When it was brought or worked on last. */
const timeOf = ({ list, batch }: Line): string =>
  [list?.at ?? '', batch?.created_at ?? ''].toSorted().at(-1) ?? '';

interface AllListsProps {
  readonly lists: readonly ListView[];
  readonly found: BatchList;
  readonly page: number;
}

function AllLists({ lists, found, page }: AllListsProps) {
  const pages = Math.ceil(found.total / found.per_page);
  const lines = linesOf(lists, found, page);
  if (lines.length === 0) return null;
  return (
    <section aria-label="Your lists">
      <ul class="lists">
        {lines.map((line) => (
          <OneList {...line} key={line.list?.id ?? line.batch?.batch} />
        ))}
      </ul>
      {pages > 1 && (
        <nav class="row" aria-label="Older and newer lists">
          {page > 1 && <ButtonLink to={`/?page=${page - 1}`} says="Newer" />}
          <span class="soft">
            {grouped(page)} of {grouped(pages)}
          </span>
          {page < pages && <ButtonLink to={`/?page=${page + 1}`} says="Older" />}
        </nav>
      )}
    </section>
  );
}

/** Lists that were never started stand on the first page, which has what is newest. */
function linesOf(lists: readonly ListView[], { batches, total, per_page }: BatchList, page: number): Line[] {
  const oldest = total > per_page ? (batches.at(-1)?.created_at ?? '') : '';
  const unstarted = lists.filter(
    ({ id, at }) => page === 1 && at > oldest && !batches.some(({ list }) => list === id),
  );
  const started = batches.map((batch) => ({ list: lists.find(({ id }) => id === batch.list), batch }));
  const lines = [...unstarted.map((list) => ({ list, batch: undefined })), ...started];
  return lines.toSorted((one, other) => timeOf(other).localeCompare(timeOf(one)));
}

function OneList({ list, batch }: Line) {
  const isNew = batch === undefined || (list !== undefined && list.at > batch.created_at);
  const at = timeOf({ list, batch });
  const name = list?.name ?? batch?.input;
  return (
    <li>
      <a href={list === undefined ? `/files/${batch?.batch}` : `/lists/${list.id}`}>{name}</a>
      <span class="soft">
        {batch && `${whatOf(batch)} · `}
        <time dateTime={at}>{when(at)}</time>
      </span>
      <span>{batch && foundOf(batch)}</span>
      <span class="soft">{batch && costOf(batch)}</span>
      <span>{isNew ? `${batch ? 'changed, ' : ''}not started` : stateOf(batch)}</span>
      <span>{list && <Remove list={list} />}</span>
    </li>
  );
}

const whatOf = ({ operation, undoes }: ListedBatch): string =>
  undoes === null ? whatWords(operation) : `taken back: ${whatWords(operation)}`;

function foundOf(batch: ListedBatch): string {
  const { counts, running } = batch;
  const rows = allRows(batch);
  const ended = Object.values(counts).reduce((sum, count) => sum + count, 0);
  if (running) return percent(ended, rows);
  return `${grouped(foundIn(counts))} of ${grouped(rows)}`;
}

/** What the list has cost so far, by all its starts. */
function costOf({ has_costs: hasCosts, list_credits: credits, sandbox }: ListedBatch): string {
  if (!hasCosts) return '–';
  const cost = creditWords(credits);
  return sandbox ? `${cost}, play money` : cost;
}

function stateOf(batch: ListedBatch) {
  const { state, running, held_since: held } = batch;
  const needs = needing(batch);
  if (running) return 'running';
  if (state === 'cancelled') return 'stopped for good';
  if (held !== undefined) return 'paused';
  if (state === 'open') return <b class="need">waits for you</b>;
  if (needs > 0) return <b class="need">{needs === 1 ? '1 needs you' : `${grouped(needs)} need you`}</b>;
  return 'done';
}

const Remove = ({ list: { id, name } }: { readonly list: ListView }) => (
  <Act
    look="link"
    says="Remove"
    aria-label={`Remove ${name}`}
    asks={`Remove “${name}” from this page? What was found for it stays known.`}
    does={() => ask(`/lists/${id}`, { method: 'DELETE' })}
  />
);
