import { unreachable } from '../../core/errors.ts';
import type { Role } from '../../core/membership.ts';
import { isObject, present } from '../../core/objects.ts';
import { type Answer, type Answered, end, type JsonValue, type Step, send } from '../../core/operation.ts';
import type { Outcome } from '../../core/row.ts';
import { type PersonAction, type PersonWork, REMOVE_IF_ACCEPTED, unsureWords } from './change-action.ts';
import {
  afterMore,
  createInvite,
  createProject,
  deleteInvite,
  type NewProject,
  removeUser,
  type SubjectNow,
  updateUser,
} from './change-calls.ts';
import { quoted, readText } from './change-inputs.ts';

/** The calls of a row about a person, one after the other, as its course says. Nothing but its work is looked at. */

/** The next call of a row about a person, or how it ended. */
export function nextOfPerson(work: PersonWork, answered: Answered): Step {
  const { subject, was, email, course } = work;
  const now: SubjectNow = { subject, ...was, ...present({ email }) };
  switch (course.kind) {
    case 'unchanged':
      return end({ kind: 'unchanged', reason: course.reason });
    case 'refuse':
      return end({ kind: 'refused', reason: course.reason });
    case 'invite':
      return nextOfInvite(now, course, answered);
    case 'reinvite':
      return nextOfReinvite(now, course, answered);
    case 'update':
      return nextOfUpdate(now, course, answered);
    case 'delete':
      return nextOfDeletion(now, course, answered);
    case 'remove':
      return nextOfRemoval(now, course, answered);
    default:
      return unreachable(course);
  }
}

type CourseOf<Kind extends PersonAction['kind']> = Extract<PersonAction, { readonly kind: Kind }>;

const applied = (reason: string): Outcome => ({ kind: 'applied', reason });
const refused = (reason: string): Outcome => ({ kind: 'refused', reason });

/** The vendor's words for why it did not do something. */
export function wordsOf(answer: Exclude<Answer, { readonly kind: 'found' }>): string {
  return answer.words ?? 'not found';
}

function nextOfInvite(now: SubjectNow, { email, role }: CourseOf<'invite'>, answered: Answered): Step {
  const wasDeleted = now.facts?.state === 'between';
  const creation = createInvite(now, { email, role, ...(wasDeleted ? { atStake: NO_INVITE } : {}) });
  const answer = answered(creation);
  if (answer === undefined) return send(creation);
  if (answer.kind === 'found') return end(applied(invitedWords(answer, role)));
  const fact = `the service refused the invite as ${role} (${wordsOf(answer)})`;
  return end(refused(wasDeleted ? `${fact}; ${email} has no invite now` : fact));
}

const NO_INVITE = 'may have no invite';

/** The service's own words stand before it, and may know better. */
const STILL_WAITS = 'as far as is known it still waits';

/** A person who is in the organization already is in the project at once; some dialects can tell. */
function invitedWords({ fields }: Extract<Answer, { kind: 'found' }>, role: Role): string {
  return memberOf(fields, 'accepted') === true
    ? `accepted at once as ${role}: already in the organization`
    : `invited as ${role}`;
}

function memberOf(fields: JsonValue, name: string): JsonValue | undefined {
  return isObject(fields) ? fields[name] : undefined;
}

/**
 * The saga. Each step stands at the number that the one before it left the subject at, so a step that another batch has
 * overtaken is never sent. A crash between the steps leaves the person `between`, and the kept plan goes on from there.
 */
