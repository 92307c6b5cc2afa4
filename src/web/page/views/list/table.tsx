import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { RefusedNotice } from '../../loaded.tsx';
import { Grid, type Place } from '../../parts/grid.tsx';
import type { Line } from '../../parts/lines.ts';
import { Above } from './above.tsx';
import { Cards } from './cards.tsx';
import { cellsOf, type Drawn, signIn, textOf } from './cells.tsx';
import { type Column, columnsOf, isBought, isHers } from './columns.ts';
import { ColumnHead } from './head-menu.tsx';
import { focusTable, Mended, mend, mendedAs } from './mends.tsx';
import { batchShown, type Rows, useRows } from './rows.ts';
import type { Scene } from './scene.ts';
import { Tools } from './tools.tsx';

/** Her table: her own columns, and what was bought behind the one by which it was asked. */
export function ListTable({ scene }: { readonly scene: Scene }) {
  const rows = useRows(scene);
  const hidden = useHidden(scene.list?.id ?? scene.batch?.batch ?? '');
  const at = useSignal<Place>(BEGINNING);
  const mending = useMending(scene, rows);
  const isNarrow = useNarrow();
  const all = columnsOf(scene, rows.columns ?? []);
  const columns = all.filter(({ name }, nth) => nth === 0 || !hidden.value.includes(name));
  const drawn: Drawn = { scene, rows, columns, isMending: mending.isAt, onMended: mending.end };
  const isAsked = batchShown(scene) !== undefined;
  const line = rows.at(at.value.line);
  const column = columns[at.value.column];
  const cell = line && column ? { name: column.name, value: textOf(drawn, line, column) } : undefined;
  const copy = (): Promise<void> => copyRows(drawn, cell?.value ?? '');
  // The cell with which the table begins was not chosen by anybody.
  const chosen = at.value === BEGINNING ? undefined : cell;
  useBackToTable(scene.opened.value);
  return (
    <section aria-label="The list">
      <Tools {...{ scene, rows, columns: all, hidden, isAsked, cell: chosen, onCopy: copy }} />
      <Mended scene={scene} />
      <RefusedNotice refused={mending.refused.value ?? rows.refused} />
      {!isAsked && <Above scene={scene} />}
      {isNarrow ? (
        <Cards drawn={drawn} onMend={mending.begin} />
      ) : (
        <Shown drawn={drawn} hidden={hidden} at={at} isAsked={isAsked} onMend={mending.begin} onCopy={copy} />
      )}
      {rows.columns !== undefined && rows.count === 0 && <p class="soft">No row is like that.</p>}
    </section>
  );
}

const BEGINNING: Place = { line: 0, column: 0 };

/** Whoever closes the row beside is at its cell again. */
function useBackToTable(opened: number | undefined): void {
  const before = useRef(opened);
  useEffect(() => {
    if (opened === undefined && before.current !== undefined) focusTable();
    before.current = opened;
  }, [opened]);
}

interface ShownProps {
  readonly drawn: Drawn;
  readonly hidden: Signal<readonly string[]>;
  readonly at: Signal<Place>;
  readonly isAsked: boolean;
  readonly onMend: (row: number, column: string) => void;
  readonly onCopy: () => Promise<void>;
}

function Shown({ drawn, hidden, at, isAsked, onMend, onCopy }: ShownProps) {
  const { scene, rows, columns } = drawn;
  const { selected, opened } = scene;
  const rowAt = (line: number): number | undefined => rows.at(line)?.row || undefined;
  const last = useSignal(0);
  const select = (line: number, isRange: boolean): void => {
    selected.value = selection(scene, rows, isRange ? last.value : line, line, isRange);
    last.value = line;
  };
  return (
    <Grid
      name={scene.name}
      count={rows.count}
      columns={columns.map((column) => ({
        key: column.name,
        width: widthOf(column),
        look: isBought(column) ? 'ours' : column.kind,
        head: (
          <ColumnHead
            scene={scene}
            column={column}
            isAsked={isAsked}
            onHide={() => {
              hidden.value = [...hidden.value, column.name];
            }}
          />
        ),
      }))}
      at={at.value}
      onMove={(to) => {
        at.value = to;
      }}
      labelAt={(line) => labelOf(rows, line)}
      cellsAt={(line) => cellsOf(drawn, rows.at(line))}
      lookAt={(line) => lookOf(drawn, rows.at(line))}
      isSelected={(line) => selected.value.has(rows.numberAt(line) ?? -1)}
      onSelect={select}
      onSee={(from, to) => rows.see(from, to)}
      onOpen={(line) => {
        opened.value = rowAt(line);
      }}
      onMend={({ line, column }) => {
        const row = rowAt(line);
        const mended = columns[column];
        if (row !== undefined && mended !== undefined && isHers(mended)) onMend(row, mended.name);
      }}
      onCopy={() => void onCopy()}
    />
  );
}

