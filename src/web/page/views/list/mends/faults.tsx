import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { ListFaults, ListOrder } from '../../../../api.ts';
import { useAsked } from '../../../parts/asking.tsx';
import { acted, ask } from '../../../session.ts';
import type { Column } from '../columns.ts';
import { readingOf } from '../job.ts';
import { batchShown } from '../rows.ts';
import { EVERYTHING, type Scene } from '../scene.ts';
import type { Place } from '../table/cells.tsx';
import { type Drawn, faultIn } from '../table/cells.tsx';
import { focusTable } from './mends.tsx';

/** What is wrong with the cells of each column before a start, and the way from one of them to the next. */

export type Inputs = NonNullable<ListOrder['asked']>;

export interface Faults {
  readonly inputs: Inputs;
  readonly columns: ListFaults['columns'];
  /** Shows such cells of a column, the first of them ready to be typed over. */
  show(column: string, which: 'others' | 'near'): void;
}

/** The wrong cells of all rows; of none where the list was started, or cannot be read. */
export function useFaults(scene: Scene, judgedBy: Inputs): ListFaults['columns'] {
  const { list, described, reading } = scene;
  // Of a long list they are counted behind its price, which she waits for.
  const isRead = described.value !== undefined && reading === undefined;
  const isShown = list !== undefined && isBefore(scene) && isRead;
  const keys = JSON.stringify([isShown && list.id, list?.at, list?.mends, readingOf(scene.job), judgedBy]);
  const answer = useAsked<ListFaults>(
    (signal) => {
      if (!isShown) return Promise.resolve({ columns: [] });
      return ask(`/lists/${list.id}/faults`, { body: { asked: judgedBy }, signal, isLook: true });
    },
    [keys],
    { again: acted.value },
  ).value;
  return isShown ? (answer.value?.columns ?? []) : [];
}

/** Goes from one wrong cell to the next, in the rows as they are filtered. */
export function useWalk(scene: Scene) {
  /** The line behind which the next one is looked for; undefined as long as she goes through none. */
  const from = useSignal<number | undefined>(undefined);
  const { wrong } = scene.filter.value;
  return {
    show(column: string, which: 'others' | 'near'): void {
      scene.filter.value = { ...EVERYTHING, wrong: { column, which } };
      from.value = 0;
    },
    onNext: (drawn: Drawn) => wrong && ((row: number): unknown => (from.value = drawn.rows.lineOf(row) + 1)),
    /** Opens the next one, as soon as it has come. */
    useNext(drawn: Drawn, isCome: boolean, at: Signal<Place>): void {
      useEffect(() => {
        if (from.value === undefined || wrong === undefined || !isCome) return;
        const column = drawn.columns.findIndex(({ name }) => name === wrong.column);
        const next = nextWrong(drawn, from.value, drawn.columns[column]);
        if (next === undefined) focusTable();
        else at.value = { line: next.line, column };
        // A line that has not come yet is fetched when it is looked at.
        if (next !== undefined && next.row === undefined) return;
        from.value = undefined;
        if (next?.row) drawn.mending.begin({ row: next.row, column: wrong.column }, { over: true });
      });
    },
  };
}

/** The next line with a wrong cell in the column, or one that has not come yet, from a line on. */
function nextWrong(drawn: Drawn, from: number, column: Column | undefined) {
  const { rows, scene } = drawn;
  // What may be mistyped can be sent as it is, so that nothing in its cell says so.
  const isNear = scene.filter.value.wrong?.which === 'near';
  for (let line = from; column !== undefined && line < rows.count; line += 1) {
    const shown = rows.at(line);
    if (shown === undefined) return { line };
    const isFaulty = isNear || shown.planned?.faulty.includes(column.name) === true;
    if (isFaulty || faultIn(drawn, shown, column) !== undefined) return { line, row: shown.row };
  }
  return undefined;
}

/** Whether the table shows the list as it is now, and nothing that was asked about it. */
export const isBefore = (scene: Scene): boolean =>
  scene.list !== undefined && batchShown(scene) === undefined;

/** The columns above which something is to be said. */
export const faultyColumns = (scene: Scene, { columns }: Faults): ReadonlySet<string> =>
  new Set([...columns.map(({ column }) => column), ...(scene.list?.mends.map(({ column }) => column) ?? [])]);
