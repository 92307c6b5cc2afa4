import type { PlanView, RowPage } from '../../../api.ts';
import { Loaded } from '../../loaded.tsx';
import { counted, grouped } from '../../parts/figures.ts';
import { numbers, Table } from '../../parts/table.tsx';
import { ForeignText, StatusTag } from '../../parts/tags.tsx';
import { text, wordOf } from '../../text.ts';

const words = text.plan.answers;

const ROWS_SHOWN = 20;

/** What was bought so far of this very list, so that it can be judged before the rest is. */
export function Answers({ plan, batch }: { readonly plan: PlanView; readonly batch: string }) {
  return (
    <Loaded<RowPage> path={`/batches/${batch}/rows?status=finished&limit=${ROWS_SHOWN}`} again={plan.id}>
      {(page) => (page.rows.length === 0 ? null : <Shown plan={plan} page={page} />)}
    </Loaded>
  );
}

function Shown({ plan, page }: { readonly plan: PlanView; readonly page: RowPage }) {
  const { counts, rows, batch } = page;
  const settled = Object.entries(counts).filter(([status]) => status !== 'pending');
  const all = settled.reduce((sum, [, count]) => sum + count, 0);
  const outcomes = settled.map(([status, count]) => `${count} ${wordOf(text.rows.status, status)}`);
  return (
    <section class="stack">
      <div class="title">
        <h2>{words.title}</h2>
        <a href={`/batches/${batch}/rows?status=finished`}>{words.all(counted(all, 'row'))}</a>
      </div>
      <p>
        {outcomes.join(', ')}
        {rows.length === all && `: ${counted(creditsOf(page), 'credit')}`}.{' '}
        <span class="muted">{words.rest}</span>
      </p>
      <Grid plan={plan} page={page} />
    </section>
  );
}

function creditsOf({ rows }: RowPage): number {
  return rows.reduce((sum, { credits }) => sum + credits, 0);
}

function Grid({
  plan,
  page: { header, added, rows, batch },
}: {
  readonly plan: PlanView;
  readonly page: RowPage;
}) {
  const asked = Object.values(plan.columns).filter((column) => header.includes(column));
  return (
    <Table
      name={words.title}
      columns={[
        ...numbers(text.rows.row),
        text.rows.ended,
        ...asked,
        ...added.map((name) => ({ name, look: 'found' as const })),
        ...numbers(text.rows.credits),
      ]}
    >
      {rows.map(({ row, status, reason, cells, found, credits }) => (
        <tr key={row}>
          <th scope="row" class="number">
            <a href={`/batches/${batch}/rows/${row}`}>{grouped(row)}</a>
          </th>
          <td title={reason}>
            <StatusTag status={status} />
          </td>
          {asked.map((name) => (
            <Cell key={name} value={cells?.[header.indexOf(name)] ?? ''} />
          ))}
          {added.map((name, at) => (
            <Cell key={name} value={found[at] ?? ''} />
          ))}
          <td class="number">{grouped(credits)}</td>
        </tr>
      ))}
    </Table>
  );
}

function Cell({ value }: { readonly value: string }) {
  return (
    <td class="cut" title={value}>
      <ForeignText value={value} />
    </td>
  );
}
