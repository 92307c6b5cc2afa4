import { useSignal } from '@preact/signals';
import { Select } from '../../../parts/controls.tsx';
import type { Column } from '../columns.ts';
import type { OfScene } from '../scene.ts';
import { ConditionOf, canFilter, Sorts } from './filters.tsx';

/** One more column by which rows are shown or sorted: on a telephone columns have no heads. */
export function AnotherFilter({ scene, columns }: OfScene & { readonly columns: readonly Column[] }) {
  const chosen = useSignal('');
  const filtered = columns.filter((column) => canFilter(scene, column));
  const column = filtered.find(({ name }) => name === chosen.value);
  return (
    <div class="stack">
      <Select
        name="Column"
        value={chosen.value}
        options={[['', 'Choose one'], ...filtered.map(({ name }) => [name, name] as const)]}
        onChosen={(name) => (chosen.value = name)}
      />
      {column && scene.teamPlanned === undefined && (
        <Sorts scene={scene} name={column.before ?? column.name} />
      )}
      {column && <ConditionOf key={column.name} scene={scene} column={column} />}
    </div>
  );
}
