import { answerFacts, finding, NO_FINDINGS } from '../../core/finding.ts';
import type { Findings } from '../../core/findings.ts';
import {
  inviteIn,
  type KnownSubject,
  type Role,
  type Subject,
  type SubjectDoubt,
  type SubjectFacts,
  subjectOfInvite,
  subjectOfUser,
  type Team,
  userIn,
} from '../../core/membership.ts';
import { present } from '../../core/objects.ts';
import { type PlannedAction, type PlannedWork, partsOf } from '../../core/operation.ts';

/**
 * The parts that all operations share which change a person's place in a project. The person is looked up,
 * the operation decides on an action, and the action becomes the work of the row. `change-steps.ts` carries
 * it out, one call at a time.
 */

/**
 * A subject at the moment of a change: how many of its changes were settled before, and the known facts about
 * it.
 */
export interface SubjectNow {
  readonly subject: Subject;
  readonly sequence: number;
  readonly facts?: SubjectFacts;
  readonly email?: string;
}

export interface PersonInProject extends SubjectNow {
  readonly subject: Subject & { readonly project: string };
  /** The user id that the row gives. It says that the person has accepted. */
  readonly givenUserId?: string;
  /** The facts that the ledger itself has under this name. */
  readonly remembered?: SubjectFacts;
  readonly doubt?: SubjectDoubt;
}

/** The row's identifiers of a person, at least one: e-mail, user id or invite code. */
export interface Names {
  readonly email?: string | undefined;
  readonly userId?: string | undefined;
  readonly inviteCode?: string | undefined;
}

/**
 * Finds a person by the e-mail address where there is one, so that everything known of the person is in one
 * place. A person who was changed by the user id alone has a record under that id as well: the later change
 * counts.
 */
export function personIn(team: Team, project: string, names: Names): PersonInProject {
  const { email, userId, inviteCode } = names;
  const known = recordOf(team, project, names);
  const id = userId ?? known?.facts?.userId;
  const byId = id === undefined ? undefined : team.find({ project, name: subjectOfUser(id) });
  const facts = laterFacts(known, byId);
  const knownEmail = email ?? facts?.email;
  const doubt = known?.doubt ?? byId?.doubt;
  const given = userId === undefined ? subjectOfInvite(inviteCode ?? '') : subjectOfUser(userId);
  const subject = { project, name: email ?? known?.subject.name ?? given };
  const remembered = team.remembered(subject);
  return {
    subject,
    sequence: known?.sequence ?? 0,
    ...present({ facts, email: knownEmail, givenUserId: userId, remembered, doubt }),
  };
}

function recordOf(team: Team, project: string, names: Names): KnownSubject | undefined {
  const { email, userId, inviteCode } = names;
  if (email !== undefined) return team.find({ project, name: email });
  if (userId === undefined)
    return (
      team.ofInvite(project, inviteCode ?? '') ??
      team.find({ project, name: subjectOfInvite(inviteCode ?? '') })
    );
  return team.ofUser(project, userId) ?? team.find({ project, name: subjectOfUser(userId) });
}

function laterFacts(
  known: KnownSubject | undefined,
  byId: KnownSubject | undefined,
): SubjectFacts | undefined {
  const isLater = byId?.facts !== undefined && (byId.changedAtMs ?? 0) > (known?.changedAtMs ?? -1);
  if (!isLater) return known?.facts;
  const { inviteCode: _, ...before } = known?.facts ?? {};
  return { ...before, ...byId.facts };
}

export type PersonAction =
  | { readonly kind: 'unchanged' | 'refuse'; readonly findings: Findings }
  | { readonly kind: 'invite'; readonly email: string; readonly role: Role }
  /** The role of an invite cannot be changed: it is deleted, then created again. */
  | {
      readonly kind: 'reinvite';
      readonly email: string;
      readonly inviteCode: string;
      readonly role: Role;
      /** The role with which the invite is created again when the service refuses the new one. */
      readonly before: Role;
    }
  | { readonly kind: 'update'; readonly userId: string; readonly role: Role }
  | { readonly kind: 'delete'; readonly inviteCode: string }
  | { readonly kind: 'remove'; readonly userId: string };

export const unchanged = (findings: Findings): PersonAction => ({ kind: 'unchanged', findings });
export const refuse = (findings: Findings): PersonAction => ({ kind: 'refuse', findings });

/** The person as facts of a finding name them. */
export function whoIs({ email, subject }: Pick<SubjectNow, 'email' | 'subject'>) {
  const user_id = userIn(subject);
  const invite_code = inviteIn(subject);
  if (email === undefined && (user_id ?? invite_code) !== undefined) return present({ user_id, invite_code });
  return { email: email ?? subject.name };
}

