import { useSignal } from '@preact/signals';
import { Fragment } from 'preact';
import { UNNAMED } from '../../../core/people.ts';
import { capital } from '../../../core/plain-text.ts';
import { Bar, Fold } from '../../../files/output/report/parts.ts';
import { whatWords } from '../../../files/output/summary-words.ts';
import type { AccountObject, SpendGroupObject, SpendObject, SpentForObject } from '../../api.ts';
import { Loaded } from '../parts/asking.tsx';
import { Button, ButtonLink, Field, Options, Popover, Title } from '../parts/controls.tsx';
import { counted, fileName, grouped } from '../parts/figures.ts';
import { Form } from '../parts/form.tsx';
import { Prices } from '../parts/price.tsx';
import { acted, ask, look, save } from '../session.ts';
import { Chart } from './money/chart.tsx';
import {
  amountIn,
  amountWords,
  budgetIn,
  csvOf,
  dayName,
  daysIn,
  forecastOf,
  keyOf,
  lengthOf,
  monthName,
  type Unit,
  unitsOf,
  unitWords,
  worthWords,
} from './money/month.ts';

/** What a month cost; play money is none. Budgets count in UTC, so a month and a day are those of UTC. */
export function Money() {
  const chosen = useSignal(new Date().toISOString().slice(0, 7));
  const { value: month } = chosen;
  return (
    <>
      <Title name="Money">
        <select
          aria-label="Month"
          value={month}
          onChange={({ currentTarget }) => (chosen.value = currentTarget.value)}
        >
          <Options of={lastMonths().map((each) => [each, monthName(each)] as const)} />
        </select>
      </Title>
      <Loaded<Spending>
        path={`/spend/${month}`}
        question={(signal) => spendingIn(month, signal)}
        again={acted.value}
      >
        {(spending) => <Spent {...spending} />}
      </Loaded>
    </>
  );
}

const MONTHS_SHOWN = 12;

function lastMonths(): readonly string[] {
  const now = new Date();
  return Array.from({ length: MONTHS_SHOWN }, (_, ago) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - ago)).toISOString().slice(0, 7),
  );
}

type Groups = readonly SpendGroupObject[];

/** What was spent in a month, by each of these. */
interface Spending {
  readonly month: string;
  readonly whole: SpendGroupObject | undefined;
  readonly days: Groups;
  readonly lists: Groups;
  readonly accounts: Groups;
  readonly people: Groups;
  /** The accounts that may have a budget. */
  readonly limited: readonly AccountObject[];
}

async function spendingIn(month: string, signal: AbortSignal): Promise<Spending> {
  const by = async (each: SpendObject['by']): Promise<Groups> => {
    const { groups } = await look<SpendObject>('spend', { month, by: each }, signal);
    return groups.filter(({ sandbox }) => !sandbox);
  };
  const [[whole], days, lists, used, people, all] = await Promise.all([
    by('month'),
    by('day'),
    by('list'),
    by('account'),
    by('operator'),
    look<AccountList>('accounts/list', {}, signal),
  ]);
  const limited = all.accounts.filter(({ sandbox, vendor }) => !sandbox && vendor === 'provider');
  // A ledger hears of another budget with the next list.
  const isNow = new Date().toISOString().startsWith(month);
  const accounts = used.map((group): SpendGroupObject => {
    const limitedAccount = limited.find(({ name }) => isNow && name === group.name);
    return limitedAccount === undefined ? group : { ...group, budget: limitedAccount.budget.per_month };
  });
  return { month, whole, days, lists, accounts, people, limited };
}

interface AccountList {
  readonly accounts: readonly AccountObject[];
}

function Spent(spending: Spending) {
  const { month, whole, accounts, days } = spending;
  const key = useSignal('');
  const units = unitsOf(whole?.accounts ?? []);
  const unit = units.find((each) => keyOf(each) === key.value) ?? units[0];
  if (whole === undefined || unit === undefined) return <Nothing {...spending} />;
  const remarks = accounts.flatMap((each) => asides(each, accounts.length > 1));
  return (
    <div class="view stack" tabIndex={-1}>
      <div class="grid2">
        <section class="paper pad stack" aria-label={monthName(month)}>
          {units.length > 1 && <b class="big">{capital(worthWords(whole.accounts))}</b>}
          <Sum {...spending} whole={whole} unit={unit}>
            {units.length > 1 && (
              <select
                class="own"
                aria-label="Shown in"
                value={keyOf(unit)}
                onChange={({ currentTarget }) => (key.value = currentTarget.value)}
              >
                <Options of={units.map((each) => [keyOf(each), unitWords(each)] as const)} />
              </select>
            )}
          </Sum>
          <Chart
            month={month}
            unit={unit}
            days={daysIn(unit, month, days, new Date())}
            budget={budgetIn(unit, accounts)}
          />
          {remarks.length > 0 && <p class="soft">{remarks.join(' ')}</p>}
        </section>
        <section class="paper pad">
          <Parts {...spending} unit={unit} />
        </section>
      </div>
      <DayByDay month={month} days={days} />
    </div>
  );
}

