import { useSignal } from '@preact/signals';
import type { ColumnValues } from '../../../../api.ts';
import { useAsked } from '../../../parts/asking.tsx';
import { Button, Checkbox, Label, Options } from '../../../parts/controls.tsx';
import { grouped } from '../../../parts/figures.ts';
import { ask } from '../../../session.ts';
import { type Column, columnsUsed, isBought, isHers } from '../columns.ts';
import { type Condition, conditionsIn, type How } from '../conditions.ts';
import { jobWith, withCondition } from '../conditions-changed.ts';
import { batchShown } from '../rows.ts';
import { columnsOfHers, conditionsOf, EVERYTHING, type Filter, type OfScene, type Scene } from '../scene.ts';

interface ConditionProps extends OfScene {
  readonly column: Pick<Column, 'name' | 'path' | 'kind'> & { readonly before?: string | undefined };
}

const SAYS: Readonly<Record<How, string>> = {
  is: 'is one of',
  is_not: 'is not',
  blank: 'is blank',
  filled: 'is filled',
  differs: 'differs from yours',
};

/** Before a start rows are filtered by her own cells alone. */
export function canFilter(scene: Scene, column: Column): boolean {
  if (column.at === undefined || column.isBelow) return false;
  if (scene.teamPlanned !== undefined) return scene.list !== undefined && isHers(column);
  return !isBought(column) || batchShown(scene) !== undefined;
}

interface SortsProps extends OfScene {
  readonly name: string;
  onSorted?(): void;
}

/** The order of the rows by a column. */
export function Sorts({ scene: { filter }, name, onSorted }: SortsProps) {
  const sort = (by: string): void => {
    filter.value = { ...filter.value, sort: by };
    onSorted?.();
  };
  return (
    <p class="picks">
      <Button says="Sort A to Z" onClick={() => sort(name)} />
      <Button says="Sort Z to A" onClick={() => sort(`-${name}`)} />
    </p>
  );
}

/** The condition on a column. The table of a team shows everybody, so that it is one of the start at once. */
export const ConditionOf = ({ scene, column }: OfScene & { readonly column: Column }) => (
  <ConditionOn
    scene={scene.teamPlanned === undefined ? scene : { ...scene, filter: conditionsOfStart(scene) }}
    column={column}
  />
);

const conditionsOfStart = ({ job, choose }: Scene): Scene['filter'] =>
  ({
    get value() {
      return { ...EVERYTHING, ...conditionsOf(job) };
    },
    set value(filter: Filter) {
      choose(jobWith(job, filter));
    },
  }) as Scene['filter'];

/** What the cells of a column have to say, so that their rows are shown: each click is seen in the table at once. */
export function ConditionOn({ scene, column }: ConditionProps) {
  const { before: name = column.name } = column;
  const columnCondition = conditionsIn(scene.filter.value).find((each) => each.column === name);
  // Before a start rows are left out of it; afterwards some are looked for.
  const typed = useSignal<How>(columnCondition?.how ?? (scene.isPlanning.value ? 'is_not' : 'is'));
  const how = columnCondition?.how ?? typed.value;
  const values = how === columnCondition?.how ? columnCondition.values : [];
  const set = (condition: Omit<Condition, 'column'>): void => {
    typed.value = condition.how;
    scene.filter.value = withCondition(scene.filter.value, { column: name, ...condition });
  };
  const hers = columnsOfHers(scene).filter((each) => each !== name);
  const hows = (Object.keys(SAYS) as How[]).filter(
    (each) => each !== 'differs' || isBought(column as Column),
  );
  const choose = (next: How): void => {
    const isListed = (each: How): boolean => each === 'is' || each === 'is_not';
    const keptValues = isListed(next) && isListed(how) ? values : [];
    set({ how: next, values: next === 'differs' ? [hersFor(scene, column, hers)] : keptValues });
  };
  return (
    <div class="stack">
      <Label says={`Only rows in which ${name}`}>
        <select
          value={how}
          aria-label={`How ${name} is compared`}
          onChange={({ currentTarget }) => choose(currentTarget.value as How)}
        >
          <Options of={hows.map((each) => [each, SAYS[each]] as const)} />
        </select>
      </Label>
      {(how === 'is' || how === 'is_not') && (
        <Values scene={scene} column={name} chosen={values} onChosen={(next) => set({ how, values: next })} />
      )}
      {how === 'differs' && (
        <Label says="Yours">
          <select
            value={values[0]}
            onChange={({ currentTarget }) => set({ how, values: [currentTarget.value] })}
          >
            <Options of={hers} />
          </select>
        </Label>
      )}
    </div>
  );
}

