import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { FindLine, PagePlace, RowPage, RowView } from '../../api.ts';
import { changesOf } from '../live.ts';
import { asRefused, Loaded, Refusal } from '../loaded.tsx';
import { Button, ButtonLink } from '../parts/controls.tsx';
import { grouped } from '../parts/figures.ts';
import { NEED_ATTENTION, sumOf } from '../parts/outcomes.tsx';
import { About, ForeignText, StatusTag } from '../parts/tags.tsx';
import { Told } from '../parts/told.tsx';
import { go, query } from '../router.ts';
import { askLines, Refused } from '../session.ts';
import { text, wordOf } from '../text.ts';

/** The rows of a batch: a page of them at a time, however many there are, so that a million are as fast as ten. */
export function Rows({ params }: { readonly params: Readonly<Record<string, string>> }) {
  const batch = params.id ?? '';
  const before = useRef<Shown | undefined>(undefined);
  const inPlace = (page: RowPage, path: string): RowPage => {
    const shown = before.current?.path === path ? pageInPlace(before.current.page, page) : page;
    before.current = { path, page: shown };
    return shown;
  };
  return (
    <>
      <div class="title">
        <h1>{text.rows.title}</h1>
        <ButtonLink to={`/batches/${batch}`} says={text.rows.back} />
      </div>
      <Loaded<RowPage> path={`/batches/${batch}/rows?${query.value}`} again={changesOf(batch)}>
        {(page, path) => <PageOfRows page={inPlace(page, path)} />}
      </Loaded>
    </>
  );
}

interface Shown {
  readonly path: string;
  readonly page: RowPage;
}

/** In the place of the status of a row that is not as the filter wants it any more. */
const LEFT = 'left';

/**
 * The newer page, with the rows that were shown where they were: somebody is reading them. It has no more rows than before
 * when a filter has let as many through as a page holds, so that what follows is on the next page.
 */
function pageInPlace(before: RowPage, now: RowPage): RowPage {
  const fresh = new Map(now.rows.map((row) => [row.row, row]));
  const kept = before.rows.map((row) => fresh.get(row.row) ?? { ...row, status: LEFT });
  const isRead = document.activeElement?.closest('.grid') != null;
  if (!isRead && kept.every(({ status }) => status === LEFT)) return now;
  const isKept = new Set(kept.map(({ row }) => row));
  const [first = 0] = isKept;
  const added = now.rows.filter(({ row }) => row > first && !isKept.has(row));
  const most = Math.max(kept.length, now.rows.length);
  const all = [...kept, ...added].sort((a, b) => a.row - b.row);
  const rows = all.slice(0, most);
  const [to = 0] = rows.map(({ row }) => row).slice(-1);
  return {
    ...now,
    rows,
    prev: now.rows.some(({ row }) => row < first) ? { before: first } : now.prev,
    next: all.length > most ? { from: to + 1 } : now.next,
  };
}

function PageOfRows({ page }: { readonly page: RowPage }) {
  const { batch, rows, last, list } = page;
  return (
    <>
      <About of={page} />
      <div class="title">
        <Filters page={page} />
        {(page.counts.in_doubt ?? 0) > 0 && <a href={`/batches/${batch}/doubts`}>{text.row.decide}</a>}
      </div>
      <div class="row-tools">
        <Jump page={page} />
        <RowFind batch={batch} last={last} />
      </div>
      {list !== 'same' && <p class="notice">{list === 'gone' ? text.rows.gone : text.rows.changed}</p>}
      {rows.length > 0 ? (
        <>
          <Table page={page} />
          <Pager page={page} />
        </>
      ) : (
        <Nothing page={page} />
      )}
    </>
  );
}

function addressOf({ batch }: RowPage, place: PagePlace | null, status = query.value.get('status')): string {
  const words = new URLSearchParams(status === null ? {} : { status });
  for (const [name, row] of Object.entries(place ?? {})) words.set(name, String(row));
  return `/batches/${batch}/rows${words.size === 0 ? '' : `?${words}`}`;
}

