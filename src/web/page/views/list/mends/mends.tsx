import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Mend } from '../../../../api.ts';
import { ask, asRefused, type Refused } from '../../../session.ts';
import type { Scene } from '../scene.ts';

/** Cells that she has mended: they are kept beside her list, never in her file. */

export const mendedAs = ({ list }: Scene, row: number, column: string): Mend | undefined =>
  list?.mends.find((mend) => mend.row === row && mend.column === column);

/** @param row whose card the keys go on at, on a telephone. */
export const focusTable = (row = 0): void =>
  document.querySelector<HTMLElement>(`.sheet table, #row-${row}`)?.focus();

type Cell = Pick<Mend, 'row' | 'column'>;

/** Mends cells together. A value of null takes a mend back. */
export const mendAll = (
  { list }: Scene,
  mends: readonly (Cell & { readonly value: string | null })[],
): Promise<void> => ask(`/lists/${list?.id}/mends`, { method: 'PUT', body: { mends } });

/** @param value null takes the mend back. */
export const mend = (scene: Scene, cell: Cell, value: string | null): Promise<void> =>
  mendAll(scene, [{ ...cell, value }]);

export type Mending = ReturnType<typeof useMending>;

/** What she has begun to type in the place of what the cell said; `over`: her first letter takes its place. */
type Typed = string | { readonly over: true } | undefined;

export function useMending(scene: Scene) {
  const mended = useSignal<(Cell & { readonly typed: Typed }) | undefined>(undefined);
  const refused = useSignal<Refused | undefined>(undefined);
  const done = useRef<readonly Cell[]>([]);
  return {
    refused: refused.value,
    typed: mended.value?.typed,
    isOpen: mended.value !== undefined,
    /** The rows whose cell in that column she has mended since she came. */
    rowsIn: (column: string): readonly number[] => [
      ...new Set(done.current.flatMap((each) => (each.column === column ? each.row : []))),
    ],
    isAt: ({ row, column }: Cell): boolean => mended.value?.row === row && mended.value.column === column,
    begin(cell: Cell, typed?: Typed): void {
      if (scene.list !== undefined) mended.value = { ...cell, typed };
    },
    /** @param value undefined leaves the cell as it was. */
    end(cell: Cell, value: string | undefined): void {
      mended.value = undefined;
      refused.value = undefined;
      if (value === undefined) return;
      done.current = [...done.current, cell];
      mend(scene, cell, value).catch((error) => (refused.value = asRefused(error)));
    },
  };
}

interface MendFieldProps {
  readonly name: string;
  readonly value: string;
  readonly typed?: Typed;
  /** Whether she has just begun, and types at once. */
  readonly isNew: boolean;
  /** She has come into it by herself, where it stands open. */
  readonly onBegin?: () => void;
  readonly onEnd: (value: string | undefined) => void;
  /** Goes on behind what is kept; left out: the keys are in the table again. */
  readonly onNext?: (() => void) | undefined;
}

/**
 * A cell while it is mended: Enter, Tab and a click elsewhere keep what is typed, and Escape leaves. A field that
 * the page takes away, such as with its row, and another window before it keep nothing: she has not ended it.
 */
export function MendField({ name, value, typed, isNew, onBegin, onEnd, onNext }: MendFieldProps) {
  const isOver = typeof typed === 'object';
  const field = useRef<HTMLInputElement>(null);
  const isGone = useRef(false);
  useLayoutEffect(() => {
    const { current: input } = field;
    if (!isNew || input === null || input === document.activeElement) return;
    input.focus();
    // She goes on typing behind what is there, or her first letter takes the place of all of it.
    input.setSelectionRange(isOver ? 0 : input.value.length, input.value.length);
  }, [isNew, isOver]);
  useLayoutEffect(() => {
    if (!isNew && field.current !== null) field.current.value = value;
  }, [value]);
  useLayoutEffect(
    () => () => {
      isGone.current = true;
    },
    [],
  );
  return (
    <input
      class="mend"
      aria-label={name}
      defaultValue={isOver ? value : (typed ?? value)}
      ref={field}
      onFocus={onBegin}
      onKeyDown={(event) => {
        const { key, currentTarget } = event;
        event.stopPropagation();
        if (key !== 'Enter' && key !== 'Escape') return;
        if (key === 'Escape') currentTarget.value = value;
        currentTarget.blur();
        if (key === 'Enter' && onNext) onNext();
        else focusTable();
      }}
      onBlur={({ currentTarget }) => {
        if (isGone.current || document.activeElement === currentTarget) return;
        onEnd(currentTarget.value === value ? undefined : currentTarget.value);
      }}
    />
  );
}
