import { useSignal } from '@preact/signals';
import type { ListRows } from '../../../../api.ts';
import { Act, Loaded } from '../../../parts/asking.tsx';
import { Options } from '../../../parts/controls.tsx';
import { counted, grouped } from '../../../parts/figures.ts';
import { columnsOf } from '../columns.ts';
import type { OfScene } from '../scene.ts';
import type { Inputs } from './faults.tsx';
import { mendAll } from './mends.tsx';

/** So many pairs are looked at together. */
const PAIRS = 200;

interface PairsProps extends OfScene {
  readonly inputs: Inputs;
  readonly column: string;
  readonly says: string;
  readonly close: () => void;
}

interface Pair {
  readonly row: number;
  /** The company or the person. */
  readonly name: string;
  readonly before: string;
  /** What the cell may have been: of one alone it is sure. */
  readonly meant: readonly string[];
}

/** Cells before and after a mend, of which nothing is mended that does not stand here. */
export const Pairs = (props: PairsProps) => (
  <Loaded<ListRows>
    path={`/lists/${props.scene.list?.id}/rows`}
    body={{ asked: props.inputs, wrong: { column: props.column, which: 'meant' }, limit: PAIRS }}
  >
    {(found) => <Chosen {...props} pairs={pairsIn(found, props)} isMore={found.next !== null} />}
  </Loaded>
);

function pairsIn({ columns, rows }: ListRows, { scene, column }: PairsProps): readonly Pair[] {
  const at = columns.findIndex(({ name, from }) => from === 'list' && name === column);
  const [named] = columnsOf(scene, columns);
  return rows.map(({ row, cells, faults }) => {
    const name = named?.name === column ? '' : (cells[named?.at ?? -1] ?? '');
    return { row, name, before: cells[at] ?? '', meant: faults?.[column]?.meant ?? [] };
  });
}

/** However many pairs are scrolled above it. */
const IN_SIGHT = { position: 'sticky', bottom: 0, background: 'var(--paper)' };

type ChosenProps = PairsProps & { readonly pairs: readonly Pair[]; readonly isMore: boolean };

function Chosen({ scene, column, says, close, pairs, isMore }: ChosenProps) {
  /** What she has chosen where several may be meant, by rows. */
  const chosen = useSignal<ReadonlyMap<number, string>>(new Map());
  const meantIn = ({ row, meant: [only = '', ...others] }: Pair): string =>
    others.length === 0 ? only : (chosen.value.get(row) ?? '');
  const mends = pairs.flatMap((pair) => {
    const value = meantIn(pair);
    return value === '' ? [] : { row: pair.row, column, value };
  });
  const open = pairs.filter(({ meant }) => meant.length > 1).length;
  return (
    <div class="stack">
      <h2>
        {column}: {says}
      </h2>
      <p class="soft">
        {open < pairs.length && `For ${grouped(pairs.length - open)} of them one value alone fits. `}
        {open > 0 && `For ${grouped(open)} of them several fit: choose one, or leave them red. `}
        {isMore && `These are the first ${grouped(pairs.length)}; the others come after them.`}
      </p>
      <ul>
        {pairs.map(({ row, name, before, meant }) => (
          <li key={row} class="mends">
            <span>
              {name} <small>row&nbsp;{grouped(row)}</small>
            </span>
            <span class="bad">{before}</span>
            {meant.length === 1 ? (
              <span>→ {meant[0]}</span>
            ) : (
              <select
                aria-label={`Row ${row}, ${before}`}
                onChange={({ currentTarget: { value } }) => {
                  chosen.value = new Map([...chosen.value, [row, value]]);
                }}
              >
                <Options of={[['', 'leave it red'], ...meant]} />
              </select>
            )}
          </li>
        ))}
      </ul>
      <div class="bar" style={IN_SIGHT}>
        <Act
          look="go"
          says={`Mend ${grouped(mends.length)}`}
          aria-label={`Mend ${counted(mends.length, 'cell')} of ${column}`}
          disabled={mends.length === 0}
          does={async () => {
            await mendAll(scene, mends);
            close();
          }}
        />
        <span class="soft">Your file stays as it is.</span>
      </div>
    </div>
  );
}
