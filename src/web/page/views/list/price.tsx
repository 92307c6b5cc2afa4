import { Needs, rowsWords } from '../../../../files/output/report/needs.ts';
import { whatWords } from '../../../../files/output/summary-words.ts';
import type { PlanObject } from '../../../api.ts';
import { type Fact, Facts } from '../../parts/facts.tsx';
import { duration, grouped, money, needWords } from '../../parts/figures.ts';
import { isFill } from './job.ts';
import type { OfPlan } from './scene.ts';
import { isSent } from './team-words.ts';

/** What it costs at most and probably, and what of the list is free. */
export function Price({ scene, plan }: OfPlan) {
  const { credits, cost, seconds, to_buy: asked } = plan;
  const some = (rows = 0, more = ''): string => (rows === 0 ? '' : grouped(rows) + more);
  const probably = [
    credits.expected === credits.most ? '' : `most likely ${grouped(credits.expected)}`,
    seconds === null || asked === 0 ? '' : `about ${duration(seconds)}`,
  ];
  return (
    <>
      <Facts
        of={[
          ['Will be asked', grouped(asked)],
          ...askedApart(plan).map(({ operation, rows }): Fact => [whatWords(operation), grouped(rows)]),
          ['Known already', some(plan.bought_before, ', free')],
          ['Twice on the list', some(plan.duplicates, ', free')],
          [isFill(scene.job) ? 'Filled already' : 'Left out', some(plan.skipped, ', free')],
          ['An answer is on its way', some(plan.accepted)],
          ['In doubt', some(plan.in_doubt)],
        ]}
      />
      <Reasons plan={plan} />
      <p>
        <b class="big">{grouped(credits.most)}</b> {credits.most === 1 ? 'credit' : 'credits'} at most
        {cost && `, ${money(cost.most)}`}
        <br />
        <span class="soft">{probably.filter(Boolean).join(' · ')}</span>
      </p>
    </>
  );
}

/** How many rows are asked about each of several things, whichever accounts are asked about it. */
export function askedApart({ steps = [] }: PlanObject) {
  const byOperation = [...Map.groupBy(steps, ({ operation }) => operation)];
  if (byOperation.length < 2) return [];
  return byOperation.map(([operation, own]) => {
    return { operation, rows: Math.max(...own.map(({ reached, known }) => reached - known)) };
  });
}

function Reasons({ plan: { reasons = [], invalid } }: Pick<OfPlan, 'plan'>) {
  if (reasons.length === 0) return null;
  const told = reasons.map(({ reason, count, first_rows }) => {
    return { kind: 'invalid', words: reason, rows: count, first_rows };
  });
  return (
    <details>
      <summary class="warn">{needWords(invalid)}</summary>
      <Needs reasons={told} which={rowsWords} />
    </details>
  );
}

/** What would be done to a team, in the place of a price. */
export function Changes({ plan: { changes = [], people = 0 } }: Pick<OfPlan, 'plan'>) {
  const sent = changes.filter(isSent);
  if (sent.length === 0) return <p>There is nothing to change.</p>;
  const invites = sent.filter(({ calls }) => calls?.includes('create-invite')).length;
  const withAction = (action: string): number => sent.filter((change) => change.action === action).length;
  return (
    <>
      <Facts
        of={[
          ['Invites by e-mail', grouped(invites)],
          ['Roles changed', grouped(withAction('change_role'))],
          ['Removed', `${grouped(withAction('remove'))} of ${grouped(people)} known`],
        ]}
      />
      <p class="soft">
        Can be undone later, but for the mails: who is removed has to be invited again, and the new projects
        stay.
      </p>
    </>
  );
}
