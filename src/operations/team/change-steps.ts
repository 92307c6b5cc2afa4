import type { CallDescription, Effect } from '../../core/described.ts';
import { answerIn, finding, isSoAlready, NO_FINDINGS, said } from '../../core/finding.ts';
import { sayAll } from '../../core/finding-words.ts';
import type { Change, Role, SubjectFacts } from '../../core/membership.ts';
import { isObject, present } from '../../core/objects.ts';
import {
  type Answer,
  type Answered,
  type Call,
  defineOperation,
  end,
  type JsonValue,
  type Operation,
  type OperationOptions,
  type Prepared,
  type RowInput,
  type Step,
  send,
} from '../../core/operation.ts';
import type { Outcome } from '../../core/row.ts';
import {
  missingInviteWords,
  type Names,
  type NewProject,
  ofAnother,
  type PersonAction,
  type PersonInProject,
  type PersonWork,
  personIn,
  REMOVE_IF_ACCEPTED,
  type SubjectNow,
  workOf,
} from './change-action.ts';
import { HEEDED, quotedCell, readText } from './change-inputs.ts';

/**
 * The calls of a row, one after the other, as its action says. They follow from the work of the row alone.
 * The dialect decides how a call is written: a `role` becomes the vendor's permissions on the way out.
 */

export function nextOfPerson(work: PersonWork, answered: Answered): Step {
  const { subject, was, email, personAction } = work;
  const now: SubjectNow = { subject, ...was, ...present({ email }) };
  switch (personAction.kind) {
    case 'unchanged':
      return end({ kind: 'unchanged', findings: personAction.findings });
    case 'refuse':
      return end({ kind: 'refused', findings: personAction.findings });
    case 'invite':
      return nextOfInvite(now, personAction, answered);
    case 'reinvite':
      return nextOfReinvite(now, personAction, answered);
    case 'update': {
      const { userId, role } = personAction;
      return inOneCall(updateUser(now, userId, role), answered, {
        done: `role set to ${role}`,
        notThere: (answer) => noSuchUser(now, userId, wordsOf(answer)),
        refusal: `the service refused ${role} for user ${userId}`,
      });
    }
    case 'delete':
      return inOneCall(deleteInvite(now, personAction.inviteCode, 'gone'), answered, {
        done: 'invite deleted',
        notThere: (answer) => missingInviteWords(now, REMOVE_IF_ACCEPTED, saidBy(answer)),
        refusal: 'the service refused to delete the invite',
        remark: `; ${STILL_WAITS}`,
      });
    case 'remove': {
      const { userId } = personAction;
      return inOneCall(removeUser(now, userId), answered, {
        done: 'removed from the project',
        notThere: (answer) => noSuchUser(now, userId, wordsOf(answer)),
        refusal: `the service refused to remove user ${userId}`,
      });
    }
  }
}

interface Ends {
  readonly done: string;
  notThere(answer: Extract<Answer, { readonly kind: 'no_match' }>): string;
  /** The text before the vendor's own words and the remark. */
  readonly refusal: string;
  readonly remark?: string;
}

function inOneCall(call: Call, answered: Answered, ends: Ends): Step {
  const answer = answered(call);
  switch (answer?.kind) {
    case undefined:
      return send(call);
    case 'found':
      return end(applied(ends.done));
    case 'no_match':
      return end(refused(ends.notThere(answer)));
    case 'refused':
      if (isSoAlready(answer.findings)) return end(unchangedAs(answer));
      return end(refused(`${ends.refusal} (${wordsOf(answer)})${ends.remark ?? ''}`));
  }
}

type ActionOf<Kind extends PersonAction['kind']> = Extract<PersonAction, { readonly kind: Kind }>;

const applied = (words: string): Outcome => ({ kind: 'applied', findings: said(words) });
const refused = (words: string): Outcome => ({ kind: 'refused', findings: said(words) });

type NotDone = Exclude<Answer, { readonly kind: 'found' }>;

/** Whether the service refuses a change because the wanted state is already there: "already a member". */
const isAlready = ({ findings = NO_FINDINGS }: NotDone): boolean => isSoAlready(findings);

/** The service's words alone, where something has to change after all. */
const plainlySaid = ({ findings = NO_FINDINGS }: NotDone): string =>
  sayAll(finding('answer', { status: 0, ...answerIn(findings), so: undefined } as never), 'file');

const unchangedAs = ({ findings = NO_FINDINGS }: NotDone): Outcome => ({ kind: 'unchanged', findings });

const saidBy = ({ findings }: NotDone): string | undefined => findings && sayAll(findings, 'file');

const wordsOf = (answer: NotDone): string => saidBy(answer) ?? 'not found';

