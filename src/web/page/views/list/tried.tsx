import { useSignal } from '@preact/signals';
import { moneySum } from '../../../../core/money.ts';
import type { BatchStatusObject } from '../../../api.ts';
import { Button } from '../../parts/controls.tsx';
import { counted, foundIn, grouped, money } from '../../parts/figures.ts';
import { columnName, isFill } from './choice.ts';
import { columnsOfHers, operationsOf, type Scene } from './scene.ts';

interface TriedProps {
  readonly scene: Scene;
  readonly tried: NonNullable<Scene['tried']>;
}

/** What a few rows brought, which of it she wants, and what the whole list will probably bring with them. */
export function Tried({ scene, tried: { rows, matched, forecast } }: TriedProps) {
  const { likely, rows: others = 0 } = forecast ?? {};
  return (
    <>
      <h2>
        Of {grouped(rows)} tried, {grouped(matched)} {matched === 1 ? 'was' : 'were'} found
      </h2>
      <Fields scene={scene} />
      {likely && others > 0 && scene.batch && <WholeList likely={likely} batch={scene.batch} />}
    </>
  );
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

const SHOWN_FIRST = 6;

/** The fields that came back, as ticks; a ticked one has the name of its column. */
function Fields({ scene }: { readonly scene: Scene }) {
  const { job, planned } = scene;
  const isWhole = useSignal(false);
  // Which blanks are filled was chosen before the try.
  if (isFill(job)) return null;
  const proposed = proposedIn(scene, planned.value?.fields ?? []);
  const chosen = Object.entries(
    job.add ?? Object.fromEntries(proposed.map(([field, name]) => [name, field])),
  );
  const put = (field: string, name: string | undefined): void => {
    const others = chosen.filter(([, each]) => each !== field);
    const add = name === undefined ? others : [...others, [name, field] as const];
    const isOnce = new Set(add.map(([column]) => column)).size === add.length;
    // An answer of which nothing is wanted would not be asked for.
    if (add.length > 0 && isOnce) scene.choose({ ...job, add: Object.fromEntries(add) });
  };
  const shown = isWhole.value ? proposed : proposed.slice(0, SHOWN_FIRST);
  return (
    <>
      <ul class="fields">
        {shown.map(([field, name]) => (
          <Field
            key={field}
            proposed={name}
            name={chosen.find(([, each]) => each === field)?.[0]}
            onNamed={(typed) => put(field, typed)}
          />
        ))}
      </ul>
      {shown.length < proposed.length && (
        <p>
          <Button
            look="link"
            says={`${grouped(proposed.length - shown.length)} more`}
            onClick={() => {
              isWhole.value = true;
            }}
          />
        </p>
      )}
    </>
  );
}

/**
 * Each field with a name for its column; no two alike, and none that the list has. The answers came in any
 * order: fields stand in the order of what was asked first.
 */
function proposedIn(scene: Scene, fields: readonly string[]): readonly (readonly [string, string])[] {
  const operations = operationsOf(scene.job);
  const placeOf = (field: string): number => operations.findIndex((name) => field.startsWith(`${name}.`));
  const names: string[] = [];
  return fields
    .toSorted((one, other) => placeOf(one) - placeOf(other))
    .map((field) => {
      const name = columnName(field, [...columnsOfHers(scene), ...names]);
      names.push(name);
      return [field, name] as const;
    });
}

interface FieldProps {
  readonly proposed: string;
  /** Undefined where the field is not wanted. */
  readonly name: string | undefined;
  readonly onNamed: (name: string | undefined) => void;
}

const Field = ({ proposed, name, onNamed }: FieldProps) => (
  <li class="row">
    <input
      type="checkbox"
      aria-label={proposed}
      checked={name !== undefined}
      onChange={({ currentTarget }) => onNamed(currentTarget.checked ? proposed : undefined)}
    />
    <input
      aria-label={`Name of the column for ${proposed}`}
      defaultValue={name ?? proposed}
      disabled={name === undefined}
      onInput={({ currentTarget }) => onNamed(currentTarget.value.trim() || proposed)}
    />
  </li>
);
