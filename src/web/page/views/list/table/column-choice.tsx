import { Checkbox } from '../../../parts/controls.tsx';
import type { Column } from '../columns.ts';

interface ChoiceProps {
  readonly columns: readonly Column[];
  readonly hidden: readonly string[];
  readonly hide: (name: string, isHidden?: boolean) => void;
  /** What the keys do in the table. */
  readonly keys: string;
}

/** Which columns she sees. The first one says which row it is. */
export const ColumnChoice = ({ columns, hidden, hide, keys }: ChoiceProps) => (
  <>
    {columns.slice(1).map(({ name }) => (
      <Checkbox
        key={name}
        says={name}
        checked={!hidden.includes(name)}
        onCheck={(isOn) => hide(name, !isOn)}
      />
    ))}
    <small>{keys}</small>
  </>
);
