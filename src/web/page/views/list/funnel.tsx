import { Bar } from '../../../../files/output/report/table.ts';
import type { BatchStatusObject, PlanObject, StepObject } from '../../../api.ts';
import { allRows, grouped, needing } from '../../parts/figures.ts';
import { askedApart } from './price.tsx';
import { type Scene, teamPlan } from './scene.ts';
import { type TeamPart, teamRows } from './team-words.ts';
import { whatWords } from './words.ts';

interface Share {
  readonly says: string;
  readonly rows: number;
  /** Its states, as they are filtered; undefined where nothing can be filtered yet. */
  readonly states?: string | undefined;
  readonly warns?: boolean;
}

/** The parts of the list; but for several things that are found for a row, they add up to its rows. */
export function Funnel({ scene }: { readonly scene: Scene }) {
  const { filter } = scene;
  const shares = sharesOf(scene);
  const whole = shares[0]?.rows ?? 0;
  const by = teamPlan(scene) ? '_action' : '_status';
  const { [by]: chosen, ...others } = filter.value.where;
  const choose = (states: string | undefined): void => {
    const where = states === undefined || states === chosen ? others : { ...others, [by]: states };
    filter.value = { ...filter.value, where };
  };
  return (
    <fieldset class="funnel" aria-label="Show">
      {shares.map(({ says, rows, states, warns = false }, at) => {
        const look = warns && rows > 0 ? 'warn' : '';
        const shown = (
          <>
            <b>{grouped(rows)}</b> <small>{says}</small>
            <Bar part={rows} all={whole} />
          </>
        );
        // The rows of the others are not known one by one yet.
        return at === 0 || states !== undefined ? (
          <button
            key={says}
            type="button"
            class={look}
            aria-pressed={states === chosen}
            onClick={() => choose(states)}
          >
            {shown}
          </button>
        ) : (
          <div key={says} class={look}>
            {shown}
          </div>
        );
      })}
    </fieldset>
  );
}

/** The first one is all rows. */
function sharesOf(scene: Scene): readonly Share[] {
  const { batch, planned, described, isPlanning, report } = scene;
  const team = teamPlan(scene);
  if (team !== undefined) return teamShares(team);
  if (isPlanning.value && planned.value !== undefined && planned.value.changes === undefined)
    return plannedShares(planned.value);
  if (batch !== undefined) return batchShares(batch, report.value?.figures.steps);
  return described.value === undefined ? [] : [{ says: 'rows', rows: described.value.rows }];
}

function plannedShares(plan: PlanObject): readonly Share[] {
  const free = plan.bought_before + plan.duplicates + plan.accepted + (plan.skipped ?? 0);
  return [
    { says: 'rows', rows: plan.rows },
    { says: 'will be asked', rows: plan.to_buy },
    ...askedApart(plan).map(({ operation, rows }) => ({ says: whatWords(operation), rows })),
    { says: 'free: known, or twice', rows: free },
    { says: 'need you', rows: plan.invalid + plan.in_doubt, warns: true },
  ];
}

function batchShares(batch: BatchStatusObject, all: readonly StepObject[] = []): readonly Share[] {
  // A check of what was found is no find of its own.
  const steps = all.filter(({ operation }) => operation !== 'check-email');
  const rows = allRows(batch);
  const share = (says: string, states: string): Share => {
    const counts = states.split(',').map((state) => batch.counts[state] ?? 0);
    return { says, states, rows: counts.reduce((sum, count) => sum + count) };
  };
  const ended = Object.values(batch.counts).reduce((sum, count) => sum + count, 0);
  const found = share(batch.changes === undefined ? 'found' : 'changed', 'matched,applied');
  const byAccount = accountShares(found.rows, steps);
  const isFill = byAccount.length > 0;
  const parts = [
    ...(isFill ? byAccount : [found]),
    ...foundApart(steps),
    share(isFill ? 'still blank' : 'nothing found', 'no_match'),
    share('as it is', 'unchanged'),
    share(isFill ? 'had it, or left out' : 'left out', 'skipped'),
    { says: 'to go', states: 'pending', rows: rows - ended },
    { ...share(needing(batch) === 1 ? 'needs you' : 'need you', 'invalid,refused,in_doubt'), warns: true },
  ];
  return [{ says: 'rows', rows }, ...parts.filter((part) => part.rows > 0 || part === found)];
}

/** What each of several accounts found for the same thing; none where a row has cells of two of them. */
function accountShares(found: number, steps: readonly StepObject[]): readonly Share[] {
  const isOne = new Set(steps.map(({ operation }) => operation)).size === 1 && steps.length > 1;
  const known = found - foundBy(steps);
  if (!isOne || known < 0) return [];
  return [
    ...steps.map((step) => ({ says: step.account, rows: step.found })),
    { says: 'known before', rows: known },
  ];
}

/** Of several things, each is counted for itself: a row may have one and lack the other. */
function foundApart(steps: readonly StepObject[]): readonly Share[] {
  const things = [...Map.groupBy(steps, ({ operation }) => operation)];
  if (things.length < 2) return [];
  return things.map(([operation, own]) => ({ says: whatWords(operation), rows: foundBy(own) }));
}

const foundBy = (steps: readonly StepObject[]): number => steps.reduce((sum, { found }) => sum + found, 0);

const TEAM_PARTS: readonly (readonly [TeamPart, says: string])[] = [
  ['invite', 'invited'],
  ['change_role', 'changed'],
  ['remove', 'removed'],
  ['unchanged', 'as they are'],
  ['invalid', 'need you'],
];

function teamShares(plan: PlanObject): readonly Share[] {
  const people = teamRows(plan);
  const shares = TEAM_PARTS.map(([states, says]): Share => {
    const rows = people.filter(({ part }) => part === states).length;
    return { says, states, rows, warns: states === 'remove' || states === 'invalid' };
  });
  return [{ says: 'people', rows: people.length }, ...shares];
}
