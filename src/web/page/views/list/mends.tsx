import type { Mend } from '../../../api.ts';
import { RefusedNotice } from '../../loaded.tsx';
import { useAction } from '../../parts/action.ts';
import { Button } from '../../parts/controls.tsx';
import { counted } from '../../parts/figures.ts';
import { ask } from '../../session.ts';
import type { Scene } from './scene.ts';

/** Cells that she has mended: they are kept beside her list, never in her file. */

export const mendedAs = ({ list }: Scene, row: number, column: string): Mend | undefined =>
  list?.mends.find((mend) => mend.row === row && mend.column === column);

export const focusTable = (): void => document.querySelector<HTMLElement>('.sheet table')?.focus();

/** @param value null takes the mend back. */
export async function mend(
  scene: Scene,
  cell: { readonly row: number; readonly column: string },
  value: string | null,
): Promise<void> {
  await ask(`/lists/${scene.list?.id ?? ''}/mends`, { method: 'PUT', body: { ...cell, value } });
  scene.refresh();
}

interface MendFieldProps {
  readonly name: string;
  readonly value: string;
  /** Whether she has just begun, and types at once. */
  readonly isNew: boolean;
  readonly onEnd: (value: string) => void;
}

const focus = (field: HTMLInputElement | null): void => field?.focus();

/** A cell while it is mended: Enter keeps what is typed, and Escape leaves. */
export function MendField({ name, value, isNew, onEnd }: MendFieldProps) {
  return (
    <input
      class="mend"
      aria-label={name}
      defaultValue={value}
      ref={isNew ? focus : null}
      onKeyDown={(event) => {
        const { key, currentTarget } = event;
        event.stopPropagation();
        if (key !== 'Enter' && key !== 'Escape') return;
        if (key === 'Escape') currentTarget.value = value;
        currentTarget.blur();
        focusTable();
      }}
      onBlur={({ currentTarget }) => onEnd(currentTarget.value)}
    />
  );
}

/** What was mended since the last start, and that it is asked again. */
export function Mended({ scene }: { readonly scene: Scene }) {
  const { list, batch, isRunning, isPlanning } = scene;
  const taking = useAction();
  if (list === undefined || batch === undefined || isPlanning.value) return null;
  const waiting = list.mends.filter(({ at }) => at > batch.created_at);
  if (waiting.length === 0) return null;
  const cells = counted(waiting.length, 'cell');
  const takeBack = (): void =>
    taking.run(async () => {
      for (const { row, column } of waiting) await mend(scene, { row, column }, null);
    });
  return (
    <p class="need row">
      <b>{cells} mended:</b>
      {isRunning
        ? 'it comes with the next start, when this one has ended'
        : 'asked again with the next start'}
      {!isRunning && (
        <Button
          says="Start again…"
          onClick={() => {
            isPlanning.value = true;
          }}
        />
      )}
      <Button look="link" says="Take back" onClick={takeBack} />
      <RefusedNotice refused={taking.refused.value} />
    </p>
  );
}
