import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { lazyPart } from '../../../parts/asking.tsx';
import { Popover } from '../../../parts/controls.tsx';
import type { Line } from '../../../parts/lines.ts';
import { type Column, isBought, isHers, kindWords } from '../columns.ts';
import { type Faults, faultyColumns, isBefore } from '../mends/faults.tsx';
import type { OfScene } from '../scene.ts';
import { markOf, SINCE } from '../team.ts';
import type { MenuPlace } from './cell-menu.tsx';
import { cellsOf, type Drawn, faultIn, keysOf, type Place, signOf, textOf } from './cells.tsx';
import { useWindow } from './window.ts';

const FaultLines = lazyPart(async () => (await import('../mends/fault-lines.tsx')).FaultLines, '');
const ColumnMenu = lazyPart(async () => (await import('./column-menu.tsx')).ColumnMenu);
const CellMenu = lazyPart(async () => (await import('./cell-menu.tsx')).CellMenu);

const NUMBERS = 60;

interface SheetProps {
  readonly drawn: Drawn;
  readonly onHide: (name: string) => void;
  readonly at: Signal<Place>;
  /** Which rows are shown, in words that nobody reads: another order begins at the top. */
  readonly order: string;
  readonly onCopy: () => Promise<void>;
  readonly faults: Faults;
}

