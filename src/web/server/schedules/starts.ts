import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { Cron } from 'croner';
import { z } from 'zod';
import { stop } from '../../../core/errors.ts';
import { replaceFile } from '../../../lib/atomic-file.ts';
import { ScheduledStart, ScheduleView } from '../../api.ts';
import type { PlannedOrder } from '../work.ts';
import { keptIn } from './kept-file.ts';
import type { Entry } from './timetable.ts';

/** Starts of lists that a person has agreed to for one later moment. They are kept in the store's folder. */

/** What is known of a start beside the command that it is. */
export type StartFacts = Kept['facts'];

export interface LaterStart extends Entry {
  readonly id: string;
  readonly order: PlannedOrder;
  readonly facts: StartFacts;
  readonly atMs: number;
  readonly dropped: AbortController;
}

/** How long it is told how a start ended. */
const TOLD_MS = 30 * 24 * 60 * 60 * 1000;

export function laterStart(order: PlannedOrder, facts: StartFacts, atMs: number): LaterStart {
  return startOf({ id: randomUUID(), order, facts, atMs, last: null });
}

/** The next moment at which clocks in that zone show the time. @param time as `02:00`. */
export function nextAt(time: string, timeZone: string, afterMs: number): number {
  const [hours, minutes] = time.split(':').map(Number);
  const cron = new Cron(`${minutes} ${hours} * * *`, { mode: '5-part', timezone: timeZone, paused: true });
  const next = cron.nextRun(new Date(afterMs));
  if (next !== null) return next.getTime();
  throw stop('usage', `There is no ${time} in ${timeZone}.`, 'Choose another time.');
}

export async function startsIn(folder: string, nowMs: number): Promise<readonly LaterStart[]> {
  const isTold = ({ last }: Kept): boolean => last === null || nowMs - last.ended_ms < TOLD_MS;
  const kept = (await keptIn(folder, STARTS, z.array(Kept), nowMs)) ?? [];
  return kept.filter(isTold).map(startOf);
}

export async function keepStarts(folder: string, starts: readonly LaterStart[]): Promise<void> {
  const kept = starts.map(
    ({ id, order, facts, atMs, last }): z.input<typeof Kept> => ({
      ...{ id, facts, atMs, last },
      order: { ...order, words: [...order.words] },
    }),
  );
  await replaceFile(join(folder, STARTS), 0o600, [JSON.stringify(kept)]);
}

function startOf(kept: Pick<LaterStart, 'id' | 'order' | 'facts' | 'atMs' | 'last'>): LaterStart {
  const start: LaterStart = {
    ...kept,
    dueAfter: () => (start.last === null ? start.atMs : undefined),
    overMs: kept.atMs,
    work: undefined,
    dropped: new AbortController(),
  };
  return start;
}

const STARTS = 'starts.json';

const Kept = z.object({
  id: z.string(),
  order: z.object({
    kind: z.enum(['run', 'sample', 'together']),
    words: z.array(z.string()),
    store: z.string(),
    about: z.string(),
    plan: z.string(),
  }),
  facts: ScheduledStart.pick({ list: true, operation: true, account: true, sandbox: true, budget: true }),
  atMs: z.number(),
  last: ScheduleView.shape.last,
});
type Kept = z.infer<typeof Kept>;
