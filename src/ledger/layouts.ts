import type { Db } from './db.ts';

/**
 * How the tables of an earlier release become those of this one: one step for each layout, in their order.
 * `docs/internals/ledger.md` says how a step is written.
 */

/** The SQL that leads to the next layout, in the words of `db.ts`. It is not changed after its release. */
export type LayoutStep = (name: Db['name']) => string;

/** The layout from which the first step goes on: that of the first release. */
export const FIRST_LAYOUT = 6;

/** None yet: nothing was released before this layout. */
export const LAYOUT_STEPS: readonly LayoutStep[] = [];

/**
 * The number of the tables in `schema.ts`. The database holds the number, so that a program that knows other
 * tables leaves the database alone.
 */
export const layoutNow = (): number => FIRST_LAYOUT + LAYOUT_STEPS.length;

export const stepsFrom = (layout: number, name: Db['name']): string =>
  LAYOUT_STEPS.slice(layout - FIRST_LAYOUT)
    .map((step) => step(name))
    .join('\n');

export async function layoutOf(db: Pick<Db, 'rows'>): Promise<number | undefined> {
  const [last] = await db.rows<{ layout: number | null }>('SELECT max(number) AS layout FROM steps');
  return last?.layout ?? undefined;
}
