import type { ComponentChildren } from 'preact';
import { Bar } from '../../../../files/output/report/table.ts';
import { Button } from '../../parts/controls.tsx';
import type { Line, Lines } from '../../parts/lines.ts';
import { type Column, isBought } from './columns.ts';
import { MendField, type Mending, mend, mendedAs } from './mends.tsx';
import type { Scene } from './scene.ts';
import { type Sign, signOf, stepSigns } from './signs.ts';

/** What stands in the cells of a row: hers, the bought ones, and a sign in the place of those. */

export interface Drawn {
  readonly scene: Scene;
  readonly rows: Lines;
  readonly columns: readonly Column[];
  readonly mending: Mending;
}

export interface CellShown {
  readonly shows: ComponentChildren;
  readonly title?: string;
  readonly look?: string;
  /** How many columns it takes; 0 for a cell that lies below the one before. */
  readonly span?: number;
}

export function cellsOf(drawn: Drawn, line: Line | undefined): readonly CellShown[] {
  const { columns } = drawn;
  if (line === undefined) return columns.map(() => WAITS);
  const sign = signOf(drawn, line);
  const signs = signsInPlace(drawn, line, sign);
  return columns.map((column, at) => {
    const said = signs[at];
    if (said === undefined) {
      const cell = cellOf(drawn, line, column);
      return at === 0 && sign && !signs.includes(sign) ? { ...cell, title: sign.says } : cell;
    }
    if (said.look === 'wait') return WAITS;
    if (signs[at - 1] === said) return { shows: '', span: 0 };
    const end = signs.findIndex((each, place) => place > at && each !== said);
    const span = (end === -1 ? signs.length : end) - at;
    return { shows: said.says, title: said.title ?? said.says, look: said.look, span };
  });
}

const WAITS: CellShown = { shows: <Bar part={0} all={1} /> };

/** For each column the sign in the place of its cell: of the step that fills it, or of a row without answers. */
function signsInPlace(drawn: Drawn, line: Line, sign: Sign | undefined): readonly (Sign | undefined)[] {
  const { columns } = drawn;
  const ofSteps = stepSigns(drawn, line);
  const isBlank = columns.filter(isBought).every((column) => boughtIn(line, column) === '');
  return columns.map((column) => {
    if (!isBought(column) || boughtIn(line, column) !== '') return undefined;
    return ofSteps.get(column.operation ?? '') ?? (isBlank || line.results ? sign : undefined);
  });
}

const boughtIn = ({ cells }: Line, { at }: Column): string => (at === undefined ? '' : (cells[at] ?? ''));

/** What the cell says, with the mend that it has. */
export function textOf({ scene }: Pick<Drawn, 'scene'>, line: Line, column: Column): string {
  const mended = isBought(column) ? undefined : mendedAs(scene, line.row, column.name);
  return mended?.value ?? boughtIn(line, column);
}

function cellOf(drawn: Drawn, line: Line, column: Column): CellShown {
  const { scene, mending } = drawn;
  const { row, cells } = line;
  const { name, source } = column;
  const text = textOf(drawn, line, column);
  const isFaulty = line.planned?.faulty.includes(name) === true;
  const cell = { row, column: name };
  const isNew = mending.isAt(cell);
  if (isFaulty || isNew) {
    const field = (
      <MendField
        key={text}
        name={`${name} of row ${row}`}
        value={text}
        typed={isNew ? mending.typed : undefined}
        isNew={isNew}
        onEnd={(value) => mending.end(cell, value)}
      />
    );
    return { shows: field, look: 'mending' };
  }
  if (!isBought(column) && mendedAs(scene, row, name) !== undefined) {
    const before = boughtIn(line, column);
    const back = (): void => void mend(scene, cell, null);
    const shows = (
      <>
        <Button
          look="link"
          says="↶"
          aria-label={`take back the mend of row ${row}, ${name}`}
          title="Takes the mend away, not what was bought"
          onClick={back}
        />{' '}
        {text}
      </>
    );
    return {
      shows,
      title: before === text ? 'you mended this cell' : `was ${before || 'blank'}`,
      look: 'mended',
    };
  }
  const from = source === undefined ? '' : cells[source];
  const shows = from ? [text, ' ', <small key={from}>{from}</small>] : text;
  return { shows, title: text, look: isNumber(text) && isBought(column) ? 'num' : '' };
}

const isNumber = (text: string): boolean => /^-?\d[\d,.]*$/.test(text);
