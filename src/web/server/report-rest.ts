import { readRowRanges } from '../../core/row.ts';
import type { WholeView } from '../../files/output/output.ts';
import { settingsKept } from '../../job/job-settings.ts';
import type { Batch } from '../../ledger/ledger.ts';
import { type EachRowObject, PlanObject } from '../../objects/plan-object.ts';
import { chooseStore } from '../../run/store-choice.ts';
import { askChild } from './child.ts';
import { keptLists, writeListJob } from './list-files.ts';
import { standingsOf } from './list-standing.ts';
import type { Server } from './server.ts';

/**
 * After a try most rows have no end yet. The list says by its plan what becomes of them, and so does its
 * report: a row that cannot be used needs attention in both, and one that a condition leaves out is left out.
 */

/** The plan of the list over which a try has ended; undefined where its page shows no plan either. */
export async function planOfRest(server: Server, batch: Batch): Promise<PlanObject | undefined> {
  const { partial, part_done: done } = settingsKept(batch.settings);
  const isTry = batch.state === 'open' && (partial !== undefined || done !== undefined);
  const list = isTry && (await keptLists(server)).find(({ path }) => path === batch.inputPath);
  if (!list) return undefined;
  const standing = (await standingsOf(server, [list])).get(list.id);
  if (standing?.batch !== batch.id || standing.is !== 'as_started') return undefined;
  const job = await writeListJob(list, list.job);
  const { location } = chooseStore(server.store, batch.sandbox);
  // What cannot be planned is not known: the list says why.
  const planned = await askChild(server.program, [
    'plan',
    job,
    list.path,
    '--each',
    '--store',
    location,
  ]).catch(() => undefined);
  return PlanObject.safeParse(planned).data;
}

/** The view with what the plan says of all rows. What has ended is a part of it. */
export function withRest(view: WholeView, plan: PlanObject): WholeView {
  const { counts, figures } = view;
  const isLeftOut = ({ is, says }: EachRowObject): boolean => is === 'skipped' && says !== undefined;
  const skipped = (plan.each ?? []).filter(isLeftOut);
  const leftOut = skipped.map(({ says = '', rows }) => ({ words: says, rows: countIn(rows) }));
  const out = leftOut.reduce((sum, { rows }) => sum + rows, 0);
  const isMore = out > (figures.left_out ?? []).reduce((sum, { rows }) => sum + rows, 0);
  const invalid = Math.max(counts.invalid ?? 0, plan.invalid);
  const unusable = (plan.reasons ?? []).map(({ says, count, first_rows }) => {
    return { kind: 'invalid', words: says, rows: count, first_rows };
  });
  const others = figures.reasons.filter(({ kind }) => kind !== 'invalid');
  return {
    ...view,
    counts: { ...counts, invalid, ...(isMore ? { skipped: Math.max(counts.skipped ?? 0, out) } : {}) },
    figures: {
      ...figures,
      usable: figures.rows - invalid,
      attention: figures.attention - (counts.invalid ?? 0) + invalid,
      reasons: [...unusable, ...others].sort((one, other) => other.rows - one.rows),
      ...(isMore ? { left_out: leftOut.sort((one, other) => other.rows - one.rows) } : {}),
    },
  };
}

/** `5,9,12-20` are eleven rows. */
const countIn = (rows: string): number =>
  (readRowRanges(rows) ?? []).reduce((sum, { first, last }) => sum + last - first + 1, 0);
