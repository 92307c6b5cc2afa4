import { useSignal } from '@preact/signals';
import type { ComponentChildren, RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { lazyPart, RefusedNotice } from '../../../parts/asking.tsx';
import { Popover } from '../../../parts/controls.tsx';
import { counted } from '../../../parts/figures.ts';
import type { Lines } from '../../../parts/lines.ts';
import { isNarrow } from '../../../parts/narrow.ts';
import { type Column, columnsOf, columnsUsed, isHers } from '../columns.ts';
import { canAskAgain } from '../course/again-asked.ts';
import { namesBeyond } from '../fields.ts';
import { type Faults, faultyColumns, isBefore, useFaults, useWalk } from '../mends/faults.tsx';
import { useMending } from '../mends/mends.tsx';
import { useRows } from '../rows.ts';
import { EVERYTHING, type Filter, hasConditions, isTiled, type OfScene, type Scene } from '../scene.ts';
import type { Drawn, Place } from './cells.tsx';
import { useUndoKey } from './undo-key.ts';

const FaultLines = lazyPart(async () => (await import('../mends/fault-lines.tsx')).FaultLines, '');
const ColumnChoice = lazyPart(async () => (await import('./column-choice.tsx')).ColumnChoice);
const Sheet = lazyPart(async () => (await import('./sheet.tsx')).Sheet, '');
const Cards = lazyPart(async () => (await import('./cards.tsx')).Cards);
const AnotherFilter = lazyPart(async () => (await import('./another-filter.tsx')).AnotherFilter);
const Chips = lazyPart(async () => (await import('./chips.tsx')).Chips, '');

/** Her table: her own columns, and what was bought behind the one by which it was asked. */
export function ListTable({ scene, tiles }: OfScene & { readonly tiles: ComponentChildren }) {
  const mending = useMending(scene);
  const by = columnsUsed(scene);
  const newRows = useRows(scene, by, mending);
  const shown = useRef(newRows);
  const order = JSON.stringify(scene.filter.value);
  const ordered = useRef(order);
  // A start keeps the place. Another order begins at the top.
  const { seen } = shown.current;
  const wanted = ordered.current === order ? seen : { from: 0, to: seen.to - seen.from };
  // The old rows stay until the new ones of that place have come, so that nothing jumps, and she types on.
  const isTyped = mending.isOpen && ordered.current === order;
  if (!newRows.has(wanted) && !newRows.refused) newRows.see(wanted.from, wanted.to);
  else if (!isTyped) {
    shown.current = newRows;
    ordered.current = order;
  }
  const rows = shown.current;
  const at = useSignal<Place>({ line: 0, column: 0 });
  const walk = useWalk(scene);
  const faults: Faults = { inputs: by, columns: useFaults(scene, by), show: walk.show };
  const all = columnsOf(scene, rows.columns ?? []);
  const { hidden, hide } = useHidden(scene, all);
  const columns = all.filter(({ name }, nth) => nth === 0 || !hidden.includes(name));
  const shows: Drawn = { scene, rows, columns, mending };
  const drawn: Drawn = { ...shows, onNext: walk.onNext(shows) };
  walk.useNext(drawn, rows === newRows && !newRows.isAtWork, at);
  const copy = async (): Promise<void> => (await import('./copy.ts')).copyRows(drawn, at.value);
  useUndoKey(scene);
  useInView(scene, newRows, columns);
  return (
    <section class="paper" aria-label="The list">
      <div class="bar tiles">
        <fieldset aria-label="Show">{tiles}</fieldset>
        <Tools scene={scene} rows={newRows} columns={all} hidden={hidden} hide={hide} />
      </div>
      {isChosen(scene) && <Chips scene={scene} columns={all} canAsk={canAskAgain(scene)} onCopy={copy} />}
      {/* That the list cannot be read is said above. */}
      <RefusedNotice refused={mending.refused ?? (scene.described.refused ? undefined : newRows.refused)} />
      {isNarrow.value ? (
        <>
          <FaultNotes scene={scene} faults={faults} columns={columns} />
          <Cards drawn={drawn} />
        </>
      ) : (
        <Sheet drawn={drawn} onHide={hide} at={at} onCopy={copy} faults={faults} order={ordered.current} />
      )}
      <p id="keys" hidden>
        {KEYS}
      </p>
    </section>
  );
}

/** Whether something is filtered beside the tiles, sorted or selected. */
const isChosen = ({ filter: { value: filter }, selected }: Scene): boolean =>
  [filter.sort, filter.wrong, filter.only].some((each) => each !== undefined) ||
  isNarrowed(filter) ||
  selected.value.size > 0;

const isNarrowed = (filter: Filter): boolean =>
  hasConditions(filter) || Object.keys(filter.where).some((name) => !isTiled(name));

const isSought = (filter: Filter): boolean => filter.search !== '' || isNarrowed(filter);

interface NotesProps extends OfScene {
  readonly faults: Faults;
  readonly columns: readonly Column[];
}

/** On a telephone, what is wrong in the columns stands above the cards. */
function FaultNotes({ scene, faults, columns }: NotesProps) {
  const faulty = faultyColumns(scene, faults);
  const shown = isBefore(scene) ? columns.filter((column) => isHers(column) && faulty.has(column.name)) : [];
  return shown.map(({ name }) => (
    <p key={name} class="bar chips errs">
      <b>{name}</b> <FaultLines scene={scene} faults={faults} column={name} />
    </p>
  ));
}

/** What a download of the rows in view has. */
function useInView({ inView }: Scene, rows: Lines, shown: readonly Column[]): void {
  const columns = shown.flatMap(({ name, before, at, isBelow }) =>
    at === undefined || isBelow ? [] : [before === undefined ? { name } : { name: before, as: name }],
  );
  const count = rows.isOpen ? 'rows' : counted(rows.found, 'row');
  const now = JSON.stringify({ columns, rows: count });
  useEffect(() => {
    inView.value = JSON.parse(now);
  }, [now]);
}

/** The columns that she does not want to see, kept for this list. */
function useHidden(scene: Scene, columns: readonly Column[]) {
  const key = `hidden-columns ${scene.list?.id ?? scene.batch?.batch}`;
  const hiddenNames = useSignal<readonly string[] | null>(JSON.parse(localStorage.getItem(key) ?? 'null'));
  const hidden = hiddenNames.value ?? namesBeyond(scene, columns);
  const hide = (name: string, isHidden = true): void => {
    hiddenNames.value = isHidden ? [...hidden, name] : hidden.filter((each) => each !== name);
    localStorage.setItem(key, JSON.stringify(hiddenNames.value));
  };
  return { hidden, hide };
}

interface ToolsProps extends OfScene, ReturnType<typeof useHidden> {
  readonly rows: Lines;
  readonly columns: readonly Column[];
}

const SEARCH_AFTER_MS = 300;

function Tools(props: ToolsProps) {
  const { scene, rows } = props;
  const { filter } = scene;
  const later = useRef<ReturnType<typeof setTimeout>>(undefined);
  return (
    <span class="end">
      <span class="tools">
        <span class="soft" role="status">
          {scene.note.value || foundWords(rows, filter.value)}
        </span>
        <span class="seek">
          <Icon d="M11 11l4 4M7 2.5a4.5 4.5 0 1 1 0 9 4.5 4.5 0 0 1 0-9z" />
          <input
            type="search"
            ref={useFindKey()}
            placeholder="Search"
            aria-label="Search this list"
            defaultValue={filter.value.search}
            onInput={({ currentTarget: { value } }) => {
              clearTimeout(later.current);
              later.current = setTimeout(() => {
                filter.value = { ...filter.value, search: value.trim() };
              }, SEARCH_AFTER_MS);
            }}
          />
        </span>
        {isNarrow.value && (
          <Popover name="Another filter" says="Filter" look="quiet">
            {() => <AnotherFilter scene={scene} columns={props.columns} />}
          </Popover>
        )}
        <ColumnsShown {...props} />
      </span>
    </span>
  );
}

/** In the place of a word, where the tiles leave no room for it. */
const Icon = ({ d }: { readonly d: string }) => (
  <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
    <path d={d} />
  </svg>
);

/** `12 rows`, or how many have come so far. The parts of the list say themselves how many they have. */
function foundWords(rows: Lines, filter: Filter): string {
  if (rows.columns === undefined) return rows.isAtWork && filter !== EVERYTHING ? 'searching…' : '';
  if (rows.count === 0) return filter === EVERYTHING ? '' : 'No row matches.';
  return isSought(filter) ? `${rows.isOpen ? 'more than ' : ''}${counted(rows.found, 'row')}` : '';
}

/** The keys by which a browser finds words: it would find only those that are drawn. Once more, it does. */
function useFindKey(): RefObject<HTMLInputElement | null> {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const isFind = (event.ctrlKey || event.metaKey) && event.key === 'f';
      if (!isFind || document.activeElement === field.current) return;
      event.preventDefault();
      field.current?.select();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  return field;
}

function ColumnsShown(props: ToolsProps) {
  const count = props.columns.filter(({ name }) => props.hidden.includes(name)).length;
  return (
    <Popover
      name="Columns"
      look="quiet"
      says={
        <>
          <Icon d="M2 3h12v10H2zM6 3v10M10 3v10" />
          <span class="word">{count === 0 ? 'Columns' : `Columns (${count} hidden)`}</span>
        </>
      }
    >
      {() => <ColumnChoice {...props} keys={KEYS} />}
    </Popover>
  );
}

/** What the keys and the mouse do in the table. */
const KEYS = 'A click on its number or the space bar selects a row, with shift several; Enter opens it.';