/** Her rows as a sheet, for the mouse and for the keys. The first column stays at the left. */
export function Sheet(props: SheetProps) {
  const { drawn, onHide, at, order } = props;
  const { scene, rows, columns } = drawn;
  const box = useRef<HTMLDivElement>(null);
  const { from, to, lines, tall, above, page, onScroll, showLine } = useWindow(box, rows.count);
  useEffect(() => rows.see(from, to), [rows, from, to]);
  useLayoutEffect(() => box.current?.scrollTo({ top: 0 }), [order]);
  useEffect(() => {
    const line = rows.lineOf(scene.opened.value);
    if (line >= 0) at.value = { ...at.value, line };
  }, [scene.opened.value]);
  useEffect(() => showLine(at.value.line), [at.value.line]);
  useLayoutEffect(() => {
    box.current?.querySelector(':focus .at')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [at.value.line, at.value.column]);
  const before = useRef(new Map<string, number>());
  const widthsBefore = scene.isRunning ? before.current : undefined;
  const ofColumns = columns.map((column) => widthsBefore?.get(column.name) ?? widthOf(drawn, column));
  // What is found while it runs does not move the columns, nor does a start.
  if (!scene.isRunning) before.current = new Map(columns.map(({ name }, at) => [name, ofColumns[at] ?? 0]));
  const widths = [NUMBERS, ...ofColumns];
  const template = widths.map((width) => `${width}px`).join(' ');
  const pinned = { scrollPaddingLeft: `${NUMBERS + (widths[1] ?? 0)}px` };
  const keys = keysOf(lines.map((line) => rows.numberAt(line)));
  const menu = useSignal<MenuPlace | undefined>(undefined);
  return (
    <div class="sheet" ref={box} style={pinned} onScroll={onScroll}>
      <table
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: A grid is a table for the keys.
        role="grid"
        aria-label={scene.name}
        aria-describedby="keys"
        aria-rowcount={rows.count + 1}
        aria-colcount={columns.length + 1}
        aria-activedescendant={rows.count === 0 ? undefined : idOf(at.value)}
        aria-multiselectable
        tabIndex={0}
        onMouseDown={(event) => event.shiftKey && event.preventDefault()}
        onClick={(event) => onClick(event, props)}
        onKeyDown={(event) => (isMenuKey(event) ? openMenu(event, props, menu) : onKey(event, props, page()))}
        onContextMenu={(event) => openMenu(event, props, menu)}
      >
        <thead>
          <FaultRow {...props} template={template} />
          <tr aria-rowindex={1} style={{ gridTemplateColumns: template }}>
            <th scope="col" class="n">
              Row
            </th>
            {columns.map((column) => (
              <th scope="col" key={column.name} class={lookOf(column)}>
                <ColumnHead scene={scene} column={column} rows={rows} onHide={() => onHide(column.name)} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody style={{ height: `${tall}px`, paddingTop: `${above}px` }}>
          {lines.map((line, nth) => (
            <Row key={keys[nth]} drawn={drawn} at={at} line={line} template={template} />
          ))}
        </tbody>
      </table>
      {menu.value && (
        <CellMenu
          drawn={drawn}
          at={at.value}
          place={menu}
          onCorrect={() => begin(drawn, at.value)}
          onCopy={props.onCopy}
        />
      )}
    </div>
  );
}

/** What is wrong in the columns stands above their names. */
function FaultRow({
  drawn: { scene, columns },
  faults,
  template,
}: SheetProps & { readonly template: string }) {
  const faulty = faultyColumns(scene, faults);
  if (!columns.some(({ name, kind }) => kind !== 'found' && faulty.has(name)) || !isBefore(scene))
    return null;
  return (
    <tr class="errs" style={{ gridTemplateColumns: template }}>
      <td class="n" />
      {columns.map((column) => (
        <td key={column.name}>
          {isHers(column) && <FaultLines scene={scene} faults={faults} column={column.name} />}
        </td>
      ))}
    </tr>
  );
}

interface RowProps extends Pick<SheetProps, 'drawn' | 'at'> {
  readonly line: number;
  readonly template: string;
}

function Row({ drawn, at: { value: at }, line, template }: RowProps) {
  const { scene, rows, columns } = drawn;
  const shown = rows.at(line);
  const number = rows.numberAt(line);
  const isChosen = scene.selected.value.has(number ?? 0);
  const isOpen = number !== undefined && scene.opened.value === number;
  const look = shown ? lookOfLine(drawn, shown) : '';
  return (
    <tr
      aria-rowindex={line + 2}
      aria-selected={isChosen}
      class={shown?.since === 'gone' ? 'was' : isOpen ? 'open' : undefined}
      data-look={look}
      style={{ gridTemplateColumns: template }}
      data-line={line}
    >
      <th scope="row" class="n" data-column={-1}>
        <b class="sign">{markOf(look)}</b> {number}
      </th>
      {cellsOf(drawn, shown).map(({ shows, title, look = '', span = 1 }, place) => {
        const column = columns[place];
        if (span === 0 || column === undefined) return null;
        const isAt = at.line === line && at.column >= place && at.column < place + span;
        return (
          <td
            key={column.name}
            id={isAt ? idOf(at) : undefined}
            aria-colindex={place + 2}
            colSpan={span}
            class={`${lookOf(column)} ${look} ${isAt ? 'at' : ''}`}
            style={span > 1 ? { gridColumn: `span ${span}` } : undefined}
            title={title}
            data-column={place}
          >
            {shows}
          </td>
        );
      })}
    </tr>
  );
}

/** By which its sign is drawn, beside its number. */
const lookOfLine = (drawn: Drawn, line: Line): string =>
  (line.since && SINCE[line.since]) ?? signOf(drawn, line)?.look ?? line.planned?.look ?? '';

const idOf = ({ line, column }: Place): string => `cell-${line}-${column}`;

const lookOf = (column: Column): string =>
  isBought(column) ? 'ours' : column.kind === 'happens' ? 'happens' : '';

/** Rows from the top by which a column is as wide as it has to be. */
const MEASURED = 30;

const ruler = document.createElement('canvas').getContext('2d');

/** Px of a text in a cell, in the font of the table. */
function widthOfText(text: string, font = '14px'): number {
  if (ruler === null || text === '') return 0;
  ruler.font = `${font} system-ui, "Segoe UI", Roboto, sans-serif`;
  return ruler.measureText(text).width;
}

/** Beside the words of a cell: its padding and its line. */
const BESIDE = 22;

/** Where nothing was found before a start, no answer makes a column wider while it runs. */
function widthOf(drawn: Drawn, column: Column): number {
  const { kind, name } = column;
  const lines = isHers(column) || !drawn.scene.isRunning ? MEASURED : 0;
  const cells = Array.from({ length: lines }, (_, line) => widthAt(drawn, line, column));
  const words = kindWords(column, drawn.scene);
  const head = widthOfText(name, '600 14px') + widthOfText(words, '12px') + 6;
  // What becomes of somebody is a sentence; a wider cell would not fit beside the columns that stay in sight.
  const most = kind === 'happens' ? 540 : column.source === undefined ? 280 : 400;
  return Math.ceil(BESIDE + Math.max(72, Math.min(400, head), Math.min(most, Math.max(0, ...cells))));
}

/** Of what a cell says, and who found it. A sign in its place goes over all bought columns. */
function widthAt(drawn: Drawn, line: number, column: Column): number {
  const shown = drawn.rows.at(line);
  if (shown === undefined) return 0;
  const text = textOf(drawn, shown, column);
  const fault = faultIn(drawn, shown, column);
  if (fault !== undefined) return widthOfText(text, '500 14px') + widthOfText(fault, '12px') + 24;
  const { says } = (isBought(column) && text === '' && signOf(drawn, shown)) || {};
  if (says !== undefined) return widthOfText(says) / drawn.columns.filter(isBought).length;
  const source = shown.cells[column.source ?? -1] ?? '';
  return widthOfText(text, '500 14px') + (source === '' ? 0 : widthOfText(source, '12px') + 10);
}

/** The cell of an event; its column is -1 for the number of the row. */
function cellAt({ target }: Event): Place | undefined {
  const cell = (target as Element).closest<HTMLElement>('[data-column]');
  const row = cell?.closest<HTMLElement>('[data-line]');
  if (!cell || !row) return undefined;
  return { line: Number(row.dataset.line), column: Number(cell.dataset.column) };
}

function onClick(event: MouseEvent, { drawn, at }: SheetProps): void {
  const cell = cellAt(event);
  if (cell === undefined) return;
  if (cell.column < 0) select(drawn, cell.line, event.shiftKey ? at.value.line : undefined);
  at.value = { ...cell, column: Math.max(0, cell.column) };
  if (event.detail === 2) begin(drawn, cell);
}

/** @param typed what is typed in the place of what the cell says; left out: nothing yet. */
function begin({ rows, columns, mending }: Drawn, { line, column }: Place, typed?: string): void {
  const row = rows.at(line)?.row;
  const mended = columns[column];
  if (row && mended && isHers(mended)) mending.begin({ row, column: mended.name }, typed);
}

/** @param from where a range begins; left out: the row alone is turned. */
function select({ scene, rows }: Drawn, line: number, from: number | undefined): void {
  const chosen = new Set(scene.selected.value);
  const first = Math.min(line, from ?? line);
  for (let each = first; each <= Math.max(line, from ?? line); each += 1) {
    const row = rows.numberAt(each) ?? 0;
    if (from === undefined && chosen.has(row)) chosen.delete(row);
    else if (row > 0) chosen.add(row);
  }
  scene.selected.value = chosen;
}

/** By the mouse at the cell that it is on, by the keys at the one that they are at. */
function openMenu(event: MouseEvent | KeyboardEvent, { at }: SheetProps, menu: Menu): void {
  const target = event.target as Element;
  if (target.closest('thead, input')) return;
  event.preventDefault();
  const cell = 'clientX' in event ? cellAt(event) : undefined;
  if (cell !== undefined) at.value = { ...cell, column: Math.max(0, cell.column) };
  const { left = 0, bottom = 0 } = target.querySelector('.at')?.getBoundingClientRect() ?? {};
  menu.value = 'clientX' in event ? { x: event.clientX, y: event.clientY } : { x: left, y: bottom };
}

type Menu = Signal<MenuPlace | undefined>;

const isMenuKey = ({ key, shiftKey }: KeyboardEvent): boolean =>
  key === 'ContextMenu' || (key === 'F10' && shiftKey);

function onKey(event: KeyboardEvent, props: SheetProps, page: number): void {
  // An input in a cell, and the buttons of the head, have keys of their own.
  if (event.target !== event.currentTarget) return;
  const { drawn, at } = props;
  const step = stepOf(event, page);
  const act = actOf(event, props);
  if (step !== undefined) {
    const within = (place: number, end: number): number => Math.max(0, Math.min(place, end - 1));
    const line = within(at.value.line + step.line, drawn.rows.count);
    if (event.shiftKey && line !== at.value.line) select(drawn, line, at.value.line);
    at.value = { line, column: within(at.value.column + step.column, drawn.columns.length) };
  } else if (act !== undefined) act();
  else return;
  event.preventDefault();
}

/** What a key does that does not move. A letter is typed in the place of what the cell says. */
function actOf(
  { key, ctrlKey, metaKey, altKey }: KeyboardEvent,
  { drawn, at: { value: at }, onCopy }: SheetProps,
): (() => unknown) | undefined {
  const { scene, rows } = drawn;
  const acts: Readonly<Record<string, () => unknown>> = {
    Enter: () => (scene.opened.value = rows.at(at.line)?.row || undefined),
    F2: () => begin(drawn, at),
    ' ': () => select(drawn, at.line, undefined),
    Delete: () => begin(drawn, at, ''),
    Backspace: () => begin(drawn, at, ''),
  };
  const commands: Readonly<Record<string, () => unknown>> = {
    a: async () => (scene.selected.value = new Set(await rows.numbers())),
    c: onCopy,
  };
  if (ctrlKey || metaKey) return commands[key];
  return acts[key] ?? (key.length === 1 && !altKey ? () => begin(drawn, at, key) : undefined);
}

export interface HeadProps extends OfScene {
  readonly column: Column;
  readonly rows: Drawn['rows'];
  readonly onHide: () => void;
}

/** The head of a column: her name for it, what it is, and what can be changed about that. */
function ColumnHead(props: HeadProps) {
  const { scene, column } = props;
  const kind = kindWords(column, scene);
  const says = (
    <>
      <b>{column.name}</b>
      {kind && <small>{kind}</small>}
    </>
  );
  return (
    <Popover name={`The column ${column.name}`} says={says} class="head">
      {(close) => <ColumnMenu {...props} close={close} />}
    </Popover>
  );
}

/** How far a key leads; undefined of one that does not move. @param page how many lines are seen. */
function stepOf({ key, ctrlKey, metaKey }: KeyboardEvent, page: number): Place | undefined {
  const isFar = ctrlKey || metaKey;
  const far = isFar ? Infinity : 1;
  const steps: Readonly<Record<string, Place>> = {
    ArrowUp: { line: -far, column: 0 },
    ArrowDown: { line: far, column: 0 },
    ArrowLeft: { line: 0, column: -far },
    ArrowRight: { line: 0, column: far },
    PageUp: { line: -page, column: 0 },
    PageDown: { line: page, column: 0 },
    Home: { line: isFar ? -Infinity : 0, column: -Infinity },
    End: { line: isFar ? Infinity : 0, column: Infinity },
  };
  return steps[key];
}