function Nothing({ month, accounts }: Spending) {
  const remarks = accounts.flatMap((each) => asides(each, accounts.length > 1));
  return (
    <div class="view" tabIndex={-1}>
      <section class="paper pad stack">
        <h2>Nothing was spent in {monthName(month)}</h2>
        <p class="soft">
          What a list would cost stands beside it before you start it. Play money is not counted.{' '}
          {remarks.join(' ')}
        </p>
        <div class="bar">
          <ButtonLink to="/" says="Bring a list" />
        </div>
      </section>
    </div>
  );
}

interface SumProps extends Spending {
  readonly whole: SpendGroupObject;
  readonly unit: Unit;
  readonly children: preact.ComponentChildren;
}

/** `A$214.66 of A$400, about A$248 by the 30th`; of several units the one that is shown, behind its choice. */
function Sum({ month, whole, unit, days, accounts, limited, children }: SumProps) {
  const { amount, exact } = amountIn(unit, whole.accounts);
  const budget = budgetIn(unit, accounts);
  const forecast = forecastOf(daysIn(unit, month, days, new Date()), month);
  const own = amountWords(unit, amount, exact);
  const limit = budget === undefined ? [] : [`of ${amountWords(unit, budget)}`];
  const ahead = forecast === undefined ? [] : [`about ${amountWords(unit, forecast)} by the ${endOf(month)}`];
  const shown = limit.length + ahead.length > 0 ? [[own, ...limit].join(' '), ...ahead] : [];
  const beside = [...('account' in unit ? [unitWords(unit)] : []), ...limit, ...ahead];
  return (
    <div class="bar">
      {children || <span class="big">{capital(own)}</span>}
      <span class="soft">{(children ? shown : beside).join(', ')}</span>
      <span class="end">
        <Popover
          name="The budget"
          says={budget === undefined ? 'Set a budget' : 'Change the budget'}
          look="link"
        >
          {(close) => <Budgets limited={limited} onSaved={close} />}
        </Popover>
        {limited.length > 0 && (
          <Popover name="What a credit costs" says="What a credit costs" look="link">
            {(close) => <Prices of={limited} onSaved={close} />}
          </Popover>
        )}
      </span>
    </div>
  );
}

interface BudgetsProps extends Pick<Spending, 'limited'> {
  onSaved(): void;
}

/** What each account may spend in a month: nothing passes it, whoever starts a list. */
function Budgets({ limited, onSaved }: BudgetsProps) {
  const save = async (typed: Record<string, unknown>): Promise<void> => {
    for (const { name, budget } of limited) {
      const most = typed[name];
      if (most !== undefined && Number(most) !== budget.per_month)
        await ask('/accounts/add', { body: { name, budget_per_month: Number(most) } });
    }
    onSaved();
  };
  return (
    <Form says="Save" sends={save}>
      <p>Nothing is bought above it, also by night. A month is one of UTC.</p>
      {limited.map(({ name, budget }) => (
        <Field
          key={name}
          says={`${name}, credits a month`}
          name={name}
          type="number"
          min={0}
          defaultValue={budget.per_month ?? ''}
        />
      ))}
    </Form>
  );
}

/** `30th`. */
const endOf = (month: string): string => `${lengthOf(month)}${lengthOf(month) === 31 ? 'st' : 'th'}`;

/** What more there is to say of an account, whose credits are those of no other. */
function asides(group: SpendGroupObject, isNamed: boolean): readonly string[] {
  const { name, saved, in_doubt: inDoubt, for_misses: forMisses, vendor_counted: counts } = group;
  const at = isNamed ? ` at ${name}` : '';
  const difference = counts === undefined ? 0 : counts - group.spent;
  const many = `${grouped(Math.abs(difference))} ${difference < 0 ? 'fewer' : 'more'}`;
  return [
    forMisses > 0 && `${counted(forMisses, 'credit was', 'credits were')} paid for misses${at}.`,
    inDoubt > 0 && `${counted(inDoubt, 'more credit', 'more credits')}${at} may have been spent.`,
    saved > 0 && `${counted(saved, 'credit was', 'credits were')} saved by asking once${at}.`,
    difference !== 0 && `${name} itself counted ${grouped(counts ?? 0)}, ${many}.`,
  ].filter((each) => each !== false);
}

