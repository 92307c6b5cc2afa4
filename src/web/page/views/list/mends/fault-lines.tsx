import type { ColumnFaultsObject, Mend } from '../../../../api.ts';
import { lazyPart } from '../../../parts/asking.tsx';
import { Button, Popover } from '../../../parts/controls.tsx';
import { grouped } from '../../../parts/figures.ts';
import type { OfScene } from '../scene.ts';
import type { Faults } from './faults.tsx';
import { mendAll } from './mends.tsx';

const Pairs = lazyPart(async () => (await import('./pairs.tsx')).Pairs);

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
      {(['others', 'near'] as const).map((which) => {
        const wrong = of?.[which];
        if (wrong === undefined) return null;
        const shows = wrong.count === 1 ? 'Show it' : 'Show them';
        return (
          <span key={which} class={which === 'near' ? 'need' : undefined}>
            {wrong.says} ·{' '}
            <Button
              look="link"
              says={shows}
              aria-label={`${shows}: ${wrong.says}, in ${column}`}
              onClick={() => faults.show(column, which)}
            />
          </span>
        );
      })}
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
