import type { ColumnFaultsObject, Mend } from '../../../api.ts';
import { late } from '../../parts/asking.tsx';
import { Button, Popover } from '../../parts/controls.tsx';
import { grouped } from '../../parts/figures.ts';
import type { Faults } from './faults.tsx';
import { mendAll } from './mends.tsx';
import type { OfScene } from './scene.ts';

const Pairs = late(async () => (await import('./pairs.tsx')).Pairs);

interface OfColumn extends OfScene {
  readonly faults: Faults;
  readonly of: ColumnFaultsObject;
}

/** Above a column: what is wrong in it, with the way to mend it; and what was mended last, to be taken back. */
export function FaultLines({ scene, faults, column }: OfScene & { faults: Faults; column: string }) {
  const of = faults.columns.find((each) => each.column === column);
  const columnMends = scene.list?.mends.filter((each) => each.column === column) ?? [];
  const mended = mendedLast(columnMends);
  return (
    <>
      {columnMends.length > 0 && (
        <span class="soft">
          {grouped(columnMends.length)} mended ·{' '}
          <Button
            look="link"
            says={
              mended.length === columnMends.length
                ? 'Undo'
                : `Undo the last${mended.length > 1 ? ` ${grouped(mended.length)}` : ''}`
            }
            aria-label={`Undo the last mend of ${column}`}
            onClick={() =>
              mendAll(
                scene,
                mended.map((row) => ({ row, column, value: null })),
              )
            }
          />
        </span>
      )}
      {of?.meant && <Meant scene={scene} faults={faults} of={of} />}
      {of?.others && (
        <span>
          {of.others.says} ·{' '}
          <Button
            look="link"
            says={of.others.count === 1 ? 'Show it' : 'Show them'}
            aria-label={`${of.others.count === 1 ? 'Show it' : 'Show them'}: ${of.others.says}, in ${column}`}
            onClick={() => faults.show(column)}
          />
        </span>
      )}
    </>
  );
}

const Meant = ({ scene, faults: { inputs }, of: { column, meant } }: OfColumn) => (
  <span>
    {meant?.says} ·{' '}
    <Popover
      name={`${column}: ${meant?.says}`}
      says={meant?.count === 1 ? 'Mend it' : 'Mend all'}
      look="link"
    >
      {(close) => (
        <Pairs scene={scene} inputs={inputs} column={column} says={meant?.says ?? ''} close={close} />
      )}
    </Popover>
  </span>
);

/** The rows whose cells in a column were mended together last, before a start. */
function mendedLast(columnMends: readonly Mend[]): readonly number[] {
  const last = columnMends.reduce((newest, { at }) => (at > newest ? at : newest), '');
  return columnMends.flatMap(({ row, at }) => (at === last ? row : []));
}
