import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Button } from '../../parts/controls.tsx';
import { cellsOf, type Drawn, signIn, textOf } from './cells.tsx';
import { isBought } from './columns.ts';

const PORTION = 30;

interface CardsProps {
  readonly drawn: Drawn;
  readonly onMend: (row: number, column: string) => void;
}

/** The rows on a telephone: each is a card, with its fault below the field that it is about. */
export function Cards({ drawn, onMend }: CardsProps) {
  const { rows } = drawn;
  const shown = useSignal(PORTION);
  const to = Math.min(shown.value, rows.count);
  useEffect(() => rows.see(0, to), [rows, to]);
  return (
    <>
      <ul class="cards" aria-label="Rows">
        {Array.from({ length: to }, (_, index) => (
          <Card key={index} index={index} drawn={drawn} onMend={onMend} />
        ))}
      </ul>
      {to < rows.count && (
        <Button
          says="More rows"
          onClick={() => {
            shown.value += PORTION;
          }}
        />
      )}
    </>
  );
}

function Card({ index, drawn, onMend }: CardsProps & { readonly index: number }) {
  const { scene, rows, columns } = drawn;
  const line = rows.at(index);
  const [key] = columns;
  if (line === undefined || line === null || key === undefined) return null;
  const cells = cellsOf(drawn, line);
  const sign = signIn(drawn, line);
  const canMend = scene.list !== undefined && key.at !== undefined && line.row > 0;
  const open = (): void => {
    scene.opened.value = line.row;
  };
  return (
    <li class={`card ${sign?.look ?? line.planned?.look ?? ''}`}>
      <p class="row soft">
        {line.planned && <b>{line.planned.sign}</b>}
        {line.row > 0 && <Button look="link" says={`Row ${line.row}`} onClick={open} />}
        {canMend && <Button look="link" says="Correct" onClick={() => onMend(line.row, key.name)} />}
      </p>
      <p>
        <small class="soft">{key.name}</small>
        <b>{cells[0]?.shows || 'blank'}</b>
        {sign?.look === 'bad' && <small class="fault">{sign.says}</small>}
      </p>
      <dl>
        {columns.map((column, at) => {
          const cell = cells[at];
          const isFault = sign?.look === 'bad' && isBought(column);
          const isBlank = textOf(drawn, line, column) === '' && (cell?.look ?? '') === '';
          if (at === 0 || isFault || isBlank || cell === undefined || cell.span === 0) return null;
          return (
            <div key={column.name} class={column.kind}>
              <dt>{column.name}</dt>
              <dd>{cell.shows}</dd>
            </div>
          );
        })}
      </dl>
    </li>
  );
}