// -------------------------------------------------------------------------------------------------- its parts

interface PartsProps extends Spending {
  readonly unit: Unit;
}

/**
 * The sum by list, by account and by person, each with all that it has spent. The bars are of the unit that is
 * shown.
 */
function Parts({ lists, accounts, people, whole, unit }: PartsProps) {
  const { amount: all } = amountIn(unit, whole?.accounts ?? []);
  const meters = (groups: Groups): readonly MeterProps[] =>
    groups.flatMap(({ name, accounts: groupAccounts }) => {
      const { amount } = amountIn(unit, groupAccounts);
      const says = worthWords(groupAccounts);
      // The whole is no share of itself.
      const isShare = amount > 0 && amount < all;
      return says === '' ? [] : [{ name: calledOf(name), part: amount, all: isShare ? all : null, says }];
    });
  return (
    <div class="meters">
      <Meters title="By list" of={meters(lists)} />
      <Meters title="By account" of={accounts.flatMap(ofAccount)} />
      <Meters title="By person" of={meters(people)} />
    </div>
  );
}

function calledOf(name: string | null): string {
  if (name === UNNAMED) return `no person named, on ${name}`;
  return name === null ? 'no name noted' : fileName(name);
}

/** `data`, `A$203.20` and below that `508 of 2,000 credits`. */
function ofAccount({
  name,
  spent,
  exact,
  budget,
  accounts,
  ...group
}: SpendGroupObject): readonly MeterProps[] {
  if (name === null || spent === 0) return [];
  const credits =
    budget === null ? counted(spent, 'credit') : `${grouped(spent)} of ${counted(budget, 'credit')}`;
  if (group.cost === undefined)
    return [{ name, part: spent, all: budget, says: `${exact ? '' : 'at most '}${credits}` }];
  return [{ name, part: spent, all: budget, says: worthWords(accounts), more: credits }];
}

interface MeterProps {
  readonly name: string;
  readonly part: number;
  /** Null where nothing limits it, so that there is no share. */
  readonly all: number | null;
  readonly says: string;
  readonly more?: string;
}

function Meters({ title, of }: { readonly title: string; readonly of: readonly MeterProps[] }) {
  if (of.length === 0) return null;
  return (
    <>
      <h2>{title}</h2>
      {of.map(({ name, part, all, says, more }) => (
        <Fragment key={name}>
          <span>{name}</span>
          {all === null ? <span /> : <Bar part={part} all={all} />}
          <span class="soft">
            {says}
            {more && <small class="below">{more}</small>}
          </span>
        </Fragment>
      ))}
    </>
  );
}

const LINES_SHOWN = 20;

/** Each day and list with what it cost, the newest day first. */
function DayByDay({ month, days }: Pick<Spending, 'month' | 'days'>) {
  const lines = days.toReversed().flatMap(({ name, lists = [] }) =>
    lists
      .map((of) => ({
        ...of,
        cost: worthWords(of.accounts),
        day: dayName(month, Number(name?.slice(-2)), 'short'),
      }))
      .filter(({ cost }) => cost !== ''),
  );
  const rest = lines.slice(LINES_SHOWN);
  return (
    <section class="paper">
      <div class="bar hd">
        <h2>Day by day</h2>
        <span class="end">
          <Button
            look="link"
            says="As CSV"
            onClick={() => save(`Money ${month}.csv`, new Blob([csvOf(days)], { type: 'text/csv' }))}
          />
        </span>
      </div>
      <ul class="rows days">{lines.slice(0, LINES_SHOWN).map(OneLine)}</ul>
      {rest.length > 0 && (
        <Fold title={`${grouped(rest.length)} more`}>
          <ul class="rows days">{rest.map(OneLine)}</ul>
        </Fold>
      )}
    </section>
  );
}

interface LineProps extends SpentForObject {
  readonly day: string;
  readonly cost: string;
}

function OneLine({ day, list, operation, accounts, cost }: LineProps) {
  const requests = accounts.reduce((sum, each) => sum + each.requests, 0);
  return (
    <li key={`${day} ${list} ${operation}`}>
      <span class="soft">{day}</span>
      <span>{fileName(list)}</span>
      <span class="soft far">
        {whatWords(operation)}, {counted(requests, 'request')}
      </span>
      <span class="num">{cost}</span>
    </li>
  );
}
