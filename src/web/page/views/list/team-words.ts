import type { PlannedChangeObject, PlanObject } from '../../../api.ts';
import { forPage } from '../../loaded.tsx';

/** What a plan does with each person, in the parts by which the table is filtered, and in her words. */

export type TeamPart = 'invite' | 'change_role' | 'remove' | 'unchanged' | 'invalid';

export const SIGNS: Readonly<Record<TeamPart, string>> = {
  invite: '+',
  change_role: '~',
  remove: '−',
  unchanged: '=',
  invalid: '!',
};

/** One line of the table: a row of the list in one project, or a person whom the list does not name. */
export interface TeamRow {
  /** Undefined for a person whom the list does not name. */
  readonly row: number | undefined;
  readonly part: TeamPart;
  readonly email: string;
  readonly project: string;
  readonly role: string;
  readonly happens: string;
  /** The cells that it is about are quoted in it; blank for a row without a fault. */
  readonly reason: string;
}

export const isSent = ({ calls }: PlannedChangeObject): boolean => calls !== undefined;

export const isMaking = ({ action }: PlannedChangeObject): boolean => action === 'create_project';

export const whoIs = ({ email, user_id: userId }: PlannedChangeObject): string => email ?? userId ?? '';

export function teamRows({ changes = [], leavers = [], unknown }: PlanObject): readonly TeamRow[] {
  const made = new Set(changes.filter(isMaking).map(({ project }) => project));
  const ofList = changes
    .filter((change) => !isMaking(change))
    .map((change): TeamRow => {
      const { row, email, project, from, to, beyond = false } = change;
      return {
        row: beyond ? undefined : row,
        part: partOf(change),
        email: email ?? change.user_id ?? '',
        project: project ?? '',
        role: (to === 'none' ? from : to) ?? '',
        happens: [happensTo(change, made, unknown), change.note ?? ''].filter(Boolean).join('; '),
        reason: change.reason ?? '',
      };
    });
  const others = leavers.map(({ email, project, role }): TeamRow => {
    const happens = 'stays, and is not on the list';
    return { row: undefined, part: 'unchanged', email, project, role: role ?? '', happens, reason: '' };
  });
  return [...ofList, ...others];
}

function partOf({ action }: PlannedChangeObject): TeamPart {
  switch (action) {
    case 'invite':
    case 'change_role':
    case 'remove':
    case 'unchanged':
      return action;
    case 'skipped':
      return 'unchanged';
    case 'call':
    case 'create_project':
      return 'invite';
    default:
      return 'invalid';
  }
}

function happensTo(
  change: PlannedChangeObject,
  made: ReadonlySet<string | null>,
  unknown: PlanObject['unknown'],
): string {
  const { action, from, to, project, calls = [], beyond, reason = '' } = change;
  switch (action) {
    case 'invite':
      return made.has(project) ? 'is invited, once the project is made' : 'is invited';
    case 'change_role': {
      const roles = `${from ?? 'another role'} → ${to}`;
      return calls.includes('create-invite') ? `${roles}, by a new invite` : roles;
    }
    case 'remove':
      return beyond === true ? 'is removed: no longer on the list' : 'is removed';
    case 'unchanged':
      return (from !== to && forPage(reason)) || 'is as the list says';
    case 'in_doubt':
      return 'waits: nobody knows yet what came of an earlier change';
    case 'invalid':
      return faultOf(change, unknown);
    default:
      return (beyond === true ? heldBackFor(reason) : forPage(reason)) || 'nothing is changed';
  }
}

function faultOf({ project, reason = '' }: PlannedChangeObject, unknown: PlanObject['unknown']): string {
  const names = project?.split(/[;|]/).map((name) => name.trim().toLowerCase()) ?? [];
  const stranger = unknown?.projects.find(({ name }) => names.includes(name.toLowerCase()));
  const word = unknown?.roles.find(({ name }) => isQuoted(name, reason));
  const said = [
    stranger && `nobody knows the project ${stranger.name}${meantIn(reason, 'project')}`,
    word && `“${word.name}” is no role${meantIn(reason, 'role')}`,
    ...otherFacts(reason, [stranger && 'project', word && 'role']),
  ];
  const fault = said.filter(Boolean).join('; ') || 'a cell cannot be read';
  return stranger || word ? `${fault}: say it beside, or correct the cell` : `${fault}: correct the cell`;
}

function meantIn(reason: string, cell: string): string {
  const meant = new RegExp(`${cell} "[^"]*" is not [^"]*Did you mean ([^?]*)\\?`).exec(reason)?.[1];
  return meant === undefined ? '' : ` (${meant}?)`;
}

/** What else is wrong. The cell stands beside it, and what begins with a capital letter is for a terminal. */
const otherFacts = (reason: string, known: readonly (string | undefined)[]): readonly string[] =>
  reason
    .split('. ')
    .filter((fact) => /^[a-z]/.test(fact) && !known.some((cell) => cell && fact.startsWith(`${cell} "`)))
    .map((fact) => forPage(fact.replace(/ ".*?"(?= )/, '').replace(/^e-mail is not/, 'this is not')));

/** `stays for now: row 5 is invalid and may mean the same person`. */
const heldBackFor = (reason: string): string => {
  const because = /because (.*?)(?:\. |$)/.exec(reason)?.[1];
  return because === undefined ? forPage(reason) : `stays for now: ${because}`;
};

/** Whether the sentence about a row says this cell. */
export const isQuoted = (cell: string, sentence: string): boolean =>
  cell.trim() !== '' && sentence.toLowerCase().includes(`"${cell.trim().toLowerCase()}"`);
