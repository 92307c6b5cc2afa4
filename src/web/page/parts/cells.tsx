import type { Checked, ListRow } from '../../api.ts';
import { text } from '../text.ts';
import { type Edits, editKey } from './edits.ts';
import { grouped } from './figures.ts';
import { plainReason } from './plain-words.ts';

/** One row of a list whose cells can be typed over. */
export function CellsOf({
  row: { row, cells, unreadable, reason },
  shown,
  edits,
  check,
}: {
  readonly row: ListRow & { readonly reason?: string };
  readonly shown: readonly { readonly name: string; readonly at: number; readonly isAsked: boolean }[];
  readonly edits: Edits;
  readonly check: Checked['rows'][number] | undefined;
}) {
  const edited = edits.cells.value;
  const isEdited = shown.some(({ at }) => edited.has(editKey(row, at)));
  return (
    <tr>
      <th scope="row" class="number" data-row={text.rows.row}>
        {grouped(row)}
      </th>
      {shown.map(({ name, at, isAsked }) => {
        const original = cells[at] ?? '';
        const typed = edited.get(editKey(row, at));
        const meant = isAsked ? (check?.meant[name]?.words ?? []) : [];
        if (unreadable !== undefined)
          return (
            <td key={name} class="cut" title={original} data-name={name}>
              {original}
            </td>
          );
        return (
          <td key={name} class={typed === undefined ? 'cell' : 'cell edited'} data-name={name}>
            <input
              aria-label={text.fix.cell(name, grouped(row))}
              value={typed ?? original}
              title={typed === undefined ? original : text.fix.was(original)}
              onInput={({ currentTarget }) => edits.set(row, at, currentTarget.value, original)}
              onKeyDown={(event) => onKey(event, edits)}
            />
            {meant.map((value) => (
              <button
                key={value}
                type="button"
                class="plain meant"
                onClick={() => edits.set(row, at, value, original)}
              >
                {text.fix.use(value)}
              </button>
            ))}
          </td>
        );
      })}
      <State {...{ unreadable, reason, isEdited }} problem={check?.problem} />
    </tr>
  );
}

/** As in a sheet: Enter goes on to the cell below, and Ctrl+Z takes back the last cell. */
function onKey(event: KeyboardEvent, edits: Edits): void {
  if (event.key === 'z' && (event.ctrlKey || event.metaKey) && !event.shiftKey) {
    event.preventDefault();
    edits.undo();
  }
  if (event.key !== 'Enter') return;
  const cell = (event.currentTarget as HTMLElement).closest('td');
  const below = cell?.parentElement?.nextElementSibling?.children[cell.cellIndex];
  below?.querySelector('input')?.focus();
}

function State({
  unreadable,
  reason,
  isEdited,
  problem,
}: {
  readonly unreadable: string | undefined;
  readonly reason: string | undefined;
  readonly isEdited: boolean;
  readonly problem: string | null | undefined;
}) {
  if (unreadable !== undefined) return <td class="state">{text.fix.inTheFile(unreadable)}</td>;
  if (problem) return <td class="state problem">{problem}</td>;
  if (isEdited)
    return (
      <td class="state">
        <span class="tag good">{text.fix.right}</span>
      </td>
    );
  return <td class="state">{plainReason(reason ?? '')}</td>;
}
