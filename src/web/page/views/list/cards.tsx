import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Button } from '../../parts/controls.tsx';
import { Facts } from '../../parts/facts.tsx';
import type { Line } from '../../parts/lines.ts';
import { cellsOf, type Drawn } from './cells.tsx';
import { isBought } from './columns.ts';
import { signOf } from './signs.ts';

/** The filters stand below the cards, so few are shown at first. */
const PORTION = 10;

/** The rows on a telephone: each is a card, with its fault below the field that it is about. */
export function Cards({ drawn }: { readonly drawn: Drawn }) {
  const { rows } = drawn;
  const shown = useSignal(PORTION);
  const to = Math.min(shown.value, rows.count);
  useEffect(() => rows.see(0, to), [rows, to]);
  const lines = Array.from({ length: to }, (_, index) => rows.at(index) ?? []).flat();
  return (
    <>
      <ul class="cards" aria-label="Rows">
        {lines.map((line, index) => (
          <Card key={index} drawn={drawn} line={line} />
        ))}
      </ul>
      {to < rows.count && <Button says="More rows" onClick={() => (shown.value += PORTION)} />}
    </>
  );
}

function Card({ drawn, line }: { readonly drawn: Drawn; readonly line: Line }) {
  const { scene, columns, mending } = drawn;
  const { row, planned } = line;
  const [key, ...others] = columns;
  if (key === undefined) return null;
  const [first, ...cells] = cellsOf(drawn, line);
  const sign = signOf(drawn, line);
  const fault = sign?.look === 'bad' ? sign.says : undefined;
  const canMend = scene.list !== undefined && key.at !== undefined && row > 0;
  const correct = (): void => mending.begin({ row, column: key.name });
  return (
    <li class={`${sign?.look ?? planned?.look ?? ''}`}>
      <p class="row soft">
        {planned && <b>{planned.sign}</b>}
        {row > 0 && <Button look="link" says={`Row ${row}`} onClick={() => (scene.opened.value = row)} />}
        {canMend && <Button look="link" says="Correct" onClick={correct} />}
      </p>
      {(first?.shows || row > 0) && (
        <p>
          <small>{key.name}</small> <b>{first?.shows || 'blank'}</b>
        </p>
      )}
      {fault && <p class="bad">{fault}</p>}
      <Facts
        of={others.map((column, at) => [
          column.name,
          fault && isBought(column) ? '' : (cells[at]?.shows ?? ''),
        ])}
      />
    </li>
  );
}
