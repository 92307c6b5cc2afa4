import type { RowPage, RowView } from '../../api.ts';
import { Loaded } from '../loaded.tsx';
import { ButtonLink } from '../parts/controls.tsx';
import { grouped } from '../parts/figures.ts';
import { NEED_ATTENTION, sumOf } from '../parts/outcomes.tsx';
import { numbers, Table } from '../parts/table.tsx';
import { About, ForeignText, StatusTag } from '../parts/tags.tsx';
import { query } from '../router.ts';
import { beat } from '../session.ts';
import { plainWord, text } from '../text.ts';

/** The rows of a batch. One page of them is shown at a time, so that a million rows are as fast as ten. */
export function Rows({ params }: { readonly params: Readonly<Record<string, string>> }) {
  const batch = params.id ?? '';
  return (
    <>
      <div class="title">
        <h1>{text.rows.title}</h1>
        <ButtonLink to={`/batches/${batch}`} says={text.rows.back} />
      </div>
      <Loaded<RowPage> path={`/batches/${batch}/rows?${query.value}`} again={beat.value}>
        {(page) => <PageOfRows page={page} />}
      </Loaded>
    </>
  );
}

function PageOfRows({ page }: { readonly page: RowPage }) {
  const { batch, rows } = page;
  return (
    <>
      <About of={page} />
      <div class="title">
        <Filters page={page} />
        {(page.counts.in_doubt ?? 0) > 0 && <a href={`/batches/${batch}/doubts`}>{text.rows.decide}</a>}
      </div>
      {rows.length > 0 ? (
        <>
          <RowTable page={page} />
          <Pager page={page} />
        </>
      ) : (
        <NoRows page={page} />
      )}
    </>
  );
}

function addressOf({ batch }: RowPage, from: number | null, status = query.value.get('status')): string {
  const words = new URLSearchParams(status === null ? {} : { status });
  if (from !== null) words.set('from', String(from));
  return `/batches/${batch}/rows${words.size === 0 ? '' : `?${words}`}`;
}

function Filters({ page }: { readonly page: RowPage }) {
  const { counts } = page;
  const attention = sumOf(counts, NEED_ATTENTION);
  const shown = Object.entries(counts).filter(([, count]) => count > 0);
  const now = query.value.get('status');
  const filters: readonly (readonly [string | null, string, number])[] = [
    [null, text.rows.all, sumOf(counts)],
    ...shown.map(([name, count]) => [name, plainWord(name), count] as const),
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

function NoRows({ page }: { readonly page: RowPage }) {
  return (
    <section class="empty">
      <h2>{text.rows.none}</h2>
      <p>{text.rows.noneWhat}</p>
      <ButtonLink to={addressOf(page, null, null)} says={text.rows.showAll} />
    </section>
  );
}

function RowTable({ page }: { readonly page: RowPage }) {
  const { rows, header, added, more_columns: more } = page;
  const hasCredits = rows.some(({ credits }) => credits > 0);
  return (
    <Table
      name={text.rows.title}
      look="grid"
      more={more > 0 ? text.rows.moreColumns(grouped(more)) : undefined}
      columns={[
        ...numbers(text.rows.row),
        text.rows.ended,
        ...header,
        ...added.map((name) => ({ name, look: 'found' as const })),
        ...numbers(...(hasCredits ? [text.rows.credits] : [])),
        text.rows.source,
      ]}
    >
      {rows.map((row) => (
        <RowLine key={row.row} page={page} row={row} hasCredits={hasCredits} />
      ))}
    </Table>
  );
}

interface LineProps {
  readonly page: RowPage;
  readonly row: RowView;
  readonly hasCredits: boolean;
}

function RowLine({ page, row, hasCredits }: LineProps) {
  const { header } = page;
  return (
    <tr>
      <th scope="row" class="number">
        {grouped(row.row)}
      </th>
      <td class="ended">
        <StatusTag status={row.status} />
        {row.reason !== '' && (
          <span class="reason" title={row.reason}>
            {row.reason}
          </span>
        )}
      </td>
      {row.cells === null && header.length > 0 ? (
        <td colSpan={header.length} class="muted">
          {text.rows.noCells}
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
  const { rows, last, next } = page;
  const from = rows[0]?.row ?? 0;
  const to = rows.at(-1)?.row ?? 0;
  return (
    <nav class="actions" aria-label={text.rows.pages}>
      <span aria-live="polite">{text.rows.shown(grouped(from), grouped(to), grouped(last))}</span>
      {next !== null && <ButtonLink to={addressOf(page, next)} says={text.rows.next} />}
    </nav>
  );
}
