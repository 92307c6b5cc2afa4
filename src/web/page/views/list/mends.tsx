import { useSignal } from '@preact/signals';
import type { Mend } from '../../../api.ts';
import { ask, asRefused, type Refused } from '../../session.ts';
import type { Scene } from './scene.ts';

/** Cells that she has mended: they are kept beside her list, never in her file. */

export const mendedAs = ({ list }: Scene, row: number, column: string): Mend | undefined =>
  list?.mends.find((mend) => mend.row === row && mend.column === column);

/** The mends that were made since something was started over the list. */
export const newMends = ({ list, batch }: Pick<Scene, 'list' | 'batch'>): readonly Mend[] =>
  list?.mends.filter(({ at }) => batch !== undefined && at > batch.created_at) ?? [];

export const focusTable = (): void => document.querySelector<HTMLElement>('.sheet table')?.focus();

export interface Cell {
  readonly row: number;
  readonly column: string;
}

/** @param value null takes the mend back. */
export async function mend(scene: Scene, cell: Cell, value: string | null): Promise<void> {
  await ask(`/lists/${scene.list?.id ?? ''}/mends`, { method: 'PUT', body: { ...cell, value } });
  scene.refresh();
}

export type Mending = ReturnType<typeof useMending>;

/** The cell that is being mended. */
export function useMending(scene: Scene) {
  const mended = useSignal<(Cell & { readonly typed: string | undefined }) | undefined>(undefined);
  const refused = useSignal<Refused | undefined>(undefined);
  return {
    refused: refused.value,
    typed: mended.value?.typed,
    isAt: ({ row, column }: Cell): boolean => mended.value?.row === row && mended.value.column === column,
    /** @param typed what she has begun to type in the place of what the cell said. */
    begin(cell: Cell, typed?: string): void {
      if (scene.list !== undefined) mended.value = { ...cell, typed };
    },
    /** @param value undefined leaves the cell as it was. */
    end(cell: Cell, value: string | undefined): void {
      mended.value = undefined;
      refused.value = undefined;
      if (value === undefined) return;
      mend(scene, cell, value).catch((error) => {
        refused.value = asRefused(error);
      });
    },
  };
}

interface MendFieldProps {
  readonly name: string;
  readonly value: string;
  /** What she has begun to type in the place of the value. */
  readonly typed?: string | undefined;
  /** Whether she has just begun, and types at once. */
  readonly isNew: boolean;
  /** @param value undefined where it is as it was. */
  readonly onEnd: (value: string | undefined) => void;
}

/** She goes on typing behind what is there. */
function focus(field: HTMLInputElement | null): void {
  field?.focus();
  field?.setSelectionRange(field.value.length, field.value.length);
}

/** A cell while it is mended: Enter keeps what is typed, and Escape leaves. */
export function MendField({ name, value, typed, isNew, onEnd }: MendFieldProps) {
  return (
    <input
      class="mend"
      aria-label={name}
      defaultValue={typed ?? value}
      ref={isNew ? focus : null}
      onKeyDown={(event) => {
        const { key, currentTarget } = event;
        event.stopPropagation();
        if (key !== 'Enter' && key !== 'Escape') return;
        if (key === 'Escape') currentTarget.value = value;
        currentTarget.blur();
        focusTable();
      }}
      onBlur={({ currentTarget }) => onEnd(currentTarget.value === value ? undefined : currentTarget.value)}
    />
  );
}