function nextOfReinvite(now: SubjectNow, course: CourseOf<'reinvite'>, answered: Answered): Step {
  const { email, inviteCode, role, before } = course;
  const deletion = deleteInvite(now, inviteCode, 'between');
  const deleted = answered(deletion);
  if (deleted === undefined) return send(deletion);
  if (deleted.kind === 'no_match') return end(refused(unsureWords(now, undefined, deleted.words)));
  if (deleted.kind === 'refused') {
    return end(
      refused(`the service refused to delete the invite as ${before} (${deleted.words}); ${STILL_WAITS}`),
    );
  }
  const creation = createInvite(afterMore(now, 1), { email, role, atStake: NO_INVITE });
  const created = answered(creation);
  if (created === undefined) return send(creation);
  if (created.kind === 'found')
    return end(applied(`invite deleted and created anew: ${invitedWords(created, role)}`));
  const restoration = createInvite(afterMore(now, 2), { email, role: before, atStake: NO_INVITE });
  const restored = answered(restoration);
  if (restored === undefined) return send(restoration);
  const fact = `the service refused ${role} (${wordsOf(created)})`;
  if (restored.kind === 'found') return end(refused(`${fact}; the invite as ${before} was created again`));
  return end(refused(`${fact} and then ${before} too: ${email} has no invite now (${wordsOf(restored)})`));
}

function nextOfUpdate(now: SubjectNow, { userId, role }: CourseOf<'update'>, answered: Answered): Step {
  const change = updateUser(now, userId, role);
  const answer = answered(change);
  if (answer === undefined) return send(change);
  switch (answer.kind) {
    case 'found':
      return end(applied(`role set to ${role}`));
    case 'no_match':
      return end(refused(noSuchUser(now, userId, wordsOf(answer))));
    case 'refused':
      return end(refused(`the service refused ${role} for user ${userId} (${answer.words})`));
    default:
      return unreachable(answer);
  }
}

function noSuchUser({ subject }: SubjectNow, userId: string, words: string): string {
  const fact = `the service has no user ${userId} in project ${subject.project} (${words})`;
  return `${fact}: the id is wrong, or the user was removed already. Look it up`;
}

function nextOfDeletion(now: SubjectNow, { inviteCode }: CourseOf<'delete'>, answered: Answered): Step {
  const deletion = deleteInvite(now, inviteCode, 'gone');
  const answer = answered(deletion);
  if (answer === undefined) return send(deletion);
  switch (answer.kind) {
    case 'found':
      return end(applied('invite deleted'));
    case 'no_match':
      return end(refused(unsureWords(now, REMOVE_IF_ACCEPTED, answer.words)));
    case 'refused':
      return end(refused(`the service refused to delete the invite (${answer.words}); ${STILL_WAITS}`));
    default:
      return unreachable(answer);
  }
}

function nextOfRemoval(now: SubjectNow, { userId }: CourseOf<'remove'>, answered: Answered): Step {
  const removal = removeUser(now, userId);
  const answer = answered(removal);
  if (answer === undefined) return send(removal);
  switch (answer.kind) {
    case 'found':
      return end(applied('removed from the project'));
    case 'no_match':
      return end(refused(noSuchUser(now, userId, wordsOf(answer))));
    case 'refused':
      return end(refused(`the service refused to remove user ${userId} (${answer.words})`));
    default:
      return unreachable(answer);
  }
}

// ------------------------------------------------------------------------------------------------------- projects

/** A project that was asked for: it has an id now, or this is the step that is left. */
export type Making =
  | { readonly kind: 'made'; readonly id: string }
  | { readonly kind: 'step'; readonly step: Step };

export function nextOfProject(now: SubjectNow, project: NewProject, answered: Answered): Making {
  const creation = createProject(now, project);
  const answer = answered(creation);
  if (answer === undefined) return { kind: 'step', step: send(creation) };
  if (answer.kind !== 'found') {
    return ended(`the service refused to make the project ${quoted(project.name)} (${wordsOf(answer)})`);
  }
  const told = memberOf(answer.fields, 'project_id');
  const id = readText('project_id', typeof told === 'string' ? told : '');
  if (id.kind === 'read') return { kind: 'made', id: id.value };
  const fact = `the project ${quoted(project.name)} was made, but the answer holds no project_id that can be used`;
  return ended(`${fact}. Look it up and give it to the list`);
}

function ended(reason: string): Making {
  return { kind: 'step', step: end(refused(reason)) };
}
