import type { CallDescription, Effect } from '../../core/described.ts';
import { answerFacts, finding, isSoAlready, NO_FINDINGS, together } from '../../core/finding.ts';
import type { Findings } from '../../core/findings.ts';
import type { Change, Role, SubjectFacts } from '../../core/membership.ts';
import { isObject, present } from '../../core/objects.ts';
import {
  type Answer,
  type Answered,
  type Call,
  defineOperation,
  end,
  type JsonValue,
  type NextAction,
  type Operation,
  type OperationOptions,
  type Prepared,
  type RowInput,
  send,
} from '../../core/operation.ts';
import type { Outcome } from '../../core/row.ts';
import {
  missingInvite,
  type Names,
  type NewProject,
  ofAnother,
  type PersonAction,
  type PersonInProject,
  type PersonWork,
  personIn,
  type SubjectNow,
  whoIs,
  workOf,
} from './change-action.ts';
import { HEEDED, readText } from './change-inputs.ts';

/**
 * The calls of a row, one after the other, as its action says. They follow from the work of the row alone.
 * The dialect decides how a call is written: a `role` becomes the vendor's permissions on the way out.
 */

export function nextOfPerson(work: PersonWork, answered: Answered): NextAction {
  const { subject, was, email, personAction } = work;
  const now: SubjectNow = { subject, ...was, ...present({ email }) };
  const project = work.project ?? subject.project ?? '';
  switch (personAction.kind) {
    case 'unchanged':
      return end({ kind: 'unchanged', findings: personAction.findings });
    case 'refuse':
      return end({ kind: 'refused', findings: personAction.findings });
    case 'invite':
      return nextOfInvite(now, personAction, project, answered);
    case 'reinvite':
      return nextOfReinvite(now, personAction, project, answered);
    case 'update': {
      const { userId, role } = personAction;
      const changed = { ...present({ from: was.facts?.role }), to: role, project };
      return inOneCall(updateUser(now, userId, role), answered, {
        done: finding('role_changed', changed),
        notThere: (answer) => noSuchUser(now, userId, answer),
        refused: (answer) => finding('role_refused', { user_id: userId, role, ...answerFacts(answer) }),
      });
    }
    case 'delete':
      return inOneCall(deleteInvite(now, personAction.inviteCode, 'gone'), answered, {
        done: finding('invite_deleted', { project }),
        notThere: (answer) => missingInvite(now, 'remove', answer),
        refused: (answer) => finding('deletion_refused', answerFacts(answer)),
      });
    case 'remove': {
      const { userId } = personAction;
      return inOneCall(removeUser(now, userId), answered, {
        done: finding('removed', { project }),
        notThere: (answer) => noSuchUser(now, userId, answer),
        refused: (answer) => finding('removal_refused', { user_id: userId, ...answerFacts(answer) }),
      });
    }
  }
}

interface Ends {
  readonly done: Findings;
  notThere(answer: Findings): Findings;
  refused(answer: Findings): Findings;
}

function inOneCall(call: Call, answered: Answered, ends: Ends): NextAction {
  const answer = answered(call);
  switch (answer?.kind) {
    case undefined:
      return send(call);
    case 'found':
      return end(applied(ends.done));
    case 'no_match':
      return end(refused(ends.notThere(saidIn(answer))));
    case 'refused':
      if (isSoAlready(answer.findings)) return end(unchangedAs(answer));
      return end(refused(ends.refused(answer.findings)));
  }
}

type ActionOf<Kind extends PersonAction['kind']> = Extract<PersonAction, { readonly kind: Kind }>;

const applied = (findings: Findings): Outcome => ({ kind: 'applied', findings });
const refused = (findings: Findings): Outcome => ({ kind: 'refused', findings });

type NotDone = Exclude<Answer, { readonly kind: 'found' }>;

const saidIn = ({ findings = NO_FINDINGS }: NotDone): Findings => findings;

/** Whether the service refuses a change because the wanted state is already there: "already a member". */
const isAlready = (answer: NotDone): boolean => isSoAlready(saidIn(answer));

const unchangedAs = (answer: NotDone): Outcome => ({ kind: 'unchanged', findings: saidIn(answer) });

const inviteRefused = (role: Role, answer: NotDone): Findings =>
  finding('invite_refused', { role, ...answerFacts(saidIn(answer)) });

function nextOfInvite(
  now: SubjectNow,
  { email, role }: ActionOf<'invite'>,
  project: string,
  answered: Answered,
): NextAction {
  const wasDeleted = now.facts?.state === 'reinvite_due';
  const creation = createInvite(now, { email, role, ...(wasDeleted ? { atStake: NO_INVITE } : {}) });
  const answer = answered(creation);
  if (answer === undefined) return send(creation);
  if (answer.kind === 'found')
    return end(
      applied(finding('invited', { role, project, ...(isAtOnce(answer) ? { at_once: true } : {}) })),
    );
  if (isAlready(answer)) return end(unchangedAs(answer));
  const fact = inviteRefused(role, answer);
  return end(refused(wasDeleted ? together(fact, finding('no_invite_now', { email })) : fact));
}

