import { useEffect } from 'preact/hooks';
import { moneySum } from '../../../../core/money.ts';
import type { BatchStatusObject } from '../../../api.ts';
import { counted, foundIn, grouped, money } from '../../parts/figures.ts';
import { Fields, knownIn, proposedFor } from './fields.tsx';
import { addedIn, isFill, stepsOf, withAdded } from './job.ts';
import type { Scene } from './scene.ts';

interface TriedProps {
  readonly scene: Scene;
  readonly tried: NonNullable<Scene['tried']>;
}

/** What a few rows brought, which of it she wants, and what the whole list will probably bring with them. */
export function Tried({ scene, tried: { rows, matched, forecast } }: TriedProps) {
  const { likely, rows: others = 0 } = forecast ?? {};
  const fields = knownIn(scene);
  useNames(scene, fields);
  return (
    <>
      <h2>
        Of {grouped(rows)} tried, {grouped(matched)} {matched === 1 ? 'was' : 'were'} found
      </h2>
      {/* Which blanks are filled was chosen before the try. */}
      {!isFill(scene.job) && <Fields scene={scene} fields={fields} />}
      {likely && others > 0 && scene.batch && <WholeList likely={likely} batch={scene.batch} />}
    </>
  );
}

/**
 * All that came back is chosen at first, under its proposed name. Where a step has several accounts it stays
 * open: a row that lacks a chosen value would be asked once more.
 */
function useNames(scene: Scene, fields: readonly string[]): void {
  const { job, choose, described } = scene;
  const isOne = stepsOf(job).every(({ accounts }) => accounts.length < 2);
  // Of hers no column may have the same name, so that hers have to be known.
  const isOpen = described.value !== undefined && addedIn(job).size === 0 && isOne;
  useEffect(() => {
    // Another tab that shows the list would choose the same at the same time.
    const isSeen = document.visibilityState === 'visible';
    if (isOpen && isSeen && fields.length > 0) choose(withAdded(job, proposedFor(scene, fields)));
  }, [isOpen, fields.length]);
}

interface WholeListProps {
  readonly likely: NonNullable<NonNullable<TriedProps['tried']['forecast']>['likely']>;
  /** What was found and spent so far. */
  readonly batch: BatchStatusObject;
}

function WholeList({ likely: { found, credits, cost, price }, batch }: WholeListProps) {
  const { spent } = batch.credits;
  const moneyWith = (rest: Parameters<typeof money>[0]): string =>
    money(moneySum(batch.cost ?? [], rest ?? []));
  return (
    <p>
      For all {grouped(batch.rows)} that makes about <b>{rangeWords(found, foundIn(batch.counts))} found</b>{' '}
      for <b>{rangeWords(credits, spent)} credits</b>
      {cost && (
        <b>
          , {moneyWith(cost.least)} to {moneyWith(cost.most)}
        </b>
      )}
      {price !== null && `, ${counted(price, 'credit')} for each one found`}. The {grouped(spent)} spent so
      far are in it.
    </p>
  );
}

/** The range with what is sure already. */
const rangeWords = (
  { least, most }: { readonly least: number; readonly most: number },
  sure: number,
): string => (least === most ? grouped(most + sure) : `${grouped(least + sure)} to ${grouped(most + sure)}`);
