import type { HistoryBatch, HistoryView } from '../../api.ts';
import { Loaded } from '../loaded.tsx';
import { ButtonLink, Cut } from '../parts/controls.tsx';
import {
  allRows,
  counted,
  dateAndTime,
  dayName,
  daysOf,
  grouped,
  moneyWords,
  monthBeside,
  monthName,
  spentWords,
} from '../parts/figures.ts';
import { SubjectSearch } from '../parts/subject-search.tsx';
import { numbers, Table } from '../parts/table.tsx';
import { TableButton } from '../parts/table-button.tsx';
import { fileName, PlayMoney } from '../parts/tags.tsx';
import { query } from '../router.ts';
import { text, wordOf } from '../text.ts';

const words = text.history;

/** What was spent, saved and done, month by month. Play money is never added to the other. */
export function History() {
  const month = query.value.get('month');
  return (
    <>
      <h1>{text.history.title}</h1>
      <SubjectSearch />
      <Loaded<HistoryView> path={`/history${month === null ? '' : `?month=${encodeURIComponent(month)}`}`}>
        {(history) => <MonthShown history={history} />}
      </Loaded>
    </>
  );
}

function MonthShown({ history }: { readonly history: HistoryView }) {
  const { month, accounts, batches, operators, days } = history;
  const kinds = [false, true].filter((sandbox) =>
    [...accounts, ...batches].some((each) => each.sandbox === sandbox),
  );
  return (
    <>
      <MonthSteps history={history} />
      {kinds.length > 0 && (
        <div class="actions">
          <TableButton of={{ what: 'spend', month }} name={words.tables.spend} />
          <TableButton of={{ what: 'log' }} name={words.tables.log} />
          <TableButton of={{ what: 'changes' }} name={words.tables.changes} />
        </div>
      )}
      {kinds.length === 0 && (
        <section class="empty">
          <h2>{words.none}</h2>
          <p>{history.first === null ? words.noneEver : words.noneWhat}</p>
          {history.first === null && <ButtonLink to="/new" says={text.batches.start} look="primary" />}
        </section>
      )}
      {kinds.map((sandbox) => (
        <MoneyShown
          key={String(sandbox)}
          month={month}
          sandbox={sandbox}
          accounts={accounts.filter((each) => each.sandbox === sandbox)}
          batches={batches.filter((each) => each.sandbox === sandbox)}
          operators={operators.filter((each) => each.sandbox === sandbox)}
          days={days.filter((each) => each.sandbox === sandbox)}
        />
      ))}
    </>
  );
}

function MonthSteps({ history: { month, first, last } }: { readonly history: HistoryView }) {
  const step = (to: string, label: string, isThere: boolean) =>
    isThere ? (
      <ButtonLink to={`/history?month=${to}`} says={label} />
    ) : (
      <button type="button" disabled>
        {label}
      </button>
    );
  return (
    <nav class="title" aria-label={words.months}>
      <h2>{monthName(month)}</h2>
      <div class="actions">
        {step(monthBeside(month, -1), words.before, first !== null && first < month)}
        {step(monthBeside(month, 1), words.after, month < last)}
      </div>
    </nav>
  );
}

type Groups = HistoryView['accounts'];

interface MoneyShownProps extends Pick<HistoryView, 'month' | 'accounts' | 'operators' | 'days' | 'batches'> {
  readonly sandbox: boolean;
}

function MoneyShown({ month, sandbox, accounts, batches, operators, days: spentOn }: MoneyShownProps) {
  // Both kinds of money have the same tables, which a screen reader tells apart by their names.
  const of = sandbox ? `, ${text.playMoney}` : '';
  const sum = (name: 'spent' | 'in_doubt' | 'saved' | 'requests'): number =>
    accounts.reduce((all, each) => all + each[name], 0);
  const days = daysOf(month).map((day) => {
    const { spent = 0, in_doubt = 0 } = spentOn.find(({ name }) => name === day) ?? {};
    return { spent, in_doubt };
  });
  return (
    <section class="history-money" aria-label={sandbox ? text.playMoney : words.credits}>
      <h3>
        {words.credits} {sandbox && <PlayMoney />}
      </h3>
      <dl class="figures">
        {(['spent', 'saved', 'in_doubt', 'requests'] as const).map((name) => (
          <div key={name}>
            <dt>{words.figures[name]}</dt>
            <dd>
              {name === 'spent'
                ? spentWords({ spent: sum(name), exact: accounts.every(({ exact }) => exact) })
                : grouped(sum(name))}
            </dd>
          </div>
        ))}
      </dl>
      <div class="card">
        <DayBars month={month} days={days} of={of} />
      </div>
      <SpendTable title={words.byAccount} first={words.account} groups={accounts} of={of} />
      <SpendTable title={words.byOperator} first={words.operator} groups={operators} of={of} />
      <BatchesTable batches={batches} of={of} />
    </section>
  );
}

interface SpendTableProps {
  readonly title: string;
  readonly first: string;
  readonly groups: Groups;
  readonly of: string;
}