/**
 * The action that gives a person in the project that role; undefined for a person who is not known to be in
 * it.
 */
export function roleAction(person: PersonInProject, role: Role): PersonAction | undefined {
  const { facts, givenUserId } = person;
  const userId = givenUserId ?? facts?.userId;
  switch (facts?.state) {
    case 'invited':
      if (facts.role === role) return unchanged(finding('already_invited', { ...whoIs(person), role }));
      return givenUserId === undefined ? reinviteAction(person, role) : update(givenUserId, role);
    case 'member':
      return memberAction(person, userId, role);
    case 'accepted_or_deleted':
      return userId === undefined ? refuse(missingInvite(person, 'change_role')) : update(userId, role);
    default:
      // The row names a user unknown to the ledger, or only that another user id of the same person has left.
      if (givenUserId === undefined || givenUserId === facts?.userId) return undefined;
      return update(givenUserId, role);
  }
}

function memberAction(person: PersonInProject, userId: string | undefined, role: Role): PersonAction {
  const { facts, givenUserId } = person;
  const isSameUser = givenUserId === undefined || facts?.userId === undefined || givenUserId === facts.userId;
  if (facts?.role === role && isSameUser)
    return unchanged(finding('already_member', { ...whoIs(person), role }));
  if (userId !== undefined) return update(userId, role);
  return refuse(finding('has_accepted', { ...whoIs(person), to: 'change_role' }));
}

const update = (userId: string, role: Role): PersonAction => ({ kind: 'update', userId, role });

function reinviteAction(person: PersonInProject, role: Role): PersonAction {
  const { email, facts } = person;
  const { inviteCode, role: before } = facts ?? {};
  if (email === undefined || inviteCode === undefined || before === undefined)
    return refuse(finding('invite_unclear', whoIs(person)));
  return { kind: 'reinvite', email, inviteCode, role, before };
}

/**
 * Of a person whose invite the vendor does not have.
 * @param to what was wanted.
 * @param answer where the vendor was asked just now.
 */
export const missingInvite = (
  person: Pick<SubjectNow, 'email' | 'subject'>,
  to: 'change_role' | 'remove',
  answer = NO_FINDINGS,
): Findings => finding('invite_missing', { ...whoIs(person), to, ...answerFacts(answer) });

export function removalAction(person: PersonInProject): PersonAction {
  const { facts, givenUserId } = person;
  const userId = givenUserId ?? facts?.userId;
  switch (facts?.state) {
    case 'invited':
      if (givenUserId !== undefined) return { kind: 'remove', userId: givenUserId };
      return deleteAction(person);
    case 'member':
      if (userId !== undefined) return { kind: 'remove', userId };
      return refuse(finding('has_accepted', { ...whoIs(person), to: 'remove' }));
    case 'accepted_or_deleted':
      if (userId !== undefined) return { kind: 'remove', userId };
      return refuse(missingInvite(person, 'remove'));
    default:
      if (givenUserId !== undefined && givenUserId !== facts?.userId)
        return { kind: 'remove', userId: givenUserId };
      return unchanged(finding('not_in_project', whoIs(person)));
  }
}

export function deleteAction(person: PersonInProject): PersonAction {
  const inviteCode = person.facts?.inviteCode;
  if (inviteCode !== undefined) return { kind: 'delete', inviteCode };
  return refuse(finding('invite_code_unknown', whoIs(person)));
}

export interface PersonWork extends PlannedWork {
  /** `sequence` is the number at which the subject stood when the row was planned. */
  readonly was: { readonly sequence: number; readonly facts?: SubjectFacts };
  /** What is done about the person; `action` says it in one word. */
  readonly personAction: PersonAction;
  /** The project that has to be made first. */
  readonly makes?: { readonly subject: Subject; readonly sequence: number; readonly project: NewProject };
}

/**
 * What calls that were answered have done about a person. A new role of an invite takes two of them.
 * @param operations the names of the calls.
 */
export function actionDone(operations: readonly string[]): PlannedAction | undefined {
  const has = (name: string): boolean => operations.includes(name);
  if (has('update-user') || (has('delete-invite') && has('create-invite'))) return 'change_role';
  if (has('create-invite')) return 'invite';
  if (has('delete-invite') || has('remove-user')) return 'remove';
  return operations.length === 0 ? undefined : 'call';
}

export interface NewProject {
  readonly name: string;
  readonly description: string;
  readonly organizationId: string;
}

