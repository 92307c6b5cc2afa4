import { useSignal } from '@preact/signals';
import { Popover, Select } from '../../parts/controls.tsx';
import type { Column } from './columns.ts';
import { ConditionOf, canFilter } from './filters.tsx';
import type { OfScene } from './scene.ts';

interface AnotherProps extends OfScene {
  readonly columns: readonly Column[];
  readonly says: string;
}

/** One more column by which rows are shown: on a telephone, where columns have no heads, also the first one. */
export function AnotherFilter({ scene, columns, says }: AnotherProps) {
  const chosen = useSignal('');
  const filtered = columns.filter((column) => canFilter(scene, column));
  const column = filtered.find(({ name }) => name === chosen.value);
  return (
    <Popover name="Another filter" says={says} look="quiet">
      {() => (
        <div class="stack">
          <Select
            name="Column"
            value={chosen.value}
            options={[['', 'Choose one'], ...filtered.map(({ name }) => [name, name] as const)]}
            onChosen={(name) => (chosen.value = name)}
          />
          {column && <ConditionOf key={column.name} scene={scene} column={column} />}
        </div>
      )}
    </Popover>
  );
}
