import { useSignal } from '@preact/signals';
import { rowsFound } from '../../../../../core/counts.ts';
import { inMoney } from '../../../../../core/money.ts';
import type { BatchStatusObject, PlanObject, TableObject } from '../../../../api.ts';
import { Loaded } from '../../../parts/asking.tsx';
import { Button, Checkbox, Folded } from '../../../parts/controls.tsx';
import { counted, grouped, money } from '../../../parts/figures.ts';
import { isSame, SHOWN_FIRST, triedWords, whatOf } from '../fields.ts';
import { type Added, addedIn, fieldIn, isFill, withAdded } from '../job.ts';
import { columnsOfHers, type OfScene, type Scene } from '../scene.ts';

/** Which values of the answers she wants, chosen by ticks, also after a few rows were tried. */

/** The values as ticks by the names of their columns, which are changed behind a link. */
export function Fields({ scene, proposed }: OfScene & { readonly proposed: Added }) {
  const { job, choose } = scene;
  // A new object each time, so that a tick that is not taken is drawn as it was.
  const wrong = useSignal({ says: '' });
  // A blank of hers is filled by the name of her column.
  const isNaming = useSignal(isFill(job));
  const fields = [...proposed.keys()];
  const added = addedIn(job);
  const chosen = added.size === 0 ? proposed : added;
  const hers = columnsOfHers(scene);
  // Of a list that was downloaded here before, the server knows which columns are filled anew.
  const keptColumns = isFill(job) || hers.includes('_status') ? [] : hers;
  const put = (field: string, name: string | undefined): void => {
    const wanted = new Map(chosen);
    if (name === undefined) wanted.delete(field);
    else wanted.set(field, name);
    wrong.value = { says: wrongIn(wanted, field, keptColumns) };
    if (wrong.value.says === '') choose(withAdded(job, wanted));
  };
  const ticked = (field: string) => {
    const name = chosen.get(field);
    const usualName = proposed.get(field) ?? field;
    return (
      <li key={field}>
        <Checkbox
          says={isNaming.value ? usualName : (name ?? usualName)}
          checked={name !== undefined}
          onCheck={(isOn) => put(field, isOn ? usualName : undefined)}
        />
        {isNaming.value && name !== undefined && (
          <input
            aria-label={`Name of the column for ${usualName}`}
            list={isFill(job) ? 'hers' : undefined}
            defaultValue={name}
            onInput={({ currentTarget }) => put(field, currentTarget.value.trim() || usualName)}
          />
        )}
      </li>
    );
  };
  const others = fields.slice(SHOWN_FIRST);
  return (
    <>
      <ul class="stack tight">{fields.slice(0, SHOWN_FIRST).map(ticked)}</ul>
      {wrong.value.says && (
        <p class="bad" role="alert">
          {wrong.value.says}
        </p>
      )}
      {others.length > 0 && (
        <Folded says={`${grouped(others.length)} more`}>
          {() => <ul class="stack tight">{others.map(ticked)}</ul>}
        </Folded>
      )}
      {!isNaming.value && (
        <p>
          <Button look="link" says="Rename columns" onClick={() => (isNaming.value = true)} />
        </p>
      )}
    </>
  );
}

/** Why it cannot be wanted so, after a field has changed; blank where it can. What is kept is not filled. */
function wrongIn(wanted: Added, field: string, keptColumns: readonly string[]): string {
  const column = wanted.get(field);
  if (column !== undefined && keptColumns.some((name) => isSame(name, column)))
    return `“${column}” is a column of yours. Give this one another name.`;
  const [other] =
    [...wanted].find(([each, name]) => each !== field && column !== undefined && isSame(name, column)) ?? [];
  if (other !== undefined)
    return `“${column}” is filled from “${whatOf(other)}” already, and a column is filled from one of them.`;
  if ([...wanted.keys()].some((each) => each.split('.')[0] === field.split('.')[0])) return '';
  return `Something of “${whatOf(field)}” has to be wanted, or it would not be asked.`;
}

interface TriedProps extends OfScene {
  readonly tried: NonNullable<Scene['tried']>;
}

/** What a few rows brought and cost, what the others will probably cost, and which of it she wants. */
export function Tried({ scene, tried }: TriedProps) {
  const { batch, planned, report } = scene;
  const { forecast } = tried;
  const others = report.value?.figures.other_abn?.count ?? 0;
  return (
    <>
      <h2>{triedWords(tried, batch)}</h2>
      {others > 0 && (
        <p class="need">{counted(others, 'row was', 'rows were')} found with another ABN than yours.</p>
      )}
      {batch && forecast?.likely && forecast.rows > 0 && (
        <Others likely={forecast.likely} batch={batch} plan={planned.value} />
      )}
      {/* Which blanks are filled was chosen before the try. */}
      {!isFill(scene.job) && scene.described.value && (
        <Loaded<TableObject> path="/status" body={{ batch: batch?.batch, from: 0, limit: 1 }}>
          {({ columns }) => <Fields scene={scene} proposed={namedIn(scene, columns)} />}
        </Loaded>
      )}
    </>
  );
}

/** What came back, under the names that its columns have. */
const namedIn = ({ job }: Scene, columns: TableObject['columns']): Added =>
  new Map(columns.flatMap(({ name, path }) => (path === undefined ? [] : [[fieldIn(job, path), name]])));

interface OthersProps {
  readonly likely: NonNullable<NonNullable<TriedProps['tried']['forecast']>['likely']>;
  readonly batch: BatchStatusObject;
  /** Undefined while it is made. */
  readonly plan: PlanObject | undefined;
}

/** One sum for the decision, of the rows that the button starts; what was spent stands above. */
function Others({ likely: { found, credits, cost }, batch, plan }: OthersProps) {
  if (plan === undefined) return null;
  const { to_buy: toBuy } = plan;
  return (
    <p>
      The other {grouped(toBuy)}: likely <b>{rangeWords(credits)} credits</b>
      {cost && ` (${money(cost.least)} to ${money(cost.most)})`}, at most {grouped(plan.credits.most)}
      {inMoney(plan.cost?.most)}. In all {rangeWords(found, rowsFound(batch.counts))} of{' '}
      {counted(batch.rows, 'row')} found.
    </p>
  );
}

/** @param sure what there is already. */
function rangeWords({ least, most }: Readonly<Record<'least' | 'most', number>>, sure = 0): string {
  return least === most ? grouped(most + sure) : `${grouped(least + sure)} to ${grouped(most + sure)}`;
}