function Filters({ page }: { readonly page: RowPage }) {
  const { counts } = page;
  const attention = sumOf(counts, NEED_ATTENTION);
  const shown = Object.keys(text.rows.status).filter((name) => (counts[name] ?? 0) > 0);
  const now = query.value.get('status');
  const filters: readonly (readonly [string | null, string, number])[] = [
    [null, text.rows.all, sumOf(counts)],
    ...shown.map((name) => [name, wordOf(text.rows.status, name), counts[name] ?? 0] as const),
    ...(attention > 0 ? [['attention', text.rows.attention, attention] as const] : []),
  ];
  return (
    <nav class="filters" aria-label={text.rows.filters}>
      {filters.map(([name, words, count]) => (
        <a
          key={words}
          class="chip"
          href={addressOf(page, null, name)}
          aria-current={now === name ? 'page' : undefined}
        >
          {words} <span class="muted">{grouped(count)}</span>
        </a>
      ))}
    </nav>
  );
}

function Jump({ page }: { readonly page: RowPage }) {
  return (
    <form
      class="actions"
      onSubmit={(event) => {
        event.preventDefault();
        const row = new FormData(event.currentTarget).get('row');
        if (row !== null && row !== '') go(addressOf(page, { from: Number(row) }, null));
      }}
    >
      <label class="inline">
        <span>{text.rows.jump}</span>
        <input name="row" type="number" inputMode="numeric" min={2} max={page.last} class="short" />
      </label>
      <button type="submit">{text.rows.go}</button>
    </form>
  );
}

function Nothing({ page }: { readonly page: RowPage }) {
  return (
    <section class="empty">
      <h2>{text.rows.none}</h2>
      <p>{text.rows.noneWhat}</p>
      <ButtonLink to={addressOf(page, null, null)} says={text.rows.showAll} />
    </section>
  );
}

function Table({ page }: { readonly page: RowPage }) {
  const { rows, header, added } = page;
  const hasCredits = rows.some(({ credits }) => credits > 0);
  return (
    <>
      <section class="scroll grid" aria-label={text.rows.title} onKeyDown={(event) => onKey(event, page)}>
        <table aria-describedby="row-keys">
          <thead>
            <tr>
              <th scope="col" class="number">
                {text.rows.row}
              </th>
              <th scope="col">{text.rows.ended}</th>
              {header.map((name, at) => (
                <th scope="col" key={at} title={name}>
                  {name}
                </th>
              ))}
              {added.map((name, at) => (
                <th scope="col" key={at} class="found" title={name}>
                  {name}
                </th>
              ))}
              {hasCredits && (
                <th scope="col" class="number">
                  {text.rows.credits}
                </th>
              )}
              <th scope="col">{text.rows.source}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <Line key={row.row} page={page} row={row} hasCredits={hasCredits} />
            ))}
          </tbody>
        </table>
      </section>
      <p class="muted small" id="row-keys">
        {text.rows.keys} {page.more_columns > 0 && text.rows.moreColumns(grouped(page.more_columns))}
      </p>
    </>
  );
}

interface LineProps {
  readonly page: RowPage;
  readonly row: RowView;
  readonly hasCredits: boolean;
}

function Line({ page, row, hasCredits }: LineProps) {
  const { header, batch, list } = page;
  const isOther = row.cells === null && list === 'same';
  return (
    <tr>
      <th scope="row" class="number">
        <a href={`/batches/${batch}/rows/${row.row}`}>{grouped(row.row)}</a>
      </th>
      <td class="ended">
        {row.status === LEFT ? <span class="tag">{text.rows.left}</span> : <StatusTag status={row.status} />}
        {row.reason !== '' && (
          <span class="reason" title={row.reason}>
            <Told batch={batch}>{row.reason}</Told>
          </span>
        )}
      </td>
      {isOther && header.length > 0 ? (
        <td colSpan={header.length} class="muted">
          {text.rows.otherCells}
        </td>
      ) : (
        header.map((_, at) => <Cell key={at} value={row.cells?.[at] ?? ''} />)
      )}
      {row.found.map((value, at) => (
        <Cell key={at} value={value} />
      ))}
      {hasCredits && <td class="number">{grouped(row.credits)}</td>}
      <td class="muted nowrap">{row.source}</td>
    </tr>
  );
}

