import { useSignal } from '@preact/signals';
import { Fold, Table } from '../../../files/output/report/table.ts';
import type { SpendGroupObject, SpendObject } from '../../api.ts';
import { Loaded } from '../loaded.tsx';
import { Meter } from '../parts/bar.tsx';
import { Select } from '../parts/controls.tsx';
import { counted, creditWords, fileName, grouped, money, spentWords } from '../parts/figures.ts';

/** What a month cost; play money is none. Budgets count in UTC, so a month and a day are those of UTC. */
export function Money() {
  const month = useSignal(new Date().toISOString().slice(0, 7));
  const { value: chosen } = month;
  return (
    <>
      <div class="title">
        <h1>Money</h1>
        <span class="state">
          <Select
            name={<span class="unseen">Month</span>}
            value={chosen}
            options={lastMonths().map((each) => [each, monthName(each)] as const)}
            onChosen={(next) => (month.value = next)}
          />
        </span>
      </div>
      <Spent by="month" month={chosen}>
        {([whole]) =>
          whole === undefined ? (
            <p>Nothing was spent in {monthName(chosen)}.</p>
          ) : (
            <div class="two">
              <Whole whole={whole} month={chosen} />
              <section class="card">
                <Parts by="list" title="By list" month={chosen} whole={whole} />
                <Parts by="account" title="By account" month={chosen} whole={whole} />
                <Parts by="operator" title="By person" month={chosen} whole={whole} />
              </section>
            </div>
          )
        }
      </Spent>
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

function monthName(month: string): string {
  const how = { month: 'long', year: 'numeric', timeZone: 'UTC' } as const;
  return new Intl.DateTimeFormat('en', how).format(new Date(`${month}-01`));
}

interface SpentProps {
  readonly by: SpendObject['by'];
  readonly month: string;
  readonly children: (groups: readonly SpendGroupObject[]) => preact.VNode;
}

const Spent = ({ by, month, children }: SpentProps) => (
  <Loaded<SpendObject> path="/spend" body={{ month, by }} again={month}>
    {({ groups }) => children(groups.filter(({ sandbox }) => !sandbox))}
  </Loaded>
);

interface OfMonth {
  readonly whole: SpendGroupObject;
  readonly month: string;
}

function Whole({ whole, month }: OfMonth) {
  const { saved, in_doubt: inDoubt, for_misses: forMisses } = whole;
  const cost = money(whole.cost);
  const rate = atThisRate(whole, month);
  return (
    <section class="card">
      <h2>
        {monthName(month)}: {creditWords(whole)}
        {cost && `, ${cost}`}
      </h2>
      <Spent by="day" month={month}>
        {(days) => <Days days={days} month={month} />}
      </Spent>
      <p class="soft">
        {rate !== undefined && `At this rate ${grouped(rate)} by the end of the month. `}
        {forMisses > 0 && `${counted(forMisses, 'credit was', 'credits were')} paid for misses. `}
        {inDoubt > 0 && `${counted(inDoubt, 'more credit', 'more credits')} may have been spent. `}
        {saved > 0 && `${counted(saved, 'credit was', 'credits were')} saved by asking once.`}
      </p>
    </section>
  );
}

/** What the month will have cost if its days go on as they did; undefined for a month that is over. */
function atThisRate({ spent }: SpendGroupObject, month: string): number | undefined {
  const now = new Date();
  const from = Date.parse(`${month}-01`);
  const until = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1);
  const isOver = now.toISOString().slice(0, 7) !== month;
  return isOver ? undefined : Math.round((spent * (until - from)) / (now.getTime() - from));
}

const HEIGHT = 100;
const STEP = 18;

function Days({ days, month }: { readonly days: readonly SpendGroupObject[]; readonly month: string }) {
  const dayOf = ({ name }: SpendGroupObject): number => Number(name?.slice(-2));
  const most = Math.max(1, ...days.map(({ spent }) => spent));
  const [year = 0, number = 0] = month.split('-').map(Number);
  const width = new Date(Date.UTC(year, number, 0)).getUTCDate() * STEP;
  const bars = days.map((day) => {
    const height = (day.spent / most) * HEIGHT;
    const x = (dayOf(day) - 1) * STEP + 2;
    return <rect key={x} x={x} y={HEIGHT - height} width={STEP - 4} height={height} rx="2" />;
  });
  const lines = days.map((day) => [dayOf(day), spentWords(day), money(day.cost)]);
  const says = `Credits a day, at most ${grouped(most)}`;
  return (
    <>
      <svg viewBox={`0 0 ${width} ${HEIGHT}`} role="img" aria-label={says}>
        {bars}
      </svg>
      <Fold title="Day by day">
        <Table columns={['Day', '#Credits', '#Money']} lines={lines} />
      </Fold>
    </>
  );
}

interface PartsProps extends OfMonth {
  readonly by: 'list' | 'account' | 'operator';
  readonly title: string;
}

function Parts({ by, title, month, whole }: PartsProps) {
  return (
    <Spent by={by} month={month}>
      {(groups) => (
        <>
          <h2>{title}</h2>
          <div class="meter">
            {groups.map((group) => (
              <Meter
                key={group.name}
                name={nameOf(group, by)}
                part={group.spent}
                whole={group.budget ?? whole.spent}
                says={saysOf(group)}
              />
            ))}
          </div>
        </>
      )}
    </Spent>
  );
}

function nameOf({ name }: SpendGroupObject, by: PartsProps['by']): string {
  if (name === null) return 'nobody noted';
  return by === 'list' ? fileName(name) : name;
}

/** `1,012 of 2,000, A$404.80; the vendor counted 1,005, 7 fewer`. */
function saysOf(group: SpendGroupObject): string {
  const { spent, budget, vendor_counted: vendor } = group;
  const of = budget === null ? '' : ` of ${grouped(budget)}`;
  const cost = money(group.cost);
  const own = `${spentWords(group)}${of}${cost && `, ${cost}`}`;
  if (vendor === undefined || vendor === spent) return own;
  const difference = `${grouped(Math.abs(vendor - spent))} ${vendor < spent ? 'fewer' : 'more'}`;
  return `${own}; the vendor counted ${grouped(vendor)}, ${difference}`;
}