function labelOf(rows: Rows, line: number) {
  const sign = rows.at(line)?.planned?.sign;
  return (
    <>
      {sign && <b>{sign} </b>}
      {rows.numberAt(line)}
    </>
  );
}

function widthOf({ kind, name }: Column): number {
  if (kind === 'happens') return 330;
  const least = kind === 'added' || kind === 'found' ? 130 : 150;
  return Math.min(260, Math.max(least, name.length * 8 + 30));
}

function lookOf(drawn: Drawn, line: Line | null | undefined): string {
  if (line === undefined || line === null) return '';
  const isOpen = drawn.scene.opened.value === line.row;
  return `${signIn(drawn, line)?.look ?? line.planned?.look ?? ''} ${isOpen ? 'open' : ''}`;
}

/** A click turns one row; with shift, all between it and the one before are selected. */
function selection(
  { selected }: Scene,
  rows: Rows,
  from: number,
  to: number,
  isRange: boolean,
): ReadonlySet<number> {
  const chosen = new Set(selected.value);
  for (let line = Math.min(from, to); line <= Math.max(from, to); line += 1) {
    const row = rows.numberAt(line);
    if (row === undefined || rows.at(line) === null) continue;
    if (!isRange && chosen.has(row)) chosen.delete(row);
    else chosen.add(row);
  }
  return chosen;
}

/** The selected rows with the names of their columns, else the one cell, as a sheet takes them. */
async function copyRows(drawn: Drawn, cell: string): Promise<void> {
  const { scene, rows, columns } = drawn;
  const chosen = [...scene.selected.value].sort((one, other) => one - other);
  if (chosen.length === 0) return navigator.clipboard.writeText(cell);
  const lines = await rows.linesOf(chosen);
  const table = [
    columns.map(({ name }) => name),
    ...lines.map((line) => columns.map((column) => textOf(drawn, line, column))),
  ];
  const inSheet = (text: string): string => (/[\t\n"]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  await navigator.clipboard.writeText(table.map((cells) => cells.map(inSheet).join('\t')).join('\n'));
}

function useMending(scene: Scene, rows: Rows) {
  const cell = useSignal<{ readonly row: number; readonly column: string } | undefined>(undefined);
  const refused = useSignal<Parameters<typeof RefusedNotice>[0]['refused']>(undefined);
  const end = (row: number, column: string, value: string): void => {
    cell.value = undefined;
    const line = rows.at(rows.indexOf(row) ?? -1);
    const place = rows.columns?.findIndex(({ name }) => name === column) ?? -1;
    const before = mendedAs(scene, row, column)?.value ?? line?.cells[place];
    if (value === before) return;
    refused.value = undefined;
    mend(scene, { row, column }, value).then(
      () => rows.renew(),
      (error) => {
        refused.value = error;
      },
    );
  };
  return {
    refused,
    end,
    isAt: (row: number, column: string) => cell.value?.row === row && cell.value.column === column,
    begin: (row: number, column: string) => {
      if (scene.list !== undefined) cell.value = { row, column };
    },
  };
}

/** The columns that she does not want to see, kept for this list. */
function useHidden(list: string): Signal<readonly string[]> {
  const key = `hidden-columns ${list}`;
  const hidden = useSignal<readonly string[]>(JSON.parse(localStorage.getItem(key) ?? '[]'));
  useEffect(() => localStorage.setItem(key, JSON.stringify(hidden.value)), [hidden.value]);
  return hidden;
}

const NARROW = matchMedia('(max-width: 720px)');

function useNarrow(): boolean {
  const isNarrow = useSignal(NARROW.matches);
  useEffect(() => {
    const turned = (): void => {
      isNarrow.value = NARROW.matches;
    };
    NARROW.addEventListener('change', turned);
    return () => NARROW.removeEventListener('change', turned);
  }, []);
  return isNarrow.value;
}