function Cell({ value }: { readonly value: string }) {
  return (
    <td class="cell" title={value}>
      <ForeignText value={value} />
    </td>
  );
}

function Pager({ page }: { readonly page: RowPage }) {
  const { rows, last, prev, next } = page;
  const [from, to] = [rows[0]?.row ?? 0, rows.at(-1)?.row ?? 0];
  return (
    <nav class="actions pager" aria-label={text.rows.pages}>
      <Step page={page} to={prev === null ? null : { from: 2 }} words={text.rows.first} />
      <Step page={page} to={prev} words={text.rows.previous} />
      <span class="pages" aria-live="polite">
        {text.rows.shown(grouped(from), grouped(to), grouped(last))}
      </span>
      <Step page={page} to={next} words={text.rows.next} />
      <Step page={page} to={next === null ? null : { before: last + 1 }} words={text.rows.last} />
    </nav>
  );
}

interface StepProps {
  readonly page: RowPage;
  readonly to: PagePlace | null;
  readonly words: string;
}

function Step({ page, to, words }: StepProps) {
  return <Button disabled={to === null} onClick={() => go(addressOf(page, to))} says={words} />;
}

/** Keys that a spreadsheet has taught: rows by arrows, pages by the keys for pages, first and last with Ctrl. */
function onKey(event: KeyboardEvent, page: RowPage): void {
  const { prev, next, last } = page;
  const pages: Readonly<Record<string, PagePlace | null>> = {
    PageDown: next,
    PageUp: prev,
    ...(event.ctrlKey ? { Home: { from: 2 }, End: { before: last + 1 } } : {}),
  };
  const to = pages[event.key];
  if (to !== undefined) {
    event.preventDefault();
    if (to !== null) go(addressOf(page, to), true);
  }
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined) return;
  const links = [...(event.currentTarget as Element).querySelectorAll<HTMLAnchorElement>('tbody th a')];
  const at = links.findIndex((link) => link.closest('tr')?.contains(document.activeElement));
  event.preventDefault();
  links[Math.max(0, Math.min(links.length - 1, at + step))]?.focus();
}

type Hit = Extract<FindLine, { readonly row: number }>;

interface Search {
  readonly wanted: string;
  readonly hits: readonly Hit[];
  /** How far it has come; undefined when it is over. */
  readonly at: number | undefined;
  readonly next: number | null;
  readonly wasCancelled?: true;
  readonly refused?: Refused;
}

/** Looks for a text in all rows of a batch. It says how far it has come, and can be cancelled. */
function RowFind({ batch, last }: { readonly batch: string; readonly last: number }) {
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
              onInput={(event) => (wanted.value = event.currentTarget.value)}
            />
          </label>
          {/* Each has an element of its own: one that became the other under a click would begin the search again. */}
          {found?.at === undefined ? (
            <Button key="search" type="submit" says={text.rows.search} />
          ) : (
            <Button key="cancel" onClick={() => going.current?.abort()} says={text.rows.cancel} />
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

interface HitsProps {
  readonly batch: string;
  readonly last: number;
  readonly search: Search;
  readonly goOn: (from: number) => void;
}

function Hits({ batch, last, search: { hits, at, next, wasCancelled, refused }, goOn }: HitsProps) {
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
      {isOver && next !== null && <Button onClick={() => goOn(next)} says={text.rows.goOn} />}
    </section>
  );
}
