import type { Signal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { useAction } from '../../parts/action.ts';
import { Button, Checkbox, Select } from '../../parts/controls.tsx';
import { grouped } from '../../parts/figures.ts';
import { Popover } from '../../parts/popover.tsx';
import type { Column } from './columns.ts';
import type { Rows } from './rows.ts';
import { EVERYTHING, type Scene } from './scene.ts';

interface ToolsProps {
  readonly scene: Scene;
  readonly rows: Rows;
  readonly columns: readonly Column[];
  readonly hidden: Signal<readonly string[]>;
  /** Whether rows can be sorted and filtered. */
  readonly isAsked: boolean;
  /** The cell that the keys are at. */
  readonly cell: { readonly name: string; readonly value: string } | undefined;
  readonly onCopy: () => Promise<void>;
}

const SEARCH_AFTER_MS = 300;

/** What of the list is shown, and in which order. */
export function Tools(props: ToolsProps) {
  const { scene, rows, columns, isAsked } = props;
  const { filter } = scene;
  const { search, sort } = filter.value;
  const later = useRef<ReturnType<typeof setTimeout>>(undefined);
  const sortable = columns.flatMap(({ name, at }): readonly (readonly [string, string])[] =>
    at === undefined ? [] : [[name, `${name}, A to Z`] as const, [`-${name}`, `${name}, Z to A`] as const],
  );
  return (
    <div class="tools">
      <input
        type="search"
        placeholder="Search this list"
        aria-label="Search this list"
        defaultValue={search}
        onInput={({ currentTarget: { value } }) => {
          clearTimeout(later.current);
          later.current = setTimeout(() => {
            filter.value = { ...filter.value, search: value.trim() };
          }, SEARCH_AFTER_MS);
        }}
      />
      <ColumnsShown {...props} />
      {isAsked && (
        <Popover name="Sort" says="Sort ▾">
          {(close) => (
            <Select
              name="In the order of"
              value={sort ?? ''}
              options={[['', 'the list'], ...sortable]}
              onChosen={(chosen) => {
                filter.value = { ...filter.value, sort: chosen === '' ? undefined : chosen };
                close();
              }}
            />
          )}
        </Popover>
      )}
      <OnlyThis {...props} />
      <span class="soft" role="status">
        {isWorkSeen(scene, rows) ? 'searching…' : ''}
      </span>
      <Chosen {...props} />
      <Pills scene={scene} />
    </div>
  );
}

const isWorkSeen = ({ filter: { value } }: Scene, { isAtWork, columns }: Rows): boolean =>
  isAtWork && columns === undefined && value !== EVERYTHING;

function ColumnsShown({ columns, hidden }: ToolsProps) {
  const toggle = (name: string, isShown: boolean): void => {
    hidden.value = isShown ? hidden.value.filter((each) => each !== name) : [...hidden.value, name];
  };
  const count = columns.filter(({ name }) => hidden.value.includes(name)).length;
  return (
    <Popover name="Columns" says={count === 0 ? 'Columns ▾' : `Columns (${count} hidden) ▾`}>
      {() =>
        columns.map(({ name }, at) => (
          <div key={name}>
            {/* The first one says which row it is. */}
            {at > 0 && (
              <Checkbox
                says={name}
                checked={!hidden.value.includes(name)}
                onCheck={(isShown) => toggle(name, isShown)}
              />
            )}
          </div>
        ))
      }
    </Popover>
  );
}

function OnlyThis({ scene: { filter }, isAsked, cell }: ToolsProps) {
  if (!isAsked || cell === undefined || cell.value === '' || filter.value.where[cell.name] === cell.value)
    return null;
  const { name, value } = cell;
  const short = value.length > 24 ? `${value.slice(0, 24)}…` : value;
  const choose = (): void => {
    filter.value = { ...filter.value, where: { ...filter.value.where, [name]: value } };
  };
  return <Button look="pill" says={`Only rows with “${short}”`} onClick={choose} />;
}

function Chosen({ scene, onCopy }: ToolsProps) {
  const { selected, isRunning } = scene;
  const copying = useAction();
  const { size } = selected.value;
  if (size === 0) return <span class="soft wide">Click a row number to select, with shift for several.</span>;
  return (
    <span class="row">
      <b>{grouped(size)} selected</b>
      {scene.list !== undefined && !isRunning && !scene.isPlanning.value && (
        <Button
          look="pill"
          says="Ask only these"
          onClick={() => {
            scene.isPlanning.value = true;
          }}
        />
      )}
      <Button look="pill" says="Copy" onClick={() => copying.run(onCopy)} />
      <Button
        look="pill"
        says="None"
        onClick={() => {
          selected.value = new Set();
        }}
      />
    </span>
  );
}

const STATES: Readonly<Record<string, string>> = {
  'matched,applied': 'found',
  no_match: 'nothing found',
  skipped: 'left out',
  unchanged: 'as it is',
  pending: 'to go',
};

/** What is left out of the table, each with the click that brings it back. */
function Pills({ scene: { filter } }: Pick<ToolsProps, 'scene'>) {
  const { where, sort } = filter.value;
  return (
    <>
      {sort !== undefined && (
        <Button
          look="pill"
          aria-pressed
          says={`sorted by ${sort.replace(/^-/, '')} ✕`}
          onClick={() => {
            filter.value = { ...filter.value, sort: undefined };
          }}
        />
      )}
      {Object.entries(where).map(([name, value]) => (
        <Button
          key={name}
          look="pill"
          aria-pressed
          says={
            name === '_status'
              ? `only ${STATES[value] ?? 'what needs you'} ✕`
              : `${name}: ${value || 'blank'} ✕`
          }
          onClick={() => {
            const { [name]: _, ...others } = filter.value.where;
            filter.value = { ...filter.value, where: others };
          }}
        />
      ))}
    </>
  );
}
