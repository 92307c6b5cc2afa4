import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { Button } from '../../../parts/controls.tsx';
import { counted } from '../../../parts/figures.ts';
import { isBought, isHers } from '../columns.ts';
import { withCondition } from '../conditions-changed.ts';
import { AskAgain } from '../course/again.tsx';
import { canAskAgain } from '../course/again-asked.ts';
import { focusTable } from '../mends/mends.tsx';
import { batchShown } from '../rows.ts';
import { EVERYTHING, type Filter, rangesOf } from '../scene.ts';
import { type Drawn, type Place, textAt } from './cells.tsx';

export interface CellMenuProps {
  readonly drawn: Drawn;
  readonly at: Place;
  /** Where on the screen it is opened; undefined closes it. */
  readonly place: Signal<MenuPlace | undefined>;
  readonly onCorrect: () => void;
  readonly onCopy: () => Promise<void>;
}

export interface MenuPlace {
  readonly x: number;
  readonly y: number;
}

/** What can be done with a cell and its row: by the right button of the mouse, or by the key for menus. */
export function CellMenu({ drawn, at, place, onCorrect, onCopy }: CellMenuProps) {
  const box = useRef<HTMLDivElement>(null);
  const close = (): void => box.current?.hidePopover();
  useLayoutEffect(() => {
    const menu = box.current;
    const { x = 0, y = 0 } = place.value ?? {};
    if (menu === null) return;
    menu.showPopover();
    const { width, height } = menu.getBoundingClientRect();
    menu.style.left = `${Math.max(8, Math.min(x, innerWidth - width - 8))}px`;
    menu.style.top = `${Math.max(8, Math.min(y, innerHeight - height - 8))}px`;
    itemsIn(menu)[0]?.focus();
  }, [place.value]);
  return (
    <div
      ref={box}
      popover="auto"
      role="menu"
      aria-label="This cell"
      onKeyDown={(event) => onKey(event, box.current)}
      onToggle={({ newState }) => {
        if (newState !== 'closed') return;
        place.value = undefined;
        focusTable();
      }}
    >
      <Items drawn={drawn} at={at} close={close} onCorrect={onCorrect} onCopy={onCopy} />
    </div>
  );
}

/** What cannot be done now is passed over. */
const itemsIn = (menu: Element | null): readonly HTMLElement[] => [
  ...(menu?.querySelectorAll<HTMLElement>('[role=menuitem]:not(:disabled)') ?? []),
];

function onKey(event: KeyboardEvent, menu: Element | null): void {
  const items = itemsIn(menu);
  const now = items.indexOf(document.activeElement as HTMLElement);
  const to: Readonly<Record<string, number>> = {
    ArrowDown: (now + 1) % items.length,
    ArrowUp: (now - 1 + items.length) % items.length,
    Home: 0,
    End: items.length - 1,
  };
  const next = to[event.key];
  if (next === undefined) return;
  event.preventDefault();
  items[next]?.focus();
}

type ItemsProps = Omit<CellMenuProps, 'place'> & { readonly close: () => void };

function Items({ drawn, at, close, onCorrect, onCopy }: ItemsProps) {
  const { scene, rows, columns } = drawn;
  const { selected, filter } = scene;
  const line = rows.at(at.line);
  const column = columns[at.column];
  const inView = useSignal<readonly number[]>([]);
  const isNarrowed = JSON.stringify({ ...filter.value, sort: undefined }) !== JSON.stringify(EVERYTHING);
  useEffect(() => {
    if (isNarrowed && canAskAgain(scene)) void rows.numbers().then((numbers) => (inView.value = numbers));
  }, [rows]);
  if (line === undefined || column === undefined) return null;
  const { before: name = column.name } = column;
  const text = textAt(drawn, at.line, column);
  const step = isBought(column) ? column.operation : undefined;
  const item = (says: string, does: () => unknown, key = '') => (
    <Button
      key={says}
      look="quiet"
      role="menuitem"
      says={
        <>
          {says} <small>{key}</small>
        </>
      }
      onClick={() => {
        close();
        does();
      }}
    />
  );
  const again = (only: readonly number[], what: string) => (
    <AskAgain
      key={what}
      scene={scene}
      only={rangesOf(only)}
      step={step}
      what={what}
      role="menuitem"
      look="quiet"
      onStarted={close}
    />
  );
  // Before a start the list is filtered by its own cells.
  const isThere = column.at !== undefined && (isHers(column) || batchShown(scene) !== undefined);
  const isShown = scene.teamPlanned === undefined && isThere && column.isBelow !== true;
  return (
    <>
      {line.row > 0 && item('Open this row', () => (scene.opened.value = line.row), 'Enter')}
      {canAskAgain(scene) && line.row > 0 && again([line.row], 'this row')}
      {canAskAgain(scene) &&
        selected.value.size > 1 &&
        again([...selected.value], `the ${counted(selected.value.size, 'row')} selected`)}
      {canAskAgain(scene) &&
        inView.value.length > 1 &&
        again(inView.value, `the ${counted(inView.value.length, 'row')} in view`)}
      {isHers(column) &&
        scene.list !== undefined &&
        line.row > 0 &&
        item('Correct this cell', onCorrect, 'F2')}
      {item('Copy', onCopy, 'Ctrl C')}
      {isShown &&
        item(`Show only ${called(text)}`, () => (filter.value = filteredBy(filter.value, name, 'is', text)))}
      {isShown &&
        item(
          `Leave out ${called(text)}`,
          () => (filter.value = filteredBy(filter.value, name, 'is_not', text)),
        )}
    </>
  );
}

/** The rows that say the same as a cell, or all others. */
function filteredBy(filter: Filter, column: string, how: 'is' | 'is_not', text: string): Filter {
  const blank = how === 'is' ? 'blank' : 'filled';
  return withCondition(
    filter,
    text === '' ? { column, how: blank, values: [] } : { column, how, values: [text] },
  );
}

const LONGEST = 30;

function called(text: string): string {
  if (text === '') return 'blank';
  return `“${text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text}”`;
}
