import type { ComponentChildren } from 'preact';
import { Button } from '../../parts/controls.tsx';
import type { GridCell } from '../../parts/grid.tsx';
import type { Line } from '../../parts/lines.ts';
import { type Column, isBought } from './columns.ts';
import { MendField, mend, mendedAs } from './mends.tsx';
import type { Rows } from './rows.ts';
import type { Scene } from './scene.ts';
import { type Sign, signOf } from './signs.ts';

/** What stands in the cells of a row: hers, the bought ones, and a sign in the place of those. */

export interface Drawn {
  readonly scene: Scene;
  readonly rows: Rows;
  readonly columns: readonly Column[];
  readonly isMending: (row: number, column: string) => boolean;
  readonly onMended: (row: number, column: string, value: string) => void;
}

export const signIn = ({ scene, rows }: Drawn, line: Line): Sign | undefined =>
  signOf({ columns: rows.columns ?? [], isRunning: scene.isRunning }, line);

export function cellsOf(drawn: Drawn, line: Line | null | undefined): readonly GridCell[] {
  const { columns } = drawn;
  if (line === undefined) return columns.map(() => ({ shows: <i class="wait" /> }));
  if (line === null) return columns.map(() => ({ shows: '' }));
  const sign = signIn(drawn, line);
  const bought = columns.filter(isBought);
  const isBlank = bought.every(({ at }) => at === undefined || (line.cells[at] ?? '') === '');
  if (sign === undefined || !isBlank) {
    const cells = columns.map((column) => cellOf(drawn, line, column));
    const [key] = cells;
    return key && sign ? [{ ...key, title: sign.says }, ...cells.slice(1)] : cells;
  }
  const first = columns.findIndex(isBought);
  return columns.map((column, at) => {
    if (!isBought(column)) return cellOf(drawn, line, column);
    if (sign.look === 'wait') return { shows: <i class="wait" /> };
    if (at > first) return { shows: '', span: 0 };
    return { shows: sign.says, title: sign.says, look: sign.look, span: bought.length };
  });
}

/** What the cell says, with the mend that it has. */
export function textOf(
  { scene }: Pick<Drawn, 'scene'>,
  { row, cells }: Line,
  { name, at, kind }: Column,
): string {
  const mended = kind === 'found' ? undefined : mendedAs(scene, row, name);
  return mended?.value ?? (at === undefined ? '' : (cells[at] ?? ''));
}

function cellOf(drawn: Drawn, line: Line, column: Column): GridCell {
  const { scene, isMending, onMended } = drawn;
  const { row, cells } = line;
  const { name, at, source } = column;
  const text = textOf(drawn, line, column);
  const isFaulty = line.planned?.faulty.includes(name) === true;
  if (isFaulty || isMending(row, name)) {
    const end = (value: string): void => onMended(row, name, value);
    const field = (
      <MendField key={text} name={`${name} of row ${row}`} value={text} isNew={!isFaulty} onEnd={end} />
    );
    return { shows: field, look: 'mending' };
  }
  const mended = isBought(column) ? undefined : mendedAs(scene, row, name);
  if (mended !== undefined) {
    const before = at === undefined ? '' : (cells[at] ?? '');
    const was = before === mended.value ? 'you mended this cell' : `was ${before || 'blank'}`;
    const back = (): void => void mend(scene, { row, column: name }, null);
    const shows = (
      <>
        <span class="cut">{text}</span>{' '}
        <Button look="link" says="↶" aria-label="take back" title="take back" onClick={back} />
      </>
    );
    return { shows, title: was, look: 'mended' };
  }
  const from = source === undefined ? '' : (cells[source] ?? '');
  const shows: ComponentChildren =
    from === '' ? (
      text
    ) : (
      <>
        {text} <small>{from}</small>
      </>
    );
  return { shows, title: text, look: isNumber(text) && isBought(column) ? 'num' : '' };
}

const isNumber = (text: string): boolean => /^-?\d[\d,.]*$/.test(text);