/** The work of a planned row, as the ledger keeps it: the work of a person, or of any other change. */
export type KeptWork = PlannedWork & Partial<Pick<PersonWork, 'was' | 'personAction' | 'makes'>>;

/** The works of the row, one for each of its projects. */
export const keptWorks = (work: object) => partsOf(work as unknown as KeptWork);

/** @param to a role, or `none`. @param project the name in the list; left out: the id. */
export function workOf(
  person: PersonInProject,
  to: string,
  action: PersonAction,
  project?: string,
): PersonWork {
  const { subject, sequence, facts, email } = person;
  const from = roleNow(facts);
  const sure = surely(person, action);
  const learns = sure.kind === 'unchanged' ? learntFrom(person) : undefined;
  return {
    subject,
    to,
    ...plannedAs(sure),
    ...present({ from, email, learns, note: noteOf(person, learns) }),
    project: project ?? subject.project,
    was: { sequence, ...present({ facts }) },
    personAction: sure,
  };
}

/**
 * The facts that the list adds about a person by e-mail whose place does not change; undefined where it adds
 * nothing.
 */
function learntFrom({ email, facts, remembered, givenUserId }: PersonInProject): SubjectFacts | undefined {
  if (email === undefined || (facts?.state !== 'invited' && facts?.state !== 'member')) return undefined;
  const { inviteCode: _, ...rest } = facts;
  if (givenUserId !== undefined) {
    const isKnown = remembered?.state === 'member' && remembered.userId === givenUserId;
    if (!isKnown) return { ...rest, state: 'member', email, userId: givenUserId };
  }
  return remembered !== undefined && remembered.role !== facts.role ? { ...facts, email } : undefined;
}

/** A note about facts in the list, or from the service, that the ledger lacks or contradicts. */
function noteOf(person: PersonInProject, learns: SubjectFacts | undefined): string | undefined {
  const { facts, remembered, givenUserId } = person;
  const words: string[] = [];
  const { userId, role } = remembered ?? {};
  if (givenUserId !== undefined && userId !== undefined && userId !== givenUserId)
    words.push(`the ledger has the user_id ${userId}, the list ${givenUserId}`);
  else if (givenUserId !== undefined && learns !== undefined)
    words.push(`the user_id ${givenUserId} is noted`);
  if (role !== undefined && facts?.role !== undefined && role !== facts.role)
    words.push(`the ledger has ${role}: others have changed it to ${facts.role}`);
  return words.length === 0 ? undefined : words.join('; ');
}

/** Refuses a row with an id that belongs to another known person: its change would be done to that person. */
export function ofAnother(
  team: Team,
  { email, ...ids }: Names,
): { readonly kind: 'invalid'; readonly findings: Findings } | undefined {
  const other = email === undefined ? undefined : team.otherThan(email, present(ids));
  if (email === undefined || other === undefined) return undefined;
  const { input, id: cell, whose: of } = other;
  return { kind: 'invalid', findings: finding('id_of_another', { input, cell, of, email }) };
}

/**
 * The word that the plan keeps for each action. An invite that is deleted and created anew is another role
 * for the same person.
 */
const ACTIONS = {
  unchanged: undefined,
  refuse: undefined,
  invite: 'invite',
  reinvite: 'change_role',
  update: 'change_role',
  delete: 'remove',
  remove: 'remove',
} as const satisfies Record<PersonAction['kind'], PlannedAction | undefined>;

export function plannedAs({ kind }: Pick<PersonAction, 'kind'>): Pick<PlannedWork, 'action'> {
  const action = ACTIONS[kind];
  return action === undefined ? {} : { action };
}

function roleNow(facts: SubjectFacts | undefined): string | undefined {
  switch (facts?.state) {
    case 'invited':
    case 'member':
      return facts.role;
    case 'reinvite_due':
    case 'gone':
      return 'none';
    default:
      return undefined;
  }
}

/** An earlier change is in doubt. @param who the person, where the place that shows it does not say who. */
export function inDoubt(
  { operation: call, row, batch, isOpen: open }: SubjectDoubt,
  who: Partial<ReturnType<typeof whoIs>> = {},
): Findings {
  return finding('change_in_doubt', { ...who, call, row, batch, ...present({ open }) });
}

/**
 * While an answer is lost, no one can say that there is nothing to do. A change that is to be sent is held
 * back by the ledger itself.
 */
function surely(person: PersonInProject, action: PersonAction): PersonAction {
  const { doubt } = person;
  if (doubt === undefined || action.kind !== 'unchanged') return action;
  return refuse(inDoubt(doubt, whoIs(person)));
}
