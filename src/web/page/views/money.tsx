import { useSignal } from '@preact/signals';
import { Bar, Fold, Section, Table } from '../../../files/output/report/table.ts';
import type { SpendGroupObject, SpendObject } from '../../api.ts';
import { Loaded } from '../parts/asking.tsx';
import { Options } from '../parts/controls.tsx';
import { counted, creditWords, fileName, grouped, money, spentWords } from '../parts/figures.ts';

/** What a month cost; play money is none. Budgets count in UTC, so a month and a day are those of UTC. */
export function Money() {
  const month = useSignal(new Date().toISOString().slice(0, 7));
  const { value: chosen } = month;
  return (
    <>
      <header>
        <h1>Money</h1>
        <select
          class="state"
          aria-label="Month"
          value={chosen}
          onChange={({ currentTarget }) => (month.value = currentTarget.value)}
        >
          <Options of={lastMonths().map((each) => [each, monthName(each)] as const)} />
        </select>
      </header>
      <Spent by="month" month={chosen}>
        {([whole]) =>
          whole === undefined ? (
            <p>Nothing was spent in {monthName(chosen)}. Play money is not counted.</p>
          ) : (
            <div class="two">
              <Whole whole={whole} month={chosen} />
              <section>
                {PARTS.map(([by, title]) => (
                  <Spent key={by} by={by} month={chosen}>
                    {(groups) => (
                      <Section
                        title={title}
                        columns={['which', 'credits']}
                        lines={groups.map((group) => lineOf(group, whole))}
                      />
                    )}
                  </Spent>
                ))}
              </section>
            </div>
          )
        }
      </Spent>
    </>
  );
}

const PARTS = [
  ['list', 'By list'],
  ['account', 'By account'],
  ['operator', 'By person'],
] as const;

const MONTHS_SHOWN = 12;

function lastMonths(): readonly string[] {
  const now = new Date();
  return Array.from({ length: MONTHS_SHOWN }, (_, ago) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - ago)).toISOString().slice(0, 7),
  );
}

const monthName = (month: string): string =>
  new Date(`${month}-01`).toLocaleDateString('en', { month: 'long', year: 'numeric', timeZone: 'UTC' });

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

function Whole({ whole, month }: { readonly whole: SpendGroupObject; readonly month: string }) {
  const { saved, in_doubt: inDoubt, for_misses: forMisses } = whole;
  const cost = money(whole.cost);
  const rate = atThisRate(whole, month);
  return (
    <section>
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

/** `data`, and beside a bar `1,012 of 2,000, A$404.80; the vendor counted 1,005, 7 fewer`. */
function lineOf(group: SpendGroupObject, whole: SpendGroupObject) {
  const { name, spent, budget, vendor_counted: vendor = spent } = group;
  const cost = money(group.cost);
  const difference = `${grouped(Math.abs(vendor - spent))} ${vendor < spent ? 'fewer' : 'more'}`;
  const says = [
    spentWords(group),
    budget !== null && ` of ${grouped(budget)}`,
    cost && `, ${cost}`,
    vendor !== spent && `; the vendor counted ${grouped(vendor)}, ${difference}`,
  ];
  const bar = <Bar part={spent} all={budget ?? whole.spent} />;
  return [name === null ? 'nobody noted' : fileName(name), [bar, ...says]];
}