function SpendTable({ title, first, groups, of }: SpendTableProps) {
  if (groups.length === 0) return null;
  // People have no budgets.
  const hasBudget = groups.some(({ budget }) => budget !== null);
  const more = [words.saved, words.inDoubt, words.requests, words.begunBy];
  return (
    <Table
      name={`${title}${of}`}
      caption={title}
      columns={[first, ...numbers(words.spent, words.money, ...(hasBudget ? [words.budget] : []), ...more)]}
    >
      {groups.map((each) => (
        <tr key={each.name}>
          <th scope="row" class="name">
            {each.name === null ? <span class="muted">{words.nobody}</span> : <Cut text={each.name} />}
          </th>
          <td class="number">{spentWords(each)}</td>
          <td class="number">
            <MoneyOf money={each.money} />
          </td>
          {hasBudget && (
            <td class="number">
              {each.budget === null ? (
                <span class="muted">{words.noBudget}</span>
              ) : (
                words.ofBudget(grouped(each.budget), share(each.spent, each.budget))
              )}
            </td>
          )}
          <td class="number">{grouped(each.saved)}</td>
          <td class="number">{grouped(each.in_doubt)}</td>
          <td class="number">{grouped(each.requests)}</td>
          <td class="number">{grouped(each.batches)}</td>
        </tr>
      ))}
    </Table>
  );
}

function MoneyOf({ money }: { readonly money: readonly Parameters<typeof moneyWords>[0][] }) {
  if (money.length === 0) return <span class="muted">{text.history.noMoney}</span>;
  return money.map(moneyWords).join(' + ');
}

function share(part: number, whole: number): string {
  return whole === 0 ? '–' : `${Math.round((100 * part) / whole)} %`;
}

/** More of a month are found by their list on the first page. */
const BATCHES_SHOWN = 200;

function BatchesTable({ batches, of }: { readonly batches: readonly HistoryBatch[]; readonly of: string }) {
  if (batches.length === 0) return null;
  return (
    <Table
      name={`${words.batches}${of}`}
      caption={counted(batches.length, 'batch', 'batches')}
      columns={[
        words.list,
        words.begun,
        ...numbers(words.rows, words.spent, words.saved),
        { name: words.undo, look: 'sr' },
      ]}
      more={batches.length > BATCHES_SHOWN ? words.moreBatches(BATCHES_SHOWN) : undefined}
    >
      {batches.slice(0, BATCHES_SHOWN).map((each) => (
        <tr key={each.batch}>
          <td>
            <a class="cut" href={`/batches/${each.batch}`} title={each.input}>
              {fileName(each.input)}
            </a>
            <div class="muted small">
              {wordOf(text.todo.operations, each.operation)}
              {each.undoes !== null && `, ${text.batches.undoOf(each.undoes)}`}
            </div>
          </td>
          <td class="nowrap">{dateAndTime(each.created_at)}</td>
          <td class="number">{grouped(allRows(each))}</td>
          <td class="number">{spentWords(each)}</td>
          <td class="number">{grouped(each.saved)}</td>
          <td class="number">
            {each.can_undo && (
              <a href={`/batches/${each.batch}/undo`} aria-label={words.undoBatch(each.batch)}>
                {words.undo}
              </a>
            )}
          </td>
        </tr>
      ))}
    </Table>
  );
}

/** Credits of each day of a month as bars, with the same in a table for those who would rather read. */

interface Day {
  readonly spent: number;
  readonly in_doubt: number;
}

const HEIGHT = 100;
/** Part of a column that its bar fills. */
const FILL = 0.72;
/** Days that have their number below. */
const isNamed = (day: number): boolean => day === 1 || day % 5 === 0;

interface Days {
  readonly month: string;
  readonly days: readonly Day[];
  /** What a screen reader tells these days from others by. */
  readonly of: string;
}

function DayBars({ month, days, of }: Days) {
  const most = Math.max(...days.map(({ spent, in_doubt }) => spent + in_doubt), 0);
  const total = days.reduce((sum, { spent }) => sum + spent, 0);
  const height = (credits: number): number => (most === 0 ? 0 : (credits / most) * HEIGHT);
  return (
    <figure class="days">
      <figcaption class="muted">{most === 0 ? words.noDay : words.mostADay(grouped(most))}</figcaption>
      <svg
        viewBox={`0 0 ${days.length} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={words.chart(monthName(month), grouped(total))}
      >
        {days.map(({ spent, in_doubt }, at) => (
          <g key={at}>
            <title>{`${dayName(month, at + 1)}: ${words.dayWords(grouped(spent), grouped(in_doubt))}`}</title>
            <rect class="day-column" x={at} y={0} width={1} height={HEIGHT} />
            <rect
              class="day-spent"
              x={at + (1 - FILL) / 2}
              y={HEIGHT - height(spent)}
              width={FILL}
              height={height(spent)}
            />
            <rect
              class="day-doubt"
              x={at + (1 - FILL) / 2}
              y={HEIGHT - height(spent + in_doubt)}
              width={FILL}
              height={height(in_doubt)}
            />
          </g>
        ))}
      </svg>
      <div class="days-axis" aria-hidden="true">
        {days.map((_, at) => (
          <span key={at}>{isNamed(at + 1) ? at + 1 : ''}</span>
        ))}
      </div>
      <details>
        <summary>{words.asTable}</summary>
        <DayTable month={month} days={days} of={of} />
      </details>
    </figure>
  );
}

function DayTable({ month, days, of }: Days) {
  const some = days.flatMap((day, at) => (day.spent + day.in_doubt > 0 ? [{ ...day, day: at + 1 }] : []));
  return (
    <Table name={`${words.asTable}${of}`} columns={[words.day, ...numbers(words.spent, words.inDoubt)]}>
      {some.map(({ day, spent, in_doubt }) => (
        <tr key={day}>
          <td class="nowrap">{dayName(month, day)}</td>
          <td class="number">{grouped(spent)}</td>
          <td class="number">{grouped(in_doubt)}</td>
        </tr>
      ))}
    </Table>
  );
}
