import { signal, useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { RefusedNotice } from '../../parts/asking.tsx';
import { Button, Checkbox, Popover } from '../../parts/controls.tsx';
import { counted, grouped } from '../../parts/figures.ts';
import type { Lines } from '../../parts/lines.ts';
import { Cards, type Drawn, textOf } from './cells.tsx';
import { type Column, columnsOf } from './columns.ts';
import { namesBeyond } from './fields.tsx';
import { Mended, useMending } from './mends.tsx';
import { Above } from './reading.tsx';
import { batchShown, useRows } from './rows.ts';
import { EVERYTHING, type Filter, type OfScene, rowsMended, type Scene } from './scene.ts';
import { type Place, Sheet, textAt } from './sheet.tsx';

const NARROW = matchMedia('(max-width: 720px)');
export const isNarrow = signal(NARROW.matches);
NARROW.addEventListener('change', () => (isNarrow.value = NARROW.matches));

/** Her table: her own columns, and what was bought behind the one by which it was asked. */
export function ListTable({ scene }: OfScene) {
  const asked = useRows(scene);
  const shown = useRef(asked);
  // The old rows stay until the first new ones have come, so that no column moves.
  if (asked.columns || asked.refused) shown.current = asked;
  const rows = shown.current;
  const at = useSignal<Place>({ line: 0, column: 0 });
  const mending = useMending(scene);
  const all = columnsOf(scene, rows.columns ?? []);
  const { hidden, hide } = useHidden(scene, all);
  const columns = all.filter(({ name }, nth) => nth === 0 || !hidden.includes(name));
  const drawn: Drawn = { scene, rows, columns, mending };
  const copy = (): Promise<void> => copyRows(drawn, at.value);
  return (
    <section aria-label="The list">
      <Tools scene={scene} rows={asked} columns={all} hidden={hidden} hide={hide} onCopy={copy} />
      <RefusedNotice refused={mending.refused ?? asked.refused ?? scene.described.refused} />
      {batchShown(scene) === undefined && <Above scene={scene} />}
      {isNarrow.value ? <Cards drawn={drawn} /> : <Sheet drawn={drawn} onHide={hide} at={at} onCopy={copy} />}
      {rowsMended(scene) > 0 && !scene.isPlanning.value && <Mended scene={scene} />}
      {!isNarrow.value && (
        <p id="keys" class="soft">
          A click on its number or the space bar selects a row, with shift several; Enter opens it.
        </p>
      )}
    </section>
  );
}

/** The selected rows with the names of their columns, else the one cell, as a sheet takes them. */
async function copyRows(drawn: Drawn, { line, column }: Place): Promise<void> {
  const { scene, rows, columns } = drawn;
  const chosen = [...scene.selected.value].sort((one, other) => one - other);
  const at = columns[column];
  if (chosen.length === 0) return navigator.clipboard.writeText(at ? textAt(drawn, line, at) : '');
  const lines = await rows.linesOf(chosen);
  const texts = lines.map((each) => columns.map((shown) => textOf(drawn, each, shown)));
  const table = [columns.map(({ name }) => name), ...texts];
  const inSheet = (text: string): string => (/[\t\n"]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  await navigator.clipboard.writeText(table.map((cells) => cells.map(inSheet).join('\t')).join('\n'));
}

/** The columns that she does not want to see, kept for this list. */
function useHidden(scene: Scene, columns: readonly Column[]) {
  const key = `hidden-columns ${scene.list?.id ?? scene.batch?.batch}`;
  const kept = useSignal<readonly string[] | null>(JSON.parse(localStorage.getItem(key) ?? 'null'));
  const hidden = kept.value ?? namesBeyond(scene, columns);
  const hide = (name: string, isHidden = true): void => {
    kept.value = isHidden ? [...hidden, name] : hidden.filter((each) => each !== name);
    localStorage.setItem(key, JSON.stringify(kept.value));
  };
  return { hidden, hide };
}

interface ToolsProps extends OfScene, ReturnType<typeof useHidden> {
  readonly rows: Lines;
  readonly columns: readonly Column[];
  readonly onCopy: () => Promise<void>;
}

const SEARCH_AFTER_MS = 300;

/** By these, the parts above the table filter it. */
const PARTS = ['_status', '_action'];

function Tools(props: ToolsProps) {
  const { scene, rows } = props;
  const { filter } = scene;
  const later = useRef<ReturnType<typeof setTimeout>>(undefined);
  return (
    <div class="tools">
      <input
        type="search"
        ref={useFindKey()}
        placeholder="Search this list"
        aria-label="Search this list"
        defaultValue={filter.value.search}
        onInput={({ currentTarget: { value } }) => {
          clearTimeout(later.current);
          later.current = setTimeout(() => {
            filter.value = { ...filter.value, search: value.trim() };
          }, SEARCH_AFTER_MS);
        }}
      />
      <ColumnsShown {...props} />
      <span class="soft" role="status">
        {foundWords(rows, filter.value)}
      </span>
      <Chosen {...props} />
      <Pills scene={scene} />
    </div>
  );
}

/** `12 rows`, or how many have come so far. The parts of the list say themselves how many they have. */
function foundWords(rows: Lines, filter: Filter): string {
  if (rows.columns === undefined) return rows.isAtWork && filter !== EVERYTHING ? 'searching…' : '';
  if (rows.count === 0) return 'No row is like that.';
  const isSought = filter.search !== '' || Object.keys(filter.where).some((name) => !PARTS.includes(name));
  return isSought ? `${rows.isOpen ? 'more than ' : ''}${counted(rows.found, 'row')}` : '';
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

function ColumnsShown({ columns, hidden, hide }: ToolsProps) {
  const count = columns.filter(({ name }) => hidden.includes(name)).length;
  return (
    <Popover name="Columns" says={count === 0 ? 'Columns ▾' : `Columns (${count} hidden) ▾`}>
      {() =>
        // The first one says which row it is.
        columns.slice(1).map(({ name }) => (
          <div key={name}>
            <Checkbox says={name} checked={!hidden.includes(name)} onCheck={(isOn) => hide(name, !isOn)} />
          </div>
        ))
      }
    </Popover>
  );
}

function Chosen({ scene, onCopy }: ToolsProps) {
  const { selected, isRunning } = scene;
  const { size } = selected.value;
  if (size === 0) return null;
  return (
    <span class="row">
      <b>{grouped(size)} selected</b>
      {scene.list !== undefined && !isRunning && !scene.isPlanning.value && (
        <Button says="Ask only these" onClick={() => (scene.isPlanning.value = true)} />
      )}
      <Button says="Copy" onClick={onCopy} />
      <Button says="None" onClick={() => (selected.value = new Set())} />
    </span>
  );
}

/** What is left out of the table, and the click that brings it back. The parts of the list stand above. */
function Pills({ scene: { filter } }: Pick<ToolsProps, 'scene'>) {
  const { where, sort } = filter.value;
  const pill = (says: string, without: Partial<Filter>) => (
    <Button
      key={says}
      aria-pressed
      says={`${says} ✕`}
      onClick={() => (filter.value = { ...filter.value, ...without })}
    />
  );
  return (
    <>
      {sort !== undefined && pill(`sorted by ${sort.replace(/^-/, '')}`, { sort: undefined })}
      {Object.entries(where).map(([name, value]) => {
        const { [name]: _, ...others } = where;
        return !PARTS.includes(name) && pill(`${name}: ${value || 'blank'}`, { where: others });
      })}
    </>
  );
}
