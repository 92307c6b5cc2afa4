import { isInvite } from '../../../../core/described.ts';
import { type PeopleEnd, peopleWith, plannedPeople, plannedPerson } from '../../../../core/people.ts';
import { listed } from '../../../../core/plain-text.ts';
import type { ChangesObject, PlannedChangeObject, PlanObject } from '../../../api.ts';
import { counted, grouped } from '../../parts/figures.ts';

/** What a plan does with each person, in the parts by which the table is filtered, and in her words. */

const SIGNS = { invite: '+', change_role: '~', remove: '−', unchanged: '=', invalid: '!' } as const;
export type TeamPart = keyof typeof SIGNS;

/** The rows of a list that came again have the same signs. */
export const SINCE = { added: 'invite', changed: 'change_role', gone: 'remove' } as const;

/** Blank where the look is none of a part. */
export const markOf = (look = ''): string => (look in SIGNS ? SIGNS[look as TeamPart] : '');

/** What was done with a person, in the part in which it was planned. */
export const partDone = (action = ''): TeamPart => (action in SIGNS ? (action as TeamPart) : 'invite');

/** One line of the table: a row of the list in one project, or a person whom the list does not name. */
export interface TeamRow {
  /** Undefined for a person whom the list does not name. */
  readonly row: number | undefined;
  readonly part: TeamPart;
  /** What becomes of the person by all of the plan; undefined for one who stays, and is not on the list. */
  readonly end: PeopleEnd | undefined;
  readonly email: string;
  readonly project: string;
  readonly role: string;
  readonly happens: string;
  /** The inputs whose cells are wrong, as far as what is said of the row names them. */
  readonly wrong: readonly string[];
}

/** Who is not on the list and stays is none of its people. */
export const OFF_LIST = 'off_list';

export const isSent = ({ calls }: PlannedChangeObject): boolean => calls !== undefined;

export const isMaking = ({ action }: PlannedChangeObject): boolean => action === 'create_project';

export const whoIs = ({ email, user_id: userId }: PlannedChangeObject): string => email ?? userId ?? '';

export function teamRows(plan: Partial<PlanObject>): readonly TeamRow[] {
  const { changes = [], leavers = [] } = plan;
  const made = new Set(changes.filter(isMaking).map(({ project }) => project));
  const people = plannedPeople(changes);
  const ofPeople = changes.filter((change) => !isMaking(change));
  const ofRow = Map.groupBy(ofPeople, ({ row }) => row);
  const ofList = ofPeople.map((change): TeamRow => {
    const { row, project, from, to, beyond = false, note = '', findings = [] } = change;
    // What is sent names its project itself.
    const isOneOf = (ofRow.get(row)?.length ?? 0) > 1 && !isSent(change);
    const place = isOneOf ? `${project}: ` : '';
    return {
      row: beyond ? undefined : row,
      part: partOf(change),
      end: people.endOf(plannedPerson(change)),
      email: whoIs(change),
      project: project ?? '',
      role: (to === 'none' ? from : to) ?? '',
      // The list from which a removal comes is said once for all, beside the tick for removals.
      happens: place + [happensTo(change, made), beyond ? '' : note].filter(Boolean).join('; '),
      wrong: findings.flatMap(inputsOf),
    };
  });
  const others = leavers.map(({ email, project, role }): TeamRow => {
    const happens = `stays in ${project}, and is not on the list`;
    const end = undefined;
    return { row: undefined, part: 'unchanged', end, email, project, role: role ?? '', happens, wrong: [] };
  });
  return [...ofList, ...others];
}

/** What a plan does, in the figures of what was done: people, and changes by what they do. */
export function plannedTeam({
  changes = [],
}: PlanObject): Pick<ChangesObject, 'people' | 'planned' | 'done'> {
  const done: Record<string, number> = {};
  for (const { action } of changes.filter(isSent)) done[action] = (done[action] ?? 0) + 1;
  // One that waits for the answer to an earlier one is a change as well.
  const planned = changes.filter((change) => isSent(change) || change.action === 'in_doubt').length;
  return { people: plannedPeople(changes).counts, planned, done };
}

/**
 * `24 people get an e-mail from Data`: an invite that is made anew for another role is mailed as well. Blank
 * where nothing is mailed.
 */
