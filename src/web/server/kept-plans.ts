import { z } from 'zod';
import { stop } from '../../core/errors.ts';
import { type RowNumber, readRowRanges } from '../../core/row.ts';
import { type EachRowObject, PlanObject } from '../../objects/plan-object.ts';
import type { Among } from './list-tables.ts';

/**
 * What becomes of each row by the plans that were shown last, so that the rows of a part of a plan can be
 * shown before anything is started. The command that plans forgets them, so they are kept here.
 */

/** A page shows one plan, and a few tabs may be open. */
const MOST_KEPT = 8;

const Planned = PlanObject.pick({ id: true, each: true });

type Said = Omit<EachRowObject, 'rows'>;

interface Kept {
  readonly groups: readonly Said[];
  /** By the number of a row, the place of its group and one; 0 of a row that the plan leaves out. */
  readonly groupOf: Uint16Array;
}

export class KeptPlans {
  readonly #plans = new Map<string, Kept>();

  /** @param answered whatever a command has printed. */
  keep(answered: object): void {
    const { data } = z.looseObject(Planned.shape).safeParse(answered);
    if (data?.each === undefined) return;
    this.#plans.delete(data.id);
    this.#plans.set(data.id, keptOf(data.each));
    const [oldest] = this.#plans.keys();
    if (oldest !== undefined && this.#plans.size > MOST_KEPT) this.#plans.delete(oldest);
  }

  /** Undefined of a row, or of a plan, that is not known. */
  saidOf(plan: string | undefined, row: RowNumber): Said | undefined {
    const keptPlan = this.#plans.get(plan ?? '');
    return keptPlan?.groups[(keptPlan.groupOf[row] ?? 0) - 1];
  }

  /**
   * The rows of these figures of a plan.
   * @throws StopError `usage` for a plan that is not kept.
   */
  among(plan: string | undefined, figures: readonly string[]): Among {
    const keptPlan = this.#plans.get(plan ?? '');
    if (keptPlan === undefined)
      throw stop('usage', 'This plan is not known any more.', 'Look at the list again.');
    const wanted = keptPlan.groups.map(({ is }) => figures.includes(is));
    return { has: (row) => wanted[(keptPlan.groupOf[row] ?? 0) - 1] === true };
  }
}

function keptOf(each: readonly EachRowObject[]): Kept {
  const ranges = each.flatMap(({ rows }, at) =>
    (readRowRanges(rows) ?? []).map((range) => ({ ...range, group: at + 1 })),
  );
  const last = ranges.reduce((most, range) => Math.max(most, range.last), 0);
  const groupOf = new Uint16Array(last + 1);
  for (const { first, last: to, group } of ranges) groupOf.fill(group, first, to + 1);
  return { groups: each.map(({ rows: _, ...facts }) => facts), groupOf };
}
