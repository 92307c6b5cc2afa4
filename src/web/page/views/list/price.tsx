import type { PlannedChangeObject, PlanObject } from '../../../api.ts';
import { counted, duration, grouped, money } from '../../parts/figures.ts';
import { isFill } from './choice.ts';
import type { Scene } from './scene.ts';
import { isMaking, isSent } from './team-words.ts';
import { whatWords } from './words.ts';

interface PriceProps {
  readonly scene: Scene;
  readonly plan: PlanObject;
}

/** What it costs at most and probably, and what of the list is free. */
export function Price({ scene, plan }: PriceProps) {
  const { credits, cost, seconds, to_buy: asked } = plan;
  const rest: readonly (readonly [string, number, string])[] = [
    ['Known already', plan.bought_before, ', free'],
    ['Twice on the list', plan.duplicates, ', free'],
    [isFill(scene.job) ? 'Filled already' : 'Left out', plan.skipped ?? 0, ', free'],
    ['An answer is on its way', plan.accepted, ''],
    ['In doubt', plan.in_doubt, ''],
  ];
  const probably = [
    credits.expected === credits.most ? '' : `most likely ${grouped(credits.expected)}`,
    seconds === null || asked === 0 ? '' : `about ${duration(seconds)}`,
  ];
  return (
    <>
      <Facts
        of={[
          ['Will be asked', grouped(asked)],
          ...askedApart(plan).map(({ operation, rows }) => [whatWords(operation), grouped(rows)] as const),
          ...rest.flatMap(([name, rows, more]) =>
            rows === 0 ? [] : [[name, grouped(rows) + more] as const],
          ),
        ]}
      />
      <Reasons plan={plan} />
      <p>
        <span class="big">{grouped(credits.most)}</span> {credits.most === 1 ? 'credit' : 'credits'} at most
        {cost === undefined ? '' : `, ${money(cost.most)}`}
        <br />
        <span class="soft">{probably.filter(Boolean).join(' · ')}</span>
      </p>
    </>
  );
}

/** How many rows are asked about each of several things, whichever accounts are asked about it. */
export function askedApart({ steps = [] }: PlanObject) {
  const operations = [...new Set(steps.map(({ operation }) => operation))];
  if (operations.length < 2) return [];
  return operations.map((operation) => {
    const own = steps.filter((step) => step.operation === operation);
    return { operation, rows: Math.max(...own.map(({ reached, known }) => reached - known)) };
  });
}

const Facts = ({ of }: { readonly of: readonly (readonly [name: string, says: string])[] }) => (
  <dl>
    {of.map(([name, says]) => (
      <>
        <dt>{name}</dt>
        <dd>{says}</dd>
      </>
    ))}
  </dl>
);

function Reasons({ plan: { reasons = [], invalid } }: Pick<PriceProps, 'plan'>) {
  if (reasons.length === 0) return null;
  return (
    <details>
      <summary>
        <span class="warn">{counted(invalid, 'row needs', 'rows need')} you</span>
      </summary>
      <ul>
        {reasons.slice(0, 8).map(({ reason, count, first_rows: rows }) => (
          <li key={reason}>
            {count === 1 ? 'Row' : 'Rows'} {rows.join(', ')}
            {count > rows.length ? ', …' : ''}: {reason}
          </li>
        ))}
      </ul>
    </details>
  );
}

/** What would be done to a team, in the place of a price. */
export function Changes({ plan: { changes = [], people = 0 } }: Pick<PriceProps, 'plan'>) {
  const sent = changes.filter(isSent);
  const counts = (is: (change: PlannedChangeObject) => boolean): string => grouped(sent.filter(is).length);
  const made = sent.filter(isMaking).map(({ project }) => project);
  const removed = counts(({ action }) => action === 'remove');
  return (
    <>
      <Facts
        of={[
          ['Invites by e-mail', counts(({ calls }) => calls?.includes('create-invite') === true)],
          ['Roles changed', counts(({ action }) => action === 'change_role')],
          ['Removed', `${removed} of ${grouped(people)} known`],
          ...(made.length > 0 ? [['Projects made', made.join(', ')] as const] : []),
        ]}
      />
      {sent.length === 0 && <p>There is nothing to change.</p>}
    </>
  );
}