function nextOfInvite(now: SubjectNow, { email, role }: ActionOf<'invite'>, answered: Answered): Step {
  const wasDeleted = now.facts?.state === 'reinvite_due';
  const creation = createInvite(now, { email, role, ...(wasDeleted ? { atStake: NO_INVITE } : {}) });
  const answer = answered(creation);
  if (answer === undefined) return send(creation);
  if (answer.kind === 'found') return end(applied(invitedWords(answer, role)));
  if (isAlready(answer)) return end(unchangedAs(answer));
  const fact = `the service refused the invite as ${role} (${wordsOf(answer)})`;
  return end(refused(wasDeleted ? `${fact}; ${email} has no invite now` : fact));
}

const NO_INVITE = 'may have no invite';

/** The service's own words stand before this text, and may know better. */
const STILL_WAITS = 'as far as is known it is still pending';

/** A person who is already in the organization is in the project at once; some dialects can tell. */
function invitedWords({ fields }: Extract<Answer, { kind: 'found' }>, role: Role): string {
  return memberOf(fields, 'accepted') === true
    ? `accepted at once as ${role}: already in the organization`
    : `invited as ${role}`;
}

function memberOf(fields: JsonValue, name: string): JsonValue | undefined {
  return isObject(fields) ? fields[name] : undefined;
}

/**
 * The saga of a new role for an invite. Each step expects the number at which the step before it left the
 * subject, so a step that another batch has overtaken is never sent. A crash between the steps leaves the
 * person `reinvite_due`, and the kept plan goes on from there.
 */
function nextOfReinvite(now: SubjectNow, action: ActionOf<'reinvite'>, answered: Answered): Step {
  const { email, inviteCode, role, before } = action;
  const after = (changes: number): SubjectNow => ({ ...now, sequence: now.sequence + changes });
  const deletion = deleteInvite(now, inviteCode, 'reinvite_due');
  const deleted = answered(deletion);
  if (deleted === undefined) return send(deletion);
  if (deleted.kind === 'no_match') return end(refused(missingInviteWords(now, undefined, saidBy(deleted))));
  if (deleted.kind === 'refused')
    return end(
      refused(`the service refused to delete the invite as ${before} (${wordsOf(deleted)}); ${STILL_WAITS}`),
    );
  const creation = createInvite(after(1), { email, role, atStake: NO_INVITE });
  const created = answered(creation);
  if (created === undefined) return send(creation);
  if (created.kind === 'found')
    return end(applied(`invite deleted and created again: ${invitedWords(created, role)}`));
  // The service has deleted the invite, and yet has one: nobody but the service can say with which role.
  if (isAlready(created))
    return end(refused(`invited before as ${before}, wanted ${role} (${plainlySaid(created)})`));
  const fact = `the service refused ${role} (${wordsOf(created)})`;
  const restoration = createInvite(after(2), { email, role: before, atStake: NO_INVITE });
  const restored = answered(restoration);
  if (restored === undefined) return send(restoration);
  if (restored.kind === 'found') return end(refused(`${fact}; the invite as ${before} was created again`));
  if (isAlready(restored))
    return end(refused(`${fact}; the invite as ${before} is there (${plainlySaid(restored)})`));
  return end(refused(`${fact} and then ${before} too: ${email} has no invite now (${wordsOf(restored)})`));
}

function noSuchUser({ subject }: SubjectNow, userId: string, words: string): string {
  const fact = `the service has no user ${userId} in project ${subject.project} (${words})`;
  return `${fact}: the id is wrong, or the user was already removed. Look it up`;
}

/** The state of a project that was asked for: it has an id now, or a step is left to do. */
type ProjectStep =
  | { readonly kind: 'made'; readonly id: string }
  | { readonly kind: 'step'; readonly step: Step };

export function nextOfProject(now: SubjectNow, project: NewProject, answered: Answered): ProjectStep {
  const creation = createProject(now, project);
  const answer = answered(creation);
  if (answer === undefined) return { kind: 'step', step: send(creation) };
  if (answer.kind !== 'found')
    return ended(
      `the service refused to create the project ${quotedCell(project.name)} (${wordsOf(answer)})`,
    );
  const stated = memberOf(answer.fields, 'project_id');
  const id = readText('project_id', typeof stated === 'string' ? stated : '');
  if (id.kind === 'ready') return { kind: 'made', id: id.input };
  const fact = `the project ${quotedCell(project.name)} was created, but the answer has no usable project_id`;
  return ended(`${fact}. Look it up and put it in the list`);
}

function ended(reason: string): ProjectStep {
  return { kind: 'step', step: end(refused(reason)) };
}

/** What is true of a change of the service, whose calls have all of their parameters. */
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

/** After a lost answer, nobody knows whether the mail went out, and a second mail must not. */
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

/** Refuses a row that names nobody. @param id the input that may stand in the place of the e-mail address. */
export function namingSomebody<Wished extends WantedMembership>(
  id: string,
  prepared: Prepared<Wished>,
): Prepared<Wished> {
  if (prepared.kind === 'invalid') return prepared;
  const { email, userId, inviteCode } = prepared.input;
  if ((email ?? userId ?? inviteCode) !== undefined) return prepared;
  return { kind: 'invalid', findings: said(`${id}: blank; e-mail: blank. Give one of the two`) };
}
