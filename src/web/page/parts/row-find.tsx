import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { FindLine } from '../../api.ts';
import { asRefused, Refusal } from '../loaded.tsx';
import { askLines, Refused } from '../session.ts';
import { text } from '../text.ts';
import { grouped } from './figures.ts';

type Hit = Extract<FindLine, { readonly row: number }>;

interface Search {
  readonly wanted: string;
  readonly hits: readonly Hit[];
  /** How far it has come; undefined when it is over. */
  readonly at: number | undefined;
  /** Where it may go on. */
  readonly next: number | null;
  readonly wasCancelled?: true;
  readonly refused?: Refused;
}

/** Looks for a text in all rows of a batch. It says how far it has come, and can be cancelled. */
export function RowFind({ batch, last }: { readonly batch: string; readonly last: number }) {
  const wanted = useSignal('');
  const search = useSignal<Search | undefined>(undefined);
  const going = useRef<AbortController | undefined>(undefined);
  useEffect(() => () => going.current?.abort(), []);
  const start = async (words: string, from: number, before: readonly Hit[]): Promise<void> => {
    going.current?.abort();
    const leaving = new AbortController();
    going.current = leaving;
    let now: Search = { wanted: words, hits: before, at: from, next: null };
    const show = (more: Partial<Search>): void => {
      now = { ...now, ...more };
      if (going.current === leaving) search.value = now;
    };
    show({});
    const path = `/batches/${batch}/find?text=${encodeURIComponent(words)}&from=${from}`;
    try {
      await askLines<FindLine>(path, leaving.signal, (line) => {
        if ('at' in line) show({ at: line.at });
        else if ('row' in line) show({ hits: [...now.hits, line] });
        else if ('next' in line) show({ at: undefined, next: line.next });
        else show({ at: undefined, refused: new Refused(line.error) });
      });
    } catch (error) {
      if (leaving.signal.aborted) show({ at: undefined, next: now.at ?? null, wasCancelled: true });
      else show({ at: undefined, refused: asRefused(error) });
    }
  };
  const found = search.value;
  return (
    <>
      <search>
        <form
          class="actions"
          onSubmit={(event) => {
            event.preventDefault();
            if (wanted.value.trim() !== '') void start(wanted.value.trim(), 2, []);
          }}
        >
          <label class="inline">
            <span>{text.rows.find}</span>
            <input
              type="search"
              maxLength={200}
              placeholder={text.rows.findHint}
              onInput={(event) => {
                wanted.value = event.currentTarget.value;
              }}
            />
          </label>
          {/* Each has an element of its own: one that became the other under a click would begin the search again. */}
          {found?.at === undefined ? (
            <button key="search" type="submit">
              {text.rows.search}
            </button>
          ) : (
            <button key="cancel" type="button" onClick={() => going.current?.abort()}>
              {text.rows.cancel}
            </button>
          )}
        </form>
      </search>
      {found !== undefined && (
        <Hits
          batch={batch}
          last={last}
          search={found}
          goOn={(from) => start(found.wanted, from, found.hits)}
        />
      )}
    </>
  );
}

function Hits({
  batch,
  last,
  search: { hits, at, next, wasCancelled, refused },
  goOn,
}: {
  readonly batch: string;
  readonly last: number;
  readonly search: Search;
  readonly goOn: (from: number) => void;
}) {
  const isOver = at === undefined;
  const said = hits.length === 0 ? '' : text.rows.hits(grouped(hits.length));
  return (
    <section class="card hits" aria-label={text.rows.find}>
      {!isOver && (
        <>
          <progress max={last} value={at} aria-label={text.rows.search} />
          <p class="muted">{text.rows.searching(grouped(at), grouped(last))}</p>
        </>
      )}
      <p aria-live="polite">
        {said}{' '}
        {isOver && hits.length === 0 && wasCancelled !== true && refused === undefined && text.rows.noHits}{' '}
        {wasCancelled && text.rows.cancelled}
      </p>
      <Refusal refused={refused} />
      {hits.length > 0 && (
        <ul>
          {hits.map((hit) => (
            <li key={hit.row}>
              <a class="number" href={`/batches/${batch}/rows/${hit.row}`}>
                {grouped(hit.row)}
              </a>{' '}
              <span class="muted">{hit.column === '' ? text.rows.inAnswer : hit.column}</span>{' '}
              <span class="excerpt">{hit.text}</span>
            </li>
          ))}
        </ul>
      )}
      {isOver && next !== null && (
        <button type="button" onClick={() => goOn(next)}>
          {text.rows.goOn}
        </button>
      )}
    </section>
  );
}
