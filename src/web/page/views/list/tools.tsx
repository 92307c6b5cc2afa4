import type { Signal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Button, Checkbox } from '../../parts/controls.tsx';
import { grouped } from '../../parts/figures.ts';
import type { Lines } from '../../parts/lines.ts';
import { Popover } from '../../parts/popover.tsx';
import type { Column } from './columns.ts';
import { EVERYTHING, type Filter, type Scene } from './scene.ts';

interface ToolsProps {
  readonly scene: Scene;
  readonly rows: Lines;
  readonly columns: readonly Column[];
  readonly hidden: Signal<readonly string[]>;
  readonly onCopy: () => Promise<void>;
}

const SEARCH_AFTER_MS = 300;

/** What of the list is shown. */
export function Tools(props: ToolsProps) {
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
        {rows.columns === undefined && rows.isAtWork && filter.value !== EVERYTHING ? 'searching…' : ''}
      </span>
      <Chosen {...props} />
      <Pills scene={scene} />
    </div>
  );
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

function ColumnsShown({ columns, hidden }: ToolsProps) {
  const toggle = (name: string, isShown: boolean): void => {
    hidden.value = isShown ? hidden.value.filter((each) => each !== name) : [...hidden.value, name];
  };
  const count = columns.filter(({ name }) => hidden.value.includes(name)).length;
  return (
    <Popover name="Columns" says={count === 0 ? 'Columns ▾' : `Columns (${count} hidden) ▾`}>
      {() =>
        // The first one says which row it is.
        columns.slice(1).map(({ name }) => (
          <div key={name}>
            <Checkbox
              says={name}
              checked={!hidden.value.includes(name)}
              onCheck={(isShown) => toggle(name, isShown)}
            />
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

/** By these the parts of the list are chosen. */
const OF_PARTS = ['_status', '_action'];

/** What is left out of the table, each with the click that brings it back. The parts of the list stand above. */
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
        return !OF_PARTS.includes(name) && pill(`${name}: ${value || 'blank'}`, { where: others });
      })}
    </>
  );
}
