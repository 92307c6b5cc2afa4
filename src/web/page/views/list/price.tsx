import type { PlanObject } from '../../../api.ts';
import { counted, duration, grouped, money } from '../../parts/figures.ts';
import { isFill } from './choice.ts';
import type { Scene } from './scene.ts';

/** What it costs at most and probably, and what of the list is free. */
export function Price({ scene, plan }: { readonly scene: Scene; readonly plan: PlanObject }) {
  const { credits, cost, seconds, skipped = 0 } = plan;
  const parts: readonly (readonly [string, number, string])[] = [
    ['Known already', plan.bought_before, ', free'],
    ['Twice on the list', plan.duplicates, ', free'],
    [isFill(scene.job) ? 'Filled already' : 'Left out', skipped, ', free'],
    ['An answer is on its way', plan.accepted, ''],
    ['In doubt', plan.in_doubt, ''],
  ];
  const probably = [
    credits.expected === credits.most ? '' : `most likely ${grouped(credits.expected)}`,
    seconds === null || plan.to_buy === 0 ? '' : `about ${duration(seconds)}`,
  ];
  return (
    <>
      <dl>
        <dt>Will be asked</dt>
        <dd>{grouped(plan.to_buy)}</dd>
        {parts.map(([name, rows, more]) =>
          rows === 0 ? null : (
            <>
              <dt>{name}</dt>
              <dd>{`${grouped(rows)}${more}`}</dd>
            </>
          ),
        )}
      </dl>
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

function Reasons({ plan }: { readonly plan: PlanObject }) {
  const { reasons = [] } = plan;
  const [first] = reasons;
  if (first === undefined) return null;
  return (
    <details>
      <summary>
        <span class="warn">{counted(plan.invalid, 'row needs', 'rows need')} you</span>
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
