import { useSignal } from '@preact/signals';
import type { BatchStatusObject, RowObject, TableObject } from '../../../api.ts';
import { RefusedNotice } from '../../loaded.tsx';
import { useAction } from '../../parts/action.ts';
import { Button } from '../../parts/controls.tsx';
import { MendField, mend } from './mends.tsx';
import type { Scene } from './scene.ts';

interface WrongProps {
  readonly scene: Scene;
  readonly batch: BatchStatusObject;
  readonly object: RowObject;
  readonly table: TableObject;
}

/** Mends the cell by which it was asked, so that the row is asked anew; every other row is known and free. */
export function Wrong({ scene, batch, object, table }: WrongProps) {
  const isOpen = useSignal(false);
  const action = useAction();
  const cellOf = (name: string): string =>
    table.rows[0]?.cells[table.columns.findIndex((each) => each.from === 'list' && each.name === name)] ?? '';
  const asked = object.attempts.flatMap(({ parameters }) => Object.values(parameters)).map(plain);
  const isAsked = (name: string): boolean =>
    asked.some((value) => value !== '' && plain(cellOf(name)).includes(value));
  const columns = Object.values(batch.columns);
  const column = columns.find(isAsked) ?? columns[0] ?? '';
  const end = (value: string | undefined): void =>
    action.run(async () => {
      if (value !== undefined) await mend(scene, { row: object.row, column }, value);
      isOpen.value = false;
    });
  return (
    <>
      <Button look="link" says="this is wrong" onClick={() => (isOpen.value = true)} />
      {isOpen.value && (
        <div class="need">
          <p>
            Correct “{column}”, or leave it blank so that another cell is used. Then this row alone is asked
            anew.
          </p>
          <MendField name={`${column} should be`} value={cellOf(column)} isNew onEnd={end} />
        </div>
      )}
      <RefusedNotice refused={action.refused.value} />
    </>
  );
}

const plain = (value: unknown): string =>
  String(value)
    .toLowerCase()
    .replaceAll(/[^\p{L}\d@.]/gu, '');
