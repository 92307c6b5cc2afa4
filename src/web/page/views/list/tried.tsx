import { useSignal } from '@preact/signals';
import type { RunObject } from '../../../api.ts';
import { Button } from '../../parts/controls.tsx';
import { grouped } from '../../parts/figures.ts';
import { columnName, isFill } from './choice.ts';
import { columnsOfHers, operationsOf, type Scene } from './scene.ts';

interface TriedProps {
  readonly scene: Scene;
  readonly tried: NonNullable<RunObject['sample']>;
}

/** What a few rows brought, which of it she wants, and what the others will probably bring. */
export function Tried({ scene, tried: { rows, matched, forecast } }: TriedProps) {
  const { likely, rows: others = 0 } = forecast ?? {};
  return (
    <>
      <h2>
        Of {grouped(rows)} tried, {grouped(matched)} {matched === 1 ? 'was' : 'were'} found
      </h2>
      <Fields scene={scene} />
      {likely && others > 0 && (
        <p>
          The other {grouped(others)} make about <b>{rangeWords(likely.found)} found</b> for{' '}
          <b>{rangeWords(likely.credits)} credits</b>
          {likely.price !== null && `, ${grouped(likely.price)} for each one found`}.
        </p>
      )}
    </>
  );
}

const rangeWords = ({ least, most }: { readonly least: number; readonly most: number }): string =>
  least === most ? grouped(most) : `${grouped(least)} to ${grouped(most)}`;

const SHOWN_FIRST = 6;

/** The fields that came back, as ticks; a ticked one has the name of its column. */
function Fields({ scene }: { readonly scene: Scene }) {
  const { job, planned } = scene;
  const isWhole = useSignal(false);
  const fields = inSteps(planned.value?.fields ?? [], operationsOf(job));
  // Which blanks are filled was chosen before the try.
  if (isFill(job)) return null;
  const proposed = proposedFor(fields, columnsOfHers(scene));
  const chosen = job.add === undefined ? proposed : new Map(swapped(Object.entries(job.add)));
  const put = (field: string, name: string | undefined): void => {
    const named = fields.map((each) => [each, each === field ? name : chosen.get(each)] as const);
    const add = swapped(named.filter((each): each is [string, string] => each[1] !== undefined));
    const isOnce = new Set(add.map(([column]) => column)).size === add.length;
    // An answer of which nothing is wanted would not be asked for.
    if (add.length > 0 && isOnce) scene.choose({ ...job, add: Object.fromEntries(add) });
  };
  const shown = isWhole.value ? fields : fields.slice(0, SHOWN_FIRST);
  return (
    <>
      <ul class="fields">
        {shown.map((field) => (
          <Field
            key={field}
            proposed={proposed.get(field) ?? field}
            name={chosen.get(field)}
            onNamed={(name) => put(field, name)}
          />
        ))}
      </ul>
      {shown.length < fields.length && (
        <p>
          <Button
            look="link"
            says={`${grouped(fields.length - shown.length)} more`}
            onClick={() => {
              isWhole.value = true;
            }}
          />
        </p>
      )}
    </>
  );
}

/** The answers came in any order: fields stand in the order of what was asked first. */
const inSteps = (fields: readonly string[], operations: readonly string[]): readonly string[] =>
  operations.length === 1
    ? fields
    : operations.flatMap((name) => fields.filter((field) => field.startsWith(`${name}.`)));

const swapped = (pairs: readonly (readonly [string, string])[]): readonly (readonly [string, string])[] =>
  pairs.map(([one, other]) => [other, one]);

/** Field: a name for its column; no two alike, and none that the list has. */
function proposedFor(fields: readonly string[], hers: readonly string[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const field of fields) names.set(field, columnName(field, [...hers, ...names.values()]));
  return names;
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
