import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { rowName } from '../../../../../files/output/row-name.ts';
import { Button, type Fact, Facts } from '../../../parts/controls.tsx';
import type { Line } from '../../../parts/lines.ts';
import { type Column, columnsUsed, isBought, isHers } from '../columns.ts';
import { inputsOf, markOf } from '../team.ts';
import { cellsOf, type Drawn, keyOf, keysOf, signOf, textOf, wrongIn } from './cells.tsx';

/** The filters stand below the cards, so few are shown at first. */
const PORTION = 10;

/** The rows on a telephone: each is a card, with its fault below the field that it is about. */
export function Cards({ drawn }: { readonly drawn: Drawn }) {
  const { rows } = drawn;
  const shown = useSignal(PORTION);
  const to = Math.min(shown.value, rows.count);
  useEffect(() => rows.see(0, to), [rows, to]);
  const lines = Array.from({ length: to }, (_, index) => rows.at(index) ?? []).flat();
  const keys = keysOf(lines.map(({ row }) => row || undefined));
  return (
    <>
      <ul class="stack" aria-label="Rows">
        {lines.map((line, index) => (
          <Card key={keys[index]} drawn={drawn} line={line} />
        ))}
      </ul>
      {to < rows.count && <Button says="More rows" onClick={() => (shown.value += PORTION)} />}
    </>
  );
}

/** The cells that are wrong, else the one by which it is asked; none of what she cannot mend. */
function cellsToMend(drawn: Drawn, line: Line, sign: ReturnType<typeof signOf>): readonly Column[] {
  const [key] = keyOf(drawn);
  if (drawn.scene.list === undefined || key?.at === undefined || line.row === 0) return [];
  const ofPerson = wrongOfPerson(drawn, line, sign);
  const wrong = ofPerson.length > 0 ? ofPerson : wrongIn(drawn, line, sign);
  return wrong.length > 0 ? wrong : [key];
}

/** The cells for which nothing can be done for a person: those of the plan, or those that the findings name. */
function wrongOfPerson({ columns }: Drawn, line: Line, sign: ReturnType<typeof signOf>): readonly Column[] {
  const { planned, findings = [] } = line;
  if (planned) return columns.filter(({ name }) => planned.faulty.includes(name));
  const inputs = sign?.look === 'invalid' ? findings.flatMap(inputsOf) : [];
  return columns.filter(
    (column) => column.kind === 'asked' && column.inputs.some((input) => inputs.includes(input)),
  );
}

const OpenRow = ({ scene, row }: Pick<Drawn, 'scene'> & { readonly row: number }) => (
  <span class="end">
    <Button look="link" id={`row-${row}`} says={`Row ${row}`} onClick={() => (scene.opened.value = row)} />
  </span>
);

/** Of so many lines is a card; the others are beside the row, which its number opens. */
const CARD_LINES = 3;

/** The row's name, where the first cell is but a part of it: a first name alone. */
function titleOf(drawn: Drawn, line: Line, [key]: readonly Column[]): string | undefined {
  const hers = drawn.columns.filter(isHers);
  const cells = hers.map((column) => textOf(drawn, line, column));
  const name = rowName(
    hers.map((column) => column.name),
    cells,
    columnsUsed(drawn.scene),
  );
  const part = key && textOf(drawn, line, key);
  return part && name?.split(' ').includes(part) ? name : undefined;
}

function Card({ drawn, line }: { readonly drawn: Drawn; readonly line: Line }) {
  const { scene, columns } = drawn;
  const { begin } = drawn.mending;
  const { row, planned } = line;
  const [key, ...others] = columns;
  if (key === undefined) return null;
  const [first, ...cells] = cellsOf(drawn, line);
  const title = typeof first?.shows === 'string' ? titleOf(drawn, line, columns) : undefined;
  const sign = signOf(drawn, line);
  const mark = markOf(sign?.look ?? planned?.look);
  const fault = sign?.look === 'bad' ? sign.says : undefined;
  const mended = cellsToMend(drawn, line, sign);
  const correct = ({ name: column }: Column) => (
    <Button key={column} look="link" says={`Correct ${column}`} onClick={() => begin({ row, column })} />
  );
  const facts = others
    .map((column, at): Fact => [column.name, fault && isBought(column) ? '' : cells[at]?.shows])
    .filter(([, says]) => says);
  // What is typed now is in sight, in whichever line it stands.
  const isTyped = others.some(({ name: column }) => drawn.mending.isAt({ row, column }));
  const lines = row === 0 || isTyped ? facts : facts.slice(0, CARD_LINES);
  return (
    <li class="paper card stack tight" data-look={sign?.look ?? planned?.look}>
      <div class="bar">
        {mark && <b class="sign">{mark}</b>}
        {(first?.shows || row > 0) && (
          <span class="grow">
            <span class="unseen">{key.name}</span> <b>{title || first?.shows || 'blank'}</b>
          </span>
        )}
        {row > 0 && <OpenRow scene={scene} row={row} />}
      </div>
      {fault && <p class="bad">{fault}</p>}
      {sign?.look === 'warn' && <p class="need">{sign.says}</p>}
      <Facts of={lines} />
      {mended.length > 0 && (
        <div class="bar">
          <span class="end">{mended.map(correct)}</span>
        </div>
      )}
    </li>
  );
}
