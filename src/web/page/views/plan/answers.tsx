import type { PlanView, RowPage } from '../../../api.ts';
import { work } from '../../live.ts';
import { Loaded } from '../../loaded.tsx';
import { counted } from '../../parts/numbers.ts';
import { ForeignText, StatusTag, shownNumber } from '../../parts/row-words.tsx';
import { Scroll } from '../../parts/scroll.tsx';
import { text } from '../../text.ts';

const words = text.plan.answers;

/** As many rows as a sample has. */
const ROWS_SHOWN = 20;

/** What was bought so far of this very list, so that it can be judged before the rest is. */
export function Answers({ plan, batch }: { readonly plan: PlanView; readonly batch: string }) {
  return (
    <Loaded<RowPage>
      path={`/batches/${batch}/rows?status=settled&limit=${ROWS_SHOWN}`}
      again={`${plan.id} ${work.value}`}
    >
      {(page) => (page.rows.length === 0 ? null : <Shown plan={plan} page={page} />)}
    </Loaded>
  );
}

function Shown({ plan, page }: { readonly plan: PlanView; readonly page: RowPage }) {
  const { counts, rows, batch } = page;
  const settled = Object.entries(counts).filter(([status]) => status !== 'pending');
  const all = settled.reduce((sum, [, count]) => sum + count, 0);
  const outcomes = settled.map(([status, count]) => `${count} ${text.rows.status[status] ?? status}`);
  return (
    <section class="stack">
      <div class="title">
        <h2>{words.title}</h2>
        <a href={`/batches/${batch}/rows?status=settled`}>{words.all(counted(all, 'row'))}</a>
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

/** The cells that were sent, and what came back for them. */
function Grid({
  plan,
  page: { header, added, rows, batch },
}: {
  readonly plan: PlanView;
  readonly page: RowPage;
}) {
  const asked = Object.values(plan.columns).filter((column) => header.includes(column));
  return (
    <Scroll name={words.title}>
      <table>
        <thead>
          <tr>
            <th scope="col" class="number">
              {text.rows.row}
            </th>
            <th scope="col">{text.rows.ended}</th>
            {[...asked, ...added].map((name) => (
              <th key={name} scope="col" class={asked.includes(name) ? undefined : 'found'}>
                {name}
              </th>
            ))}
            <th scope="col" class="number">
              {text.rows.credits}
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ row, status, reason, cells, found, credits }) => (
            <tr key={row}>
              <th scope="row" class="number">
                <a href={`/batches/${batch}/rows/${row}`}>{shownNumber(row)}</a>
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
              <td class="number">{shownNumber(credits)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

function Cell({ value }: { readonly value: string }) {
  return (
    <td class="cut" title={value}>
      <ForeignText value={value} />
    </td>
  );
}
