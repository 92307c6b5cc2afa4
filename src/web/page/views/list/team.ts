import { isInvite } from '../../../../core/described.ts';
import type { PlannedChangeObject, PlanObject } from '../../../api.ts';

/** What a plan does with each person, in the parts by which the table is filtered, and in her words. */

const SIGNS = { invite: '+', change_role: '~', remove: '−', unchanged: '=', invalid: '!' } as const;
export type TeamPart = keyof typeof SIGNS;

/** Blank where the look is none of a part. */
export const markOf = (look = ''): string => (look in SIGNS ? SIGNS[look as TeamPart] : '');

/** What was done with a person, in the part in which it was planned. */
export const partDone = (action = ''): TeamPart => (action in SIGNS ? (action as TeamPart) : 'invite');

/** One line of the table: a row of the list in one project, or a person whom the list does not name. */
export interface TeamRow {
  /** Undefined for a person whom the list does not name. */
  readonly row: number | undefined;
  readonly part: TeamPart;
  readonly email: string;
  readonly project: string;
  readonly role: string;
  readonly happens: string;
  /** The inputs whose cells are wrong, as far as what is said of the row names them. */
  readonly wrong: readonly string[];
}

export const isSent = ({ calls }: PlannedChangeObject): boolean => calls !== undefined;

export const isMaking = ({ action }: PlannedChangeObject): boolean => action === 'create_project';

export const whoIs = ({ email, user_id: userId }: PlannedChangeObject): string => email ?? userId ?? '';

export function teamRows({ changes = [], leavers = [] }: Partial<PlanObject>): readonly TeamRow[] {
  const made = new Set(changes.filter(isMaking).map(({ project }) => project));
  const ofList = changes
    .filter((change) => !isMaking(change))
    .map((change): TeamRow => {
      const { row, project, from, to, beyond = false, note = '', findings = [] } = change;
      return {
        row: beyond ? undefined : row,
        part: partOf(change),
        email: whoIs(change),
        project: project ?? '',
        role: (to === 'none' ? from : to) ?? '',
        happens: [happensTo(change, made), note].filter(Boolean).join('; '),
        wrong: findings.flatMap(inputsOf),
      };
    });
  const others = leavers.map(({ email, project, role }): TeamRow => {
    const happens = 'stays, and is not on the list';
    return { row: undefined, part: 'unchanged', email, project, role: role ?? '', happens, wrong: [] };
  });
  return [...ofList, ...others];
}

function inputsOf({ facts }: NonNullable<PlannedChangeObject['findings']>[number]): readonly string[] {
  if ('inputs' in facts) return facts.inputs;
  return 'input' in facts ? [facts.input] : [];
}

/** Every other action needs a person. */
function partOf({ action }: PlannedChangeObject): TeamPart {
  if (action === 'skipped') return 'unchanged';
  return action in SIGNS ? (action as TeamPart) : 'invalid';
}

function happensTo(change: PlannedChangeObject, made: ReadonlySet<string | null>): string {
  const { action, from, to, project, calls = [], beyond } = change;
  const reason = change.says;
  switch (action) {
    case 'invite':
      return made.has(project) ? 'is invited, once the project is made' : 'is invited';
    case 'change_role':
      return `${from ?? 'another role'} → ${to}${calls.some(isInvite) ? ', by a new invite' : ''}`;
    case 'remove':
      return beyond === true ? 'is removed: no longer on the list' : 'is removed';
    case 'unchanged':
      return (from !== to && reason) || 'is as the list says';
    case 'in_doubt':
      return 'waits: nobody knows yet what came of an earlier change';
    case 'invalid':
      return reason || 'a cell cannot be read: correct it';
    default:
      return reason || 'nothing is changed';
  }
}
