import type { MetCall } from './met-call.ts';
import type { NextCall, RowEnd, RowWalk } from './row-walk.ts';

/** A row that is walked beside others. */
interface WalkedBeside {
  readonly walk: RowWalk;
}

interface Walking<Row extends WalkedBeside, State> {
  /** Hears of each row that ends, or waits. */
  ended(row: Row, step: RowEnd | { readonly kind: 'waits' }): void;
  /** Looks up the next calls of all rows, in their order. */
  statesOf(calls: readonly MetCall[]): Promise<readonly State[]>;
  /**
   * Tells the row the state of its call. @param isLook whether another account may have what is not known.
   * @returns whether the row goes on.
   */
  tell(row: Row, met: MetCall, state: State | undefined, isLook: boolean): boolean;
}

/** Walks rows side by side, so that one look into the ledger finds the next calls of all of them. */
export async function walkTogether<Row extends WalkedBeside, State>(
  rows: readonly Row[],
  { ended, statesOf, tell }: Walking<Row, State>,
): Promise<void> {
  let walking = rows;
  while (walking.length > 0) {
    const asking: { readonly row: Row; readonly step: NextCall }[] = [];
    for (const row of walking) {
      const next = row.walk.next();
      if (next.kind === 'end' || next.kind === 'waits') ended(row, next);
      else asking.push({ row, step: next });
    }
    const states = await statesOf(asking.map(({ step }) => step.met));
    const goingOn = asking.filter(({ row, step: { met, kind } }, at) =>
      tell(row, met, states[at], kind === 'look'),
    );
    walking = goingOn.map(({ row }) => row);
  }
}
