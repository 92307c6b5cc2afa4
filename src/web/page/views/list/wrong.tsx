import { useSignal } from '@preact/signals';
import type { RowObject, TableObject } from '../../../api.ts';
import { RefusedNotice } from '../../loaded.tsx';
import { useAction } from '../../parts/action.ts';
import { Button, Select, TextField } from '../../parts/controls.tsx';
import { mend } from './mends.tsx';
import type { Scene } from './scene.ts';

interface WrongProps {
  readonly scene: Scene;
  readonly object: RowObject;
  readonly table: TableObject;
}

/** Mends the cell by which it was asked, so that the row is asked anew; every other row is known and free. */
export function Wrong({ scene, object, table }: WrongProps) {
  const columns = table.columns.flatMap(({ name, from }, at) => (from === 'list' ? [{ name, at }] : []));
  const cellOf = (name: string): string =>
    table.rows[0]?.cells[columns.find((each) => each.name === name)?.at ?? -1] ?? '';
  const asked = object.attempts.flatMap(({ parameters }) => Object.values(parameters)).map(plain);
  const askedBy = columns.find(({ name }) =>
    asked.some((value) => value !== '' && plain(cellOf(name)).includes(value)),
  );
  const column = useSignal(askedBy?.name ?? columns[0]?.name ?? '');
  const typed = useSignal<string | undefined>(undefined);
  const action = useAction();
  const correct = (): void =>
    action.run(async () => {
      const value = typed.value ?? cellOf(column.value);
      await mend(scene, { row: object.row, column: column.value }, value);
      scene.opened.value = undefined;
    });
  return (
    <div class="need">
      <p>
        Correct what it was asked by, or leave that cell blank so that another is used. Then this row alone is
        asked anew.
      </p>
      <Select
        name="Cell"
        value={column.value}
        options={columns.map(({ name }) => name)}
        onChosen={(name) => {
          column.value = name;
          typed.value = undefined;
        }}
      />
      <TextField
        key={column.value}
        name="Should be"
        value={cellOf(column.value)}
        onTyped={(text) => (typed.value = text)}
      />
      <Button look="go" says="Correct it" disabled={action.isBusy.value} onClick={correct} />
      <RefusedNotice refused={action.refused.value} />
    </div>
  );
}

const plain = (value: unknown): string =>
  String(value)
    .toLowerCase()
    .replaceAll(/[^\p{L}\d@.]/gu, '');
