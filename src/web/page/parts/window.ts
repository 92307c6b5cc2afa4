import { useSignal } from '@preact/signals';
import type { ComponentChildren, RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';

/**
 * A table of any length: only the rows that are seen are drawn. A browser draws no box of more than some
 * million pixels, so a longer table is scrolled at a scale, and still row by row by the wheel and by the keys.
 */

const LINE = 33;
const HEAD = 52;
const TALLEST = 8_000_000;
const BEYOND = 6;
const NUMBERS = 68;

export interface GridColumn {
  readonly key: string;
  readonly width: number;
  readonly look: string;
  readonly head: ComponentChildren;
}

export interface GridCell {
  readonly shows: ComponentChildren;
  readonly title?: string | undefined;
  readonly look?: string | undefined;
  /** How many columns it takes; 0 for a cell that lies below the one before. */
  readonly span?: number;
}

export interface Place {
  readonly line: number;
  readonly column: number;
}

export interface GridProps {
  readonly name: string;
  /** The first one stays at the left. */
  readonly columns: readonly GridColumn[];
  readonly count: number;
  readonly at: Place;
  readonly onMove: (to: Place) => void;
  readonly labelAt: (line: number) => ComponentChildren;
  readonly cellsAt: (line: number) => readonly GridCell[];
  readonly lookAt: (line: number) => string;
  readonly isSelected: (line: number) => boolean;
  /** @param isRange with all between it and the one before. */
  readonly onSelect: (line: number, isRange: boolean) => void;
  readonly onSee: (from: number, to: number) => void;
  readonly onOpen: (line: number) => void;
  readonly onMend: (at: Place) => void;
  readonly onCopy: () => void;
}

export function Grid(props: GridProps) {
  const { name, columns, count, at, onSee } = props;
  const box = useRef<HTMLDivElement>(null);
  const { from, to, yOf, tall, onScroll, showLine, view } = useWindow(box, count);
  useEffect(() => onSee(from, to), [from, to, count]);
  useEffect(() => showLine(at.line), [at.line]);
  useLayoutEffect(() => {
    const cell = box.current?.querySelector(':focus .at');
    if (cell) cell.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [at.column]);
  const template = `${NUMBERS}px ${columns.map(({ width }) => `${width}px`).join(' ')}`;
  const pinned = { scrollPaddingLeft: `${NUMBERS + (columns[0]?.width ?? 0)}px` };
  const lines = Array.from({ length: Math.max(0, to - from) }, (_, nth) => from + nth);
  return (
    <div class="sheet" ref={box} style={pinned} onScroll={onScroll}>
      <table
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: A grid is a table for the keys.
        role="grid"
        aria-label={name}
        aria-rowcount={count + 1}
        aria-colcount={columns.length + 1}
        aria-activedescendant={count === 0 ? undefined : idOf(at)}
        aria-multiselectable
        tabIndex={0}
        onClick={(event) => onClick(event, props)}
        onDblClick={(event) => {
          const cell = cellAt(event);
          if (cell !== undefined && cell.column >= 0) props.onMend(cell);
        }}
        onKeyDown={(event) => onKey(event, props, Math.max(1, Math.floor(view / LINE) - 2))}
      >
        <thead>
          <tr aria-rowindex={1} style={{ gridTemplateColumns: template }}>
            <th scope="col" class="n">
              <span class="unseen">Row</span>
            </th>
            {columns.map(({ key, look, head }) => (
              <th scope="col" key={key} class={look}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody style={{ height: `${tall}px` }}>
          {lines.map((line) => (
            <GridLine key={line} line={line} y={yOf(line)} template={template} of={props} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface GridLineProps {
  readonly line: number;
  readonly y: number;
  readonly template: string;
  readonly of: GridProps;
}

function GridLine({ line, y, template, of }: GridLineProps) {
  const { columns, labelAt, cellsAt, lookAt, isSelected, at } = of;
  const isChosen = isSelected(line);
  return (
    <tr
      aria-rowindex={line + 2}
      aria-selected={isChosen}
      class={`${lookAt(line)} ${isChosen ? 'sel' : ''}`}
      style={{ top: `${y}px`, gridTemplateColumns: template }}
      data-line={line}
    >
      <th scope="row" class="n" data-column={-1}>
        {labelAt(line)}
      </th>
      {cellsAt(line).map(({ shows, title, look = '', span = 1 }, column) => {
        if (span === 0) return null;
        const isAt = at.line === line && at.column >= column && at.column < column + span;
        return (
          <td
            key={columns[column]?.key}
            id={isAt ? idOf(at) : undefined}
            aria-colindex={column + 2}
            colSpan={span}
            class={`${columns[column]?.look ?? ''} ${look} ${isAt ? 'at' : ''}`}
            style={span > 1 ? { gridColumn: `span ${span}` } : undefined}
            title={title}
            data-column={column}
          >
            {shows}
          </td>
        );
      })}
    </tr>
  );
}

/** The cell of an event; its column is -1 for the number of the row. */
function cellAt({ target }: Event): Place | undefined {
  const cell = (target as Element).closest<HTMLElement>('[data-column]');
  const row = cell?.closest<HTMLElement>('[data-line]');
  if (!cell || !row) return undefined;
  return { line: Number(row.dataset.line), column: Number(cell.dataset.column) };
}

function onClick(event: MouseEvent, { onSelect, onMove }: GridProps): void {
  const cell = cellAt(event);
  if (cell === undefined) return;
  if (cell.column < 0) onSelect(cell.line, event.shiftKey);
  else onMove(cell);
}

const idOf = ({ line, column }: Place): string => `cell-${line}-${column}`;

/** Which lines are seen, and where they are drawn. */
function useWindow(box: RefObject<HTMLDivElement | null>, count: number) {
  const whole = count * LINE;
  const tall = Math.min(whole, TALLEST);
  const view = useSignal(600);
  /** What is seen at the top: in the scale of the box, and of all lines. */
  const place = useSignal({ scroll: 0, top: 0 });
  useLayoutEffect(() => {
    const shown = box.current;
    if (shown === null) return;
    const measure = (): void => {
      view.value = shown.clientHeight;
    };
    const watch = new ResizeObserver(measure);
    watch.observe(shown);
    measure();
    return () => watch.disconnect();
  }, []);
  const end = Math.max(0, whole - view.value + HEAD);
  const within = (top: number): number => Math.min(Math.max(0, top), end);
  const top = within(place.value.top);
  const { scroll } = place.value;
  const onScroll = (): void => {
    const shown = box.current;
    if (shown === null || shown.scrollTop === place.value.scroll) return;
    const { scrollTop, scrollHeight, clientHeight } = shown;
    const scrollEnd = scrollHeight - clientHeight;
    const by = scrollTop - place.value.scroll;
    const isStep = Math.abs(by) < clientHeight * 2 && scrollTop > 0 && scrollTop < scrollEnd - 1;
    const isWhole = whole === tall;
    const jumped = scrollEnd <= 0 ? 0 : (scrollTop / scrollEnd) * end;
    place.value = { scroll: scrollTop, top: isWhole ? scrollTop : isStep ? within(top + by) : jumped };
  };
  const showLine = (line: number): void => {
    const shown = box.current;
    if (shown === null) return;
    const seen = shown.clientHeight - HEAD;
    if (shown.clientHeight < HEAD + LINE) return;
    const wanted = line * LINE < top ? line * LINE : Math.max(top, (line + 1) * LINE - seen);
    if (wanted === top) return;
    const by = wanted - top;
    const scrollEnd = shown.scrollHeight - shown.clientHeight;
    const isFar = whole !== tall && Math.abs(by) > shown.clientHeight * 2;
    shown.scrollTop = isFar ? (wanted / end) * scrollEnd : scroll + by;
    place.value = { scroll: shown.scrollTop, top: wanted };
  };
  const from = Math.max(0, Math.floor(top / LINE) - BEYOND);
  const to = Math.min(count, Math.ceil((top + view.value) / LINE) + BEYOND);
  return {
    from,
    to,
    tall,
    onScroll,
    showLine,
    view: view.value,
    yOf: (line: number) => line * LINE - top + scroll,
  };
}

function onKey(event: KeyboardEvent, props: GridProps, page: number): void {
  // An input in a cell, and the buttons of the head, have keys of their own.
  if (event.target !== event.currentTarget) return;
  const { at, onMove, onOpen, onMend, onSelect, onCopy } = props;
  const { key, shiftKey } = event;
  const isCommand = event.ctrlKey || event.metaKey;
  const to = moved(key, isCommand, props, page);
  if (to !== undefined) {
    if (shiftKey && to.line !== at.line) onSelect(to.line, true);
    onMove(to);
  } else if (key === 'Enter') onOpen(at.line);
  else if (key === 'F2') onMend(at);
  else if (key === ' ') onSelect(at.line, shiftKey);
  else if (isCommand && key === 'c') onCopy();
  else return;
  event.preventDefault();
}

function moved(
  key: string,
  isCommand: boolean,
  { at: { line, column }, count, columns }: GridProps,
  page: number,
): Place | undefined {
  const last = { line: Math.max(0, count - 1), column: columns.length - 1 };
  const inside = (to: Place): Place => ({
    line: Math.min(Math.max(0, to.line), last.line),
    column: Math.min(Math.max(0, to.column), last.column),
  });
  switch (key) {
    case 'ArrowUp':
      return inside({ line: isCommand ? 0 : line - 1, column });
    case 'ArrowDown':
      return inside({ line: isCommand ? last.line : line + 1, column });
    case 'ArrowLeft':
      return inside({ line, column: isCommand ? 0 : column - 1 });
    case 'ArrowRight':
      return inside({ line, column: isCommand ? last.column : column + 1 });
    case 'PageUp':
      return inside({ line: line - page, column });
    case 'PageDown':
      return inside({ line: line + page, column });
    case 'Home':
      return inside({ line: isCommand ? 0 : line, column: 0 });
    case 'End':
      return inside({ line: isCommand ? last.line : line, column: last.column });
    default:
      return undefined;
  }
}
