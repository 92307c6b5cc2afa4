import type { RowsCounted } from '../../../../api.ts';
import { useAnswer } from '../../../parts/asking.tsx';
import { Foot } from '../../../parts/controls.tsx';
import { counted } from '../../../parts/figures.ts';
import { acted } from '../../../session.ts';
import { AskAgain } from '../course/again.tsx';
import type { OfPlan, OfScene } from '../scene.ts';

/** Rows that the list has already are asked again, or not at all. */
export const Known = ({ scene }: OfScene) => (
  <Foot>
    <p>
      {scene.selected.value.size === 1 ? 'It is' : 'They are'} known already, and free.{' '}
      <AskAgain scene={scene} only={scene.only ?? ''} />
    </p>
  </Foot>
);

/** How many of the rows that are looked up she does not see: a filter of the table changes no start. */
export function Unseen({ scene, plan }: OfPlan) {
  const { list, filter } = scene;
  const { search, only_if, unless, differs } = filter.value;
  const body = { plan: plan.id, is: 'to_buy', search, only_if, unless, differs };
  const path = `/lists/${list?.id}/count`;
  const { value, waits } = useAnswer<RowsCounted>({ path, body }, acted.value);
  const unseen = !waits && value !== undefined ? plan.to_buy - value.rows : 0;
  return unseen > 0 ? <p class="need">Includes {counted(unseen, 'row')} that you do not see.</p> : null;
}
