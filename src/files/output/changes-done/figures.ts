import type { PlannedAction } from '../../../core/operation.ts';

/** `held_back`: a removal that no row asks for, and that an invalid row forbids or nobody can make. */
export const CHANGE_ENDS = [
  'applied',
  'unchanged',
  'held_back',
  'refused',
  'in_doubt',
  'skipped',
  'invalid',
  'pending',
] as const;

export type ChangeEnd = (typeof CHANGE_ENDS)[number];

type DoneCounts = Readonly<Partial<Record<PlannedAction, number>>>;
export type EndCounts = Readonly<Partial<Record<ChangeEnd, number>>>;

export interface ChangeFigures {
  /** How many changes were made. A project counts once, however many rows it was made for. */
  readonly done: DoneCounts;
  /** How the changes of the plan ended, each subject once; an invalid row of which nobody knows whom it means is one. */
  readonly counts: EndCounts;
  /** How many of those that were applied the service has answered without a word about them. */
  readonly withoutWord: number;
}

export interface ChangeGroup extends ChangeFigures {
  /** As the list calls it; undefined for what belongs to no project. */
  readonly project: string | undefined;
  /** A role, `none` for "not in it", or in a word what else is wanted. */
  readonly to: string;
}
