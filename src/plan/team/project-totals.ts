import type { ChangePlan, PlannedChange } from './change-plan.ts';

/** What a plan comes to in one project. */
export interface ProjectTotal {
  readonly project: string;
  /** Whether it is made first. */
  readonly isNew: boolean;
  /** How many are invited, by role. */
  readonly invited: Readonly<Record<string, number>>;
  /** How many get another role, by the new one. */
  readonly changed: Readonly<Record<string, number>>;
  readonly removed: number;
  /** Rows that are so already, and people whom the list does not name and who stay. */
  readonly stay: number;
  /** Invalid, refused, held back or in doubt. */
  readonly attention: number;
}

type Counting = ReturnType<typeof newTotal>;

/** In the order of their names. What belongs to no project is left out, and so is one in which nothing is done: it may be misspelt. */
export function projectTotals({
  changes,
  leavers,
}: Pick<ChangePlan, 'changes' | 'leavers'>): readonly ProjectTotal[] {
  const totals = new Map<string, Counting>();
  const of = (project: string): Counting => {
    const total = totals.get(project) ?? newTotal(project);
    totals.set(project, total);
    return total;
  };
  for (const change of changes) if (change.project !== undefined) count(of(change.project), change);
  for (const { project } of leavers) of(project).stay += 1;
  const some = [...totals.values()].filter(({ attention, ...rest }) => isSome(rest));
  return some.sort((one, other) => (one.project < other.project ? -1 : 1));
}

const isSome = ({ isNew, invited, changed, removed, stay }: Omit<Counting, 'attention'>): boolean =>
  isNew || removed + stay + Object.keys(invited).length + Object.keys(changed).length > 0;

function count(total: Counting, { action, to = 'a role' }: PlannedChange): void {
  switch (action) {
    case 'create_project':
      total.isNew = true;
      return;
    case 'invite':
      total.invited[to] = (total.invited[to] ?? 0) + 1;
      return;
    case 'change_role':
      total.changed[to] = (total.changed[to] ?? 0) + 1;
      return;
    case 'remove':
      total.removed += 1;
      return;
    case 'unchanged':
      total.stay += 1;
      return;
    case 'call':
      return;
    default:
      total.attention += 1;
  }
}

function newTotal(project: string) {
  const roles = (): Record<string, number> => ({});
  return { project, isNew: false, invited: roles(), changed: roles(), removed: 0, stay: 0, attention: 0 };
}