const NO_INVITE = 'may have no invite';

/** A person who is already in the organization is in the project at once; some dialects can tell. */
const isAtOnce = ({ fields }: Extract<Answer, { kind: 'found' }>): boolean =>
  memberOf(fields, 'accepted') === true;

function memberOf(fields: JsonValue, name: string): JsonValue | undefined {
  return isObject(fields) ? fields[name] : undefined;
}

/**
 * The saga of a new role for an invite. Each step expects the number at which the step before it left the
 * subject, so a step that another batch has overtaken is never sent. A crash between the steps leaves the
 * person `reinvite_due`, and the kept plan goes on from there.
 */
function nextOfReinvite(
  now: SubjectNow,
  action: ActionOf<'reinvite'>,
  project: string,
  answered: Answered,
): NextAction {
  const { email, inviteCode, role, before } = action;
  const after = (changes: number): SubjectNow => ({ ...now, sequence: now.sequence + changes });
  const deletion = deleteInvite(now, inviteCode, 'reinvite_due');
  const deleted = answered(deletion);
  if (deleted === undefined) return send(deletion);
  if (deleted.kind === 'no_match') return end(refused(missingInvite(now, 'change_role', saidIn(deleted))));
  if (deleted.kind === 'refused')
    return end(refused(finding('deletion_refused', { role: before, ...answerFacts(deleted.findings) })));
  const creation = createInvite(after(1), { email, role, atStake: NO_INVITE });
  const created = answered(creation);
  if (created === undefined) return send(creation);
  if (created.kind === 'found') {
    const by_invite = isAtOnce(created) ? 'accepted' : 'waits';
    return end(applied(finding('role_changed', { from: before, to: role, project, by_invite })));
  }
  // The service has deleted the invite, and yet has one: no one but the service can say with which role.
  if (isAlready(created))
    return end(
      refused(finding('invited_otherwise', { role: before, wanted: role, ...answerFacts(saidIn(created)) })),
    );
  const fact = inviteRefused(role, created);
  const restoration = createInvite(after(2), { email, role: before, atStake: NO_INVITE });
  const restored = answered(restoration);
  if (restored === undefined) return send(restoration);
  return end(refused(together(fact, restoredAs(before, now, restored))));
}

/** What came of the invite with the role of before, after the new role was refused. */
function restoredAs(role: Role, now: SubjectNow, answer: Answer): Findings {
  if (answer.kind === 'found') return finding('invite_restored', { role });
  if (isAlready(answer)) return finding('invite_is_there', { role, ...answerFacts(saidIn(answer)) });
  return together(inviteRefused(role, answer), finding('no_invite_now', whoIs(now)));
}

const noSuchUser = ({ subject: { project = '' } }: SubjectNow, userId: string, answer: Findings): Findings =>
  finding('no_such_user', { user_id: userId, project, ...answerFacts(answer) });

/** The state of a project that was asked for: it has an id now, or a step is left to do. */
type ProjectStep =
  | { readonly kind: 'made'; readonly id: string }
  | { readonly kind: 'step'; readonly step: NextAction };

export function nextOfProject(now: SubjectNow, project: NewProject, answered: Answered): ProjectStep {
  const creation = createProject(now, project);
  const answer = answered(creation);
  if (answer === undefined) return { kind: 'step', step: send(creation) };
  if (answer.kind !== 'found')
    return ended(finding('project_refused', { project: project.name, ...answerFacts(saidIn(answer)) }));
  const stated = memberOf(answer.fields, 'project_id');
  const id = readText('project_id', typeof stated === 'string' ? stated : '');
  if (id.kind === 'ready') return { kind: 'made', id: id.input };
  return ended(finding('project_without_id', { project: project.name }));
}

const ended = (findings: Findings): ProjectStep => ({ kind: 'step', step: end(refused(findings)) });

/** What is true of a change of the service, with all parameters of its calls. */
const changeOf = (changes: Effect, ...parameters: readonly string[]): CallDescription => ({
  parameters,
  together: [],
  folded: [],
  gives: [],
  wants: undefined,
  takesId: false,
  finds: undefined,
  isAbout: undefined,
  // The person whom a change alters is known by its call; its answer names others beside them.
  erased: 'values',
  changes,
  bringsRequest: false,
});

export const CREATE_PROJECT = {
  'create-project': changeOf('creates_project', 'name', 'description', 'organization_id'),
};
export const CREATE_INVITE = { 'create-invite': changeOf('invites', 'permissions', 'email') };
export const UPDATE_USER = { 'update-user': changeOf('sets_role', 'user_id', 'permissions') };
export const DELETE_INVITE = { 'delete-invite': changeOf('takes_invite_back', 'invite_code') };
export const REMOVE_USER = { 'remove-user': changeOf('removes', 'user_id') };

