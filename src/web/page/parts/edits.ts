import { type ReadonlySignal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

/** Cells that were typed over and are not saved yet. */
export interface Edits {
  /** By `editKey`. */
  readonly cells: ReadonlySignal<ReadonlyMap<string, string>>;
  readonly canUndo: ReadonlySignal<boolean>;
  /** @param original what the list says; a cell that says so again is no correction. */
  set(row: number, at: number, value: string, original?: string): void;
  /** Takes back what was typed into one cell last. */
  undo(): void;
  clear(): void;
}

/** @param at the position of the column. */
export function editKey(row: number, at: number): string {
  return `${row} ${at}`;
}

interface Step {
  readonly key: string;
  readonly before: string | undefined;
}

export function useEdits(): Edits {
  const cells = useSignal<ReadonlyMap<string, string>>(new Map());
  const canUndo = useSignal(false);
  const steps = useSignal<readonly Step[]>([]);
  const put = (key: string, value: string | undefined): void => {
    const next = new Map(cells.peek());
    if (value === undefined) next.delete(key);
    else next.set(key, value);
    cells.value = next;
    canUndo.value = steps.peek().length > 0;
  };
  useEffect(() => {
    const hold = (event: BeforeUnloadEvent): void => {
      if (cells.peek().size > 0) event.preventDefault();
    };
    addEventListener('beforeunload', hold);
    return () => removeEventListener('beforeunload', hold);
  }, []);
  return {
    cells,
    canUndo,
    set(row, at, value, original) {
      const key = editKey(row, at);
      // Letter after letter in one cell is one step.
      if (steps.peek().at(-1)?.key !== key)
        steps.value = [...steps.peek(), { key, before: cells.peek().get(key) }];
      put(key, value === original ? undefined : value);
    },
    undo() {
      const last = steps.peek().at(-1);
      if (last === undefined) return;
      steps.value = steps.peek().slice(0, -1);
      put(last.key, last.before);
    },
    clear() {
      steps.value = [];
      cells.value = new Map();
      canUndo.value = false;
    },
  };
}
