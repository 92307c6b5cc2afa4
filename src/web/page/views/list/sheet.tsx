import type { Signal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { Form } from '../../parts/asking.tsx';
import { Button, Field, Popover } from '../../parts/controls.tsx';
import { cellsOf, type Drawn, signOf, textOf } from './cells.tsx';
import { type Column, isBought, isHers, kindWords } from './columns.ts';
import { Meaning } from './fields.tsx';
import { type Filter, type OfScene, teamPlan } from './scene.ts';
import { markOf } from './team.ts';
import { useWindow } from './window.ts';

const NUMBERS = 68;

interface SheetProps {
  readonly drawn: Drawn;
  readonly onHide: (name: string) => void;
  readonly at: Signal<Place>;
  readonly onCopy: () => Promise<void>;
}

/** Her rows as a sheet, for the mouse and for the keys. The first column stays at the left. */
export function Sheet(props: SheetProps) {
  const { drawn, onHide, at } = props;
  const { scene, rows, columns } = drawn;
  const box = useRef<HTMLDivElement>(null);
  const { from, to, lines, tall, above, page, onScroll, showLine } = useWindow(box, rows.count);
  useEffect(() => rows.see(from, to), [rows, from, to]);
  useLayoutEffect(() => box.current?.scrollTo({ top: 0 }), [rows]);
  useEffect(() => {
    const line = rows.lineOf(scene.opened.value);
    if (line >= 0) at.value = { ...at.value, line };
  }, [scene.opened.value]);
  useEffect(() => showLine(at.value.line), [at.value.line]);
  useLayoutEffect(() => {
    box.current?.querySelector(':focus .at')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [at.value.line, at.value.column]);
  const widths = [NUMBERS, ...columns.map((column) => widthOf(drawn, column))];
  const template = widths.map((width) => `${width}px`).join(' ');
  const pinned = { scrollPaddingLeft: `${NUMBERS + (widths[1] ?? 0)}px` };
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
        onKeyDown={(event) => onKey(event, props, page())}
      >
        <thead>
          <tr aria-rowindex={1} style={{ gridTemplateColumns: template }}>
            <th scope="col" class="n">
              Row
            </th>
            {columns.map((column) => (
              <th scope="col" key={column.name} class={lookOf(column)}>
                <ColumnHead
                  scene={scene}
                  column={column}
                  value={textAt(drawn, at.value.line, column)}
                  onHide={() => onHide(column.name)}
                />
              </th>
            ))}
          </tr>
        </thead>
        <tbody style={{ height: `${tall}px`, paddingTop: `${above}px` }}>
          {lines.map((line) => (
            <Row key={line} drawn={drawn} at={at} line={line} template={template} />
          ))}
        </tbody>
      </table>
    </div>
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
  const look = shown ? (signOf(drawn, shown)?.look ?? shown.planned?.look ?? '') : '';
  return (
    <tr
      aria-rowindex={line + 2}
      aria-selected={isChosen}
      class={`${look} ${isOpen ? 'open' : ''}`}
      style={{ gridTemplateColumns: template }}
      data-line={line}
    >
      <th scope="row" class="n" data-column={-1}>
        <b>{markOf(look)}</b> {number}
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

const idOf = ({ line, column }: Place): string => `cell-${line}-${column}`;

const lookOf = (column: Column): string => (isBought(column) ? 'ours' : column.kind);

/** Rows from the top by which a column is as wide as it has to be. */
const MEASURED = 30;

/** What is found while it runs does not move the columns. */
function widthOf(drawn: Drawn, column: Column): number {
  const { kind, name } = column;
  const lines = isHers(column) || !drawn.scene.isRunning ? MEASURED : 0;
  const lengths = Array.from({ length: lines }, (_, line) => lengthAt(drawn, line, column));
  const longest = Math.max(name.length + 2, kindWords(column, drawn.scene.isRunning).length, ...lengths);
  // What becomes of somebody is a sentence in two small lines.
  if (kind === 'happens') return Math.min(480, Math.max(280, longest * 3.3 + 45));
  const most = column.source === undefined ? 320 : 440;
  return Math.min(most, Math.max(130, longest * 8.5 + 24));
}

/** Of what a cell says, and who found it. A sign in its place takes two small lines of all bought columns. */
function lengthAt(drawn: Drawn, line: number, column: Column): number {
  const shown = drawn.rows.at(line);
  if (shown === undefined) return 0;
  const text = textOf(drawn, shown, column);
  const { says } = (isBought(column) && text === '' && signOf(drawn, shown)) || {};
  if (says !== undefined) return (says.length * 0.4) / drawn.columns.filter(isBought).length;
  return text.length + (shown.cells[column.source ?? -1] ?? '').length;
}

export function textAt(drawn: Drawn, line: number, column: Column): string {
  const shown = drawn.rows.at(line);
  return shown ? textOf(drawn, shown, column) : '';
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

interface HeadProps extends OfScene {
  readonly column: Column;
  /** What it says in the row that the keys are at. */
  readonly value: string;
  readonly onHide: () => void;
}

/** The head of a column: her name for it, what it is, and what can be changed about that. */
function ColumnHead(props: HeadProps) {
  const { scene, column } = props;
  const says = (
    <>
      <b>{column.name}</b>
      <small class={column.kind === 'asked' ? 'good' : ''}>
        {kindWords(column, scene.isRunning)} <span aria-hidden="true">⌄</span>
      </small>
    </>
  );
  return (
    <Popover name={`The column ${column.name}`} says={says} look="head">
      {(close) => <Menu {...props} close={close} />}
    </Popover>
  );
}

function Menu({ scene, column, value, onHide, close }: HeadProps & { readonly close: () => void }) {
  const { filter } = scene;
  const { at, isBelow = false, before: name = column.name } = column;
  const isMeant = scene.isPlanning.value && scene.list !== undefined && isHers(column);
  const show = (shown: Partial<Filter>): void => {
    filter.value = { ...filter.value, ...shown };
    close();
  };
  return (
    <>
      {isMeant && <Meaning scene={scene} column={column} close={close} />}
      {teamPlan(scene) === undefined && at !== undefined && !isBelow && (
        <>
          <p class="row">
            <Button says="Sort A to Z" onClick={() => show({ sort: name })} />
            <Button says="Sort Z to A" onClick={() => show({ sort: `-${name}` })} />
          </p>
          <Form
            says="Show only these"
            sends={async ({ only = '' }) => show({ where: { ...filter.value.where, [name]: String(only) } })}
          >
            <Field says="Only rows with" name="only" defaultValue={value} />
          </Form>
        </>
      )}
      <Button says="Hide this column" onClick={onHide} />
    </>
  );
}

export interface Place {
  readonly line: number;
  readonly column: number;
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