/** After a lost answer, no one knows whether the mail went out, and a second mail must not. */
function createInvite(
  now: SubjectNow,
  { email, role, atStake }: { readonly email: string; readonly role: Role; readonly atStake?: string },
): Call {
  const identity = { ...identityOf(now), email };
  const leaves = { ...identity, state: 'invited', role } as const;
  // The role is known only of a person whom we have invited ourselves.
  const before = now.facts?.state === 'invited' ? now.facts.role : undefined;
  const already = { ...identity, ...present({ role: before }) };
  return changing(now, {
    operation: 'create-invite',
    parameters: { role, email },
    ifLost: 'hold',
    change: { subject: now.subject, leaves, already, ...present({ atStake }) },
  });
}

/** @param leaves the state of the person without the invite. */
export function deleteInvite(now: SubjectNow, inviteCode: string, leaves: 'reinvite_due' | 'gone'): Call {
  const identity = identityOf(now);
  return changing(now, {
    operation: 'delete-invite',
    parameters: { invite_code: inviteCode },
    ifLost: { repeat: 'an invite can be deleted only once' },
    change: {
      subject: now.subject,
      // The code is kept, so that a list that deletes by code finds nothing left to do.
      leaves: { ...identity, state: leaves, ...(leaves === 'gone' ? { inviteCode } : {}) },
      missing: { ...identity, state: 'accepted_or_deleted', inviteCode },
    },
  });
}

export function updateUser(now: SubjectNow, userId: string, role: Role): Call {
  const { subject, facts } = now;
  const identity = identityOf(now);
  return changing(now, {
    operation: 'update-user',
    parameters: { user_id: userId, role },
    ifLost: { repeat: 'a role that is set twice is the same role' },
    change: {
      subject,
      leaves: { ...identity, state: 'member', role, userId },
      // An id that only the list gives may be wrong, so nothing is concluded about the person.
      ...(facts?.userId === userId ? { missing: { ...identity, state: 'accepted_or_deleted' } } : {}),
    },
  });
}

function removeUser(now: SubjectNow, userId: string): Call {
  const { subject, facts, email } = now;
  const identity = identityOf(now);
  // When we know a person by e-mail and only the list gives this id, the answer says nothing about that
  // person.
  const isTheirs = facts?.userId === userId || email === undefined;
  return changing(now, {
    operation: 'remove-user',
    parameters: { user_id: userId },
    ifLost: { repeat: 'a user can be removed only once' },
    change: {
      subject,
      leaves: { ...identity, state: 'gone', userId },
      ...(isTheirs ? { missing: { ...identity, state: 'gone' } } : {}),
    },
  });
}

/** A project cannot be deleted again, so it must not be made twice. */
function createProject(
  { subject, sequence }: SubjectNow,
  { name, description, organizationId }: NewProject,
): Call {
  return {
    operation: 'create-project',
    parameters: { name, description, organization_id: organizationId },
    ifLost: 'hold',
    after: sequence,
    change: { subject, leaves: { state: 'done' } },
  };
}

function identityOf({ email, facts }: SubjectNow): Pick<SubjectFacts, 'email' | 'userId'> {
  return present({ email, userId: facts?.userId });
}

function changing(
  { subject, sequence }: SubjectNow,
  call: Pick<Call, 'operation' | 'parameters' | 'ifLost'> & { readonly change: Change },
): Call {
  return { ...call, ...present({ project: subject.project }), after: sequence };
}

// ----------------------------------------------------------------------------- an operation about one person

/**
 * A person in one project, and the role that the person should have there; without a role, the person should
 * not be there.
 */
interface WantedMembership extends Names {
  readonly project: string;
  readonly role?: Role;
}

interface PersonOperation<Wished extends WantedMembership>
  extends Pick<Operation, 'name' | 'summary' | 'inputs' | 'readsAnswers' | 'described'> {
  prepare(row: RowInput, options: OperationOptions): Prepared<Wished>;
  actionOf(person: PersonInProject, wish: Wished): PersonAction;
}

/** An operation of the service whose rows are each about one person in one project. */
export function personOperation<Wished extends WantedMembership>({
  prepare,
  actionOf,
  ...described
}: PersonOperation<Wished>): Operation {
  return defineOperation<Wished, PersonWork>({
    ...described,
    vendor: 'service',
    heeds: HEEDED,
    tiers: [],
    preparer: (options) => (row) => prepare(row, options),
    change: {
      isState: true,
      resolve(wish, team) {
        const slip = ofAnother(team, wish);
        if (slip !== undefined) return slip;
        const person = personIn(team, wish.project, wish);
        return { kind: 'ready', input: workOf(person, wish.role ?? 'none', actionOf(person, wish)) };
      },
    },
    next: nextOfPerson,
  });
}

/** Refuses a row that names no one. @param id the input that may stand in the place of the e-mail address. */
export function namingSomebody<Wished extends WantedMembership>(
  id: string,
  prepared: Prepared<Wished>,
): Prepared<Wished> {
  if (prepared.kind === 'invalid') return prepared;
  const { email, userId, inviteCode } = prepared.input;
  if ((email ?? userId ?? inviteCode) !== undefined) return prepared;
  return { kind: 'invalid', findings: finding('one_of_needed', { inputs: [id, 'email'] }) };
}
