import { useSignal } from '@preact/signals';
import type { SpendGroupObject, SpendObject } from '../../api.ts';
import { Loaded } from '../loaded.tsx';
import { Meter } from '../parts/bar.tsx';
import { Select } from '../parts/controls.tsx';
import { counted, creditWords, fileName, grouped, money, spentWords } from '../parts/figures.ts';

/** What a month cost. Budgets count in UTC, so a month and a day are those of UTC. */
export function Money() {
  const month = useSignal(new Date().toISOString().slice(0, 7));
  return (
    <>
      <div class="title">
        <h1>Money</h1>
        <span class="state">
          <Select
            name={<span class="unseen">Month</span>}
            value={month.value}
            options={lastMonths().map((each) => [each, monthName(each)] as const)}
            onChosen={(chosen) => (month.value = chosen)}
          />
        </span>
      </div>
      <Spent by="month" month={month.value}>
        {({ groups: [real, play] }) => {
          if (real === undefined) return <NothingSpent month={month.value} />;
          const [paid, invented] = real.sandbox ? [undefined, real] : [real, play];
          return (
            <div class="two">
              {paid && <Cards of={paid} month={month.value} />}
              {invented && <Cards of={invented} month={month.value} />}
            </div>
          );
        }}
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
  readonly children: (spend: SpendObject) => preact.VNode | null;
}

const Spent = ({ by, month, children }: SpentProps) => (
  <Loaded<SpendObject> path="/spend" body={{ month, by }} again={month}>
    {children}
  </Loaded>
);

const NothingSpent = ({ month }: { readonly month: string }) => (
  <p class="sentence">Nothing was spent in {monthName(month)}.</p>
);

interface CardsProps {
  /** The whole month, in real money or in play money. */
  readonly of: SpendGroupObject;
  readonly month: string;
}

function Cards({ of, month }: CardsProps) {
  const { sandbox, spent, saved, in_doubt: inDoubt, for_misses: forMisses } = of;
  const cost = money(of.cost);
  const rate = atThisRate(of, month);
  const title = sandbox ? `Play money in ${monthName(month)}` : monthName(month);
  const parts = { sandbox, month, whole: spent };
  return (
    <>
      <section class="card">
        <h2>
          {title}: {creditWords(of)}
          {cost && `, ${cost}`}
        </h2>
        <Spent by="day" month={month}>
          {({ groups }) => <Days days={groups.filter((each) => each.sandbox === sandbox)} month={month} />}
        </Spent>
        <p class="soft">
          {rate !== undefined && `At this rate ${grouped(rate)} by the end of the month. `}
          {forMisses > 0 && `${counted(forMisses, 'credit was', 'credits were')} paid for misses. `}
          {inDoubt > 0 && `${counted(inDoubt, 'more credit', 'more credits')} may have been spent. `}
          {saved > 0 && `${counted(saved, 'credit was', 'credits were')} saved by asking once.`}
        </p>
      </section>
      <section class="card">
        <Parts by="list" title="By list" {...parts} />
        <Parts by="account" title="By account" {...parts} />
        <Parts by="operator" title="By person" {...parts} />
      </section>
    </>
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

// --------------------------------------------------------------------------------------------- day by day

const HEIGHT = 100;
const STEP = 18;

function Days({ days, month }: { readonly days: readonly SpendGroupObject[]; readonly month: string }) {
  const spentOn = new Map(days.map(({ name, spent }) => [Number(name?.slice(-2)), spent]));
  const most = Math.max(1, ...spentOn.values());
  const [year = 0, number = 0] = month.split('-').map(Number);
  const count = new Date(Date.UTC(year, number, 0)).getUTCDate();
  const isPriced = days.some(({ cost }) => cost !== undefined);
  return (
    <>
      <svg
        class="days"
        viewBox={`0 0 ${count * STEP} ${HEIGHT}`}
        role="img"
        aria-label={`Credits a day, at most ${grouped(most)}`}
      >
        {Array.from({ length: count }, (_, at) => {
          const height = ((spentOn.get(at + 1) ?? 0) / most) * HEIGHT;
          return (
            <rect key={at} x={at * STEP + 2} y={HEIGHT - height} width={STEP - 4} height={height} rx="2" />
          );
        })}
      </svg>
      <details>
        <summary>Day by day</summary>
        <table>
          <thead>
            <tr>
              <th scope="col">Day</th>
              <th scope="col">Credits</th>
              {isPriced && <th scope="col">Money</th>}
            </tr>
          </thead>
          <tbody>
            {days.map((day) => (
              <tr key={day.name}>
                <td>{Number(day.name?.slice(-2))}</td>
                <td>{spentWords(day)}</td>
                {isPriced && <td>{money(day.cost)}</td>}
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </>
  );
}

// ------------------------------------------------------------------------------------------------ its parts

interface PartsProps {
  readonly by: 'list' | 'account' | 'operator';
  readonly title: string;
  readonly sandbox: boolean;
  readonly month: string;
  readonly whole: number;
}

function Parts({ by, title, sandbox, month, whole }: PartsProps) {
  return (
    <Spent by={by} month={month}>
      {({ groups }) => (
        <>
          <h2>{title}</h2>
          <div class="meter">
            {groups
              .filter((group) => group.sandbox === sandbox)
              .map((group) => (
                <Meter
                  key={group.name}
                  name={nameOf(group, by)}
                  part={group.spent}
                  whole={group.budget ?? whole}
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