export function mailWords({ changes = [] }: OfChanges, service: string): string {
  const mailed = changes.filter(({ calls = [] }) => calls.some(isInvite));
  const { length: people } = peopleWith(mailed);
  const mails = mailed.length === people ? 'an e-mail' : counted(mailed.length, 'e-mail');
  return people === 0 ? '' : `${counted(people, 'person gets', 'people get')} ${mails} from ${service}`;
}

/** Whom a list that lacks them could remove, by project: `13 in Atlas and 2 in Beacon`. */
export function missingIn({ changes = [], leavers = [] }: PlanObject): string {
  const off = [...changes.filter(({ beyond }) => beyond === true), ...leavers];
  const byProject = Map.groupBy(off, ({ project }) => project);
  return listed([...byProject].map(([project, missing]) => `${grouped(missing.length)} in ${project}`));
}

/** By which lists those came who are removed: `last changed by spring.csv`; blank where nobody is. */
export const cameWith = ({ changes = [] }: OfChanges): string =>
  [...new Set(changes.flatMap(({ beyond, note }) => (beyond && note) || []))].join(', ');

const CHANGE_WORDS = {
  invite: 'Invites',
  change_role: 'Roles changed',
  remove: 'Removals',
  create_project: 'New projects',
  call: 'Calls',
} as const;

/** Changes by what they do, in lines that add up. @param others those that are not made, or wait. */
export const changeFacts = (done: ChangesObject['done'], ...others: (readonly [string, number])[]) =>
  [...Object.entries(CHANGE_WORDS).map(([name, words]) => [words, done[name] ?? 0] as const), ...others]
    .filter(([, count]) => count > 0)
    .map(([words, count]) => [words, grouped(count)] as const);

/** Who loses access, or is admin no more; undefined where nobody does. */
export function losingIn({ changes = [] }: OfChanges) {
  const losing = changes.filter(
    (change) => isSent(change) && (change.action === 'remove' || isAdminNow(change)),
  );
  const people = peopleWith(losing);
  const [only] = people;
  if (only === undefined) return undefined;
  const isOne = people.length === 1;
  const [first] = only.changes;
  const { length: out } = people.filter((each) => each.changes.some(({ action }) => action === 'remove'));
  const staying = people.length - out;
  const kinds = [
    out > 0 && counted(out, 'loses access', 'lose access'),
    staying > 0 && counted(staying, 'is no longer admin', 'are no longer admin'),
  ];
  return {
    says: listed(kinds.filter((words) => words !== false)),
    people: people.map(({ name }) => name),
    who: people.map(({ name, changes: ofOne }) => name + losingWords(ofOne)),
    phrase: isOne && first ? whoIs(first) : String(people.length),
    isCount: !isOne,
    about: losing.map((each) => `${whoIs(each)} in ${each.project}`).join(),
  };
}

/** Who was admin, and what the person is instead. */
function losingWords(changes: readonly PlannedChangeObject[]): string {
  const last = changes.find(isAdminNow);
  if (last === undefined) return '';
  return last.action === 'remove' ? ', an admin' : `, ${last.to} instead`;
}

/** Of a start or of an undo. */
type OfChanges = Pick<PlanObject, 'changes'>;

const isAdminNow = ({ from, to }: PlannedChangeObject): boolean => from === 'admin' && to !== 'admin';

export function inputsOf({ facts }: NonNullable<PlannedChangeObject['findings']>[number]): readonly string[] {
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
  const held = heldWords(change);
  const reason = held ? `stays: ${held}` : (change.says ?? '');
  switch (action) {
    case 'invite':
      return `is invited to ${project} as ${to}${made.has(project) ? ', once the project is made' : ''}`;
    case 'change_role':
      return `${from ?? 'another role'} → ${to} in ${project}${calls.some(isInvite) ? ', by a new invite' : ''}`;
    case 'remove':
      return `is removed from ${project}${beyond === true ? ': no longer on the list' : ''}`;
    case 'unchanged':
      return (from !== to && reason) || 'is as the list says';
    case 'in_doubt':
      return 'waits: the result of an earlier change is not known yet';
    case 'skipped':
      return `left out: ${reason}`;
    case 'invalid':
      return reason || 'a cell cannot be read: correct it';
    default:
      return reason || 'nothing is changed';
  }
}

/** Why a removal waits; undefined where none does. */
export const heldWords = ({ findings = [], says }: PlannedChangeObject): string | undefined =>
  findings.some(({ code }) => code === 'held_back') ? says : undefined;