/** Her column that says the same thing: by which it was asked, of the same name, or with the name of a company. */
function hersFor(
  scene: Scene,
  { name, path = '' }: ConditionProps['column'],
  hers: readonly string[],
): string {
  const plain = (text: string): string => text.toLowerCase().replaceAll(/[^\p{L}\d]/gu, '');
  const field = path.split('.').at(-1) ?? '';
  const inputColumn = Object.entries(columnsUsed(scene)).find(
    ([input]) => input.split('.').at(-1) === field,
  )?.[1];
  const alike = hers.find((each) => [name, field].map(plain).includes(plain(each)));
  const named =
    /name/i.test(field || name) && hers.find((each) => /company|organi[sz]ation|name/i.test(each));
  return inputColumn ?? alike ?? (named || hers[0] || '');
}

interface ValuesProps extends OfScene {
  readonly column: string;
  readonly chosen: readonly string[];
  readonly onChosen: (values: readonly string[]) => void;
}

/** How long she may go on typing before values are looked for. */
const REST_MS = 250;

/** The word by which a job calls cells without text. */
const BLANK = 'blank';

/** What stands in the column, with the number of its rows: the most frequent first. */
function Values({ scene, column, chosen, onChosen }: ValuesProps) {
  const search = useSignal('');
  const batch = batchShown(scene);
  const path = batch === undefined ? `/lists/${scene.list?.id}/values` : `/batches/${batch}/values`;
  const question = (signal: AbortSignal) =>
    ask<ColumnValues>(path, { body: { column, search: search.value }, signal, isLook: true, isBeside: true });
  const { value, waits } = useAsked(question, [path, column, search.value], { delayMs: REST_MS }).value;
  const isChosen = (text: string): boolean =>
    chosen.some((each) => each.toLowerCase() === text.toLowerCase());
  const check = (text: string, isOn: boolean): void =>
    onChosen(isOn ? [...chosen, text] : chosen.filter((each) => each.toLowerCase() !== text.toLowerCase()));
  const pick = (text: string, says: string, rows: number) => (
    <Checkbox
      key={text}
      says={
        <>
          {says} <small>{grouped(rows)}</small>
        </>
      }
      checked={isChosen(text)}
      onCheck={(isOn) => check(text, isOn)}
    />
  );
  const all = value?.values ?? [];
  // What she has chosen stays in sight, also where it is looked for something else.
  const unlistedValues = chosen.filter(
    (text) => text !== BLANK && !all.some((each) => isSame(each.value, text)),
  );
  return (
    <>
      <input
        type="search"
        placeholder="Search values"
        aria-label={`Search values of ${column}`}
        onInput={({ currentTarget }) => (search.value = currentTarget.value)}
      />
      <div class="values" aria-busy={waits}>
        {unlistedValues.map((text) => pick(text, text, 0))}
        {all.map((each) => pick(each.value, each.value, each.rows))}
        {value !== undefined && value.blank > 0 && pick(BLANK, '(blank)', value.blank)}
        {value !== undefined && value.others > 0 && search.value === '' && (
          <small>{grouped(value.others)} rows say something else: search for it.</small>
        )}
        {value === undefined && <p class="soft">One moment…</p>}
      </div>
    </>
  );
}

const isSame = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();
