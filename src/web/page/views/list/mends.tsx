import { useSignal } from '@preact/signals';
import type { Mend, PlanObject } from '../../../api.ts';
import { Button, Stop } from '../../parts/controls.tsx';
import { counted, money } from '../../parts/figures.ts';
import { ask, asRefused, type Refused } from '../../session.ts';
import { cellsSince, cellsTaken, type OfScene, rowsMended, type Scene } from './scene.ts';

/** Cells that she has mended: they are kept beside her list, never in her file. */

export const mendedAs = ({ list }: Scene, row: number, column: string): Mend | undefined =>
  list?.mends.find((mend) => mend.row === row && mend.column === column);

/** @param row whose card the keys go on at, on a telephone. */
export const focusTable = (row = 0): void =>
  document.querySelector<HTMLElement>(`.sheet table, #row-${row}`)?.focus();

type Cell = Pick<Mend, 'row' | 'column'>;

/** @param value null takes the mend back. */
export const mend = ({ list }: Scene, cell: Cell, value: string | null): Promise<void> =>
  ask(`/lists/${list?.id}/mends`, { method: 'PUT', body: { ...cell, value } });

export type Mending = ReturnType<typeof useMending>;

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
      mend(scene, cell, value).catch((error) => (refused.value = asRefused(error)));
    },
  };
}

interface MendFieldProps {
  readonly name: string;
  readonly value: string;
  readonly typed?: string | undefined;
  /** Whether she has just begun, and types at once. */
  readonly isNew: boolean;
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

/** What her mends since the start that is shown will have asked, at which price. The limit stands beside the start. */
export function Mended({ scene }: OfScene) {
  const { isRunning, isPlanning, planned } = scene;
  const plan = planned.waits ? undefined : planned.value;
  const { length: taken } = cellsTaken(scene);
  const cells = cellsSince(scene).length - taken;
  const away = taken === 1 ? 'A mend was taken away' : `${taken} mends were taken away`;
  const mended = cells === 0 ? away : `${counted(cells, 'cell')} mended`;
  const asked = plan
    ? askedWords(plan, rowsMended(scene))
    : `asked again with the next start${isRunning ? ', when this one has ended' : ''}`;
  return (
    <Stop says={`${mended}: ${asked}. ↶ takes a mend away, no purchase.`}>
      {!isRunning && <Button says="Start again…" onClick={() => (isPlanning.value = true)} />}
    </Stop>
  );
}

/** @param mended so many rows were mended. A list that was not asked to its end has others to ask. */
function askedWords({ to_buy: asked, credits, cost }: PlanObject, mended: number): string {
  if (asked === 0) return 'nothing is asked again, and nothing is paid';
  const most = `${counted(credits.most, 'credit')} at most${cost ? `, ${money(cost.most)}` : ''}`;
  const how = asked > mended ? 'asked, with those that were not asked yet' : 'asked again';
  return `${counted(asked, 'row is', 'rows are')} ${how}, ${most}; everything else is free`;
}
