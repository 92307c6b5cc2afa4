import { whatWords } from '../../../../files/output/summary-words.ts';
import type { BatchObject, BatchStatusObject } from '../../../api.ts';
import { allRows, counted, grouped } from '../../parts/figures.ts';

/** Her words for work on a list and for its results. */

const DONE: Readonly<Record<string, (count: number) => string>> = {
  invite: (count) => `${grouped(count)} invited`,
  change_role: (count) => `${grouped(count)} with another role`,
  remove: (count) => `${grouped(count)} removed`,
  create_project: (count) => `${counted(count, 'project')} made`,
};

/** `7 invited, 6 removed`. */
export const changeWords = (done: Readonly<Record<string, number>>): string =>
  Object.entries(done)
    .map(([what, count]) => DONE[what]?.(count) ?? `${grouped(count)} done`)
    .join(', ');

/** `companies`, or for a team what was changed. */
export const aboutWords = ({
  operation,
  changes,
  undoes,
}: Pick<BatchStatusObject, 'operation' | 'changes' | 'undoes'>) =>
  [undoes === null ? whatWords(operation) : 'undone', changeWords(changes?.done ?? {})]
    .filter((word) => word !== '')
    .join(' · ');

/** Rows that have no end yet. */
export const rowsLeft = (batch: BatchStatusObject): number => allRows(batch) - batch.settled;

/** Whether a question was sent. */
export const isBegun = ({ requests_last_minute: requests, open, credits }: BatchStatusObject): boolean =>
  requests + open + credits.spent > 0;

/** `jo on mac-1`: who has paused a list or works on it. */
export const byWhom = ({ by }: Pick<BatchObject, 'by'>): string =>
  by === undefined ? 'a person whose name is not known' : `${by.operator} on ${by.host}`;

/** Whether it can go on: it has rows left, and nobody works on it. */
export const isLeft = (batch: BatchStatusObject | undefined): batch is BatchStatusObject =>
  batch?.state === 'open' && !batch.running;
