import type { NewProject } from '../change-calls.ts';
import {
  type Course,
  type Person,
  type PersonWork,
  personIn,
  refuse,
  removalCourse,
  roleCourse,
  unchanged,
  whoIs,
  workOf,
} from '../change-course.ts';
import {
  EMAIL,
  optional,
  PROJECT_ID,
  type Read,
  ROLE,
  read,
  readEmail,
  readRole,
  readUserId,
  together,
  USER_ID,
} from '../change-inputs.ts';
import { nextOfPerson, nextOfProject } from '../change-steps.ts';
import { type KnownSubject, type Role, subjectOfProject, subjectText, type Team } from '../membership.ts';
import { type NamedProject, PROJECT, projectIds, readProject } from '../named-project.ts';
import {
  type Answered,
  defineOperation,
  type OperationOptions,
  type Prepared,
  type Step,
} from '../operation.ts';

/** Somebody and what they should be in a project. `none` stands for "not in it". */
interface Wish {
  readonly email: string | undefined;
  readonly userId: string | undefined;
  readonly role: Role | 'none';
  readonly project: NamedProject;
}

/** A person in a project that is made first. */
interface OnboardWork extends PersonWork {
  readonly makes?: { readonly sequence: number; readonly project: NewProject };
}

// ----------------------------------------------------------------------------------------------------------- rows

/** Only a list of ours may say `none`: a slip in somebody's sheet must not remove people. */
function readWishedRole(cell: string | undefined, { settings }: OperationOptions): Read<Role | 'none'> {
  return settings?.our_list === true && cell?.trim() === 'none' ? read('none') : readRole(cell);
}

function prepare(row: Readonly<Record<string, string>>, options: OperationOptions): Prepared<Wish> {
  return together({
    // Somebody who is known by a user id alone can be given another role, though not be invited.
    email: (row.user_id ?? '').trim() === '' ? readEmail(row.email) : optional(row.email, readEmail),
    userId: optional(row.user_id, readUserId),
    role: readWishedRole(row.role, options),
    project: readProject(row, options),
  });
}

// -------------------------------------------------------------------------------------------------------- courses

/** What is known of the person → what is done, so that they come to be what the list says. */
function courseOf(person: Person, role: Role | 'none'): Course {
  if (role === 'none') return removalCourse(person);
  return roleCourse(person, role) ?? inviteCourse(person, role);
}

function inviteCourse(person: Person, role: Role): Course {
  const { email } = person;
  if (email !== undefined) return { kind: 'invite', email, role };
  return refuse(`${whoIs(person)} is not in the project, as far as is known. Give the e-mail address`);
}

function resolve(wish: Wish, team: Team, options: OperationOptions): Prepared<OnboardWork> {
  const { project, role } = wish;
  const id = project.kind === 'known' ? project.id : team.project(project.name)?.facts?.projectId;
  if (id === undefined) return resolveInNew(wish, team, options);
  const person = personIn(team, id, wish);
  return { kind: 'ready', input: workOf(person, role, courseOf(person, role), project.name) };
}

function resolveInNew(
  { email, role, project: { name = '' } }: Wish,
  team: Team,
  { organizationId }: OperationOptions,
): Prepared<OnboardWork> {
  if (organizationId === undefined) {
    const reason = `the project "${name}" is to be made, and the account has no organization_id. Give it one`;
    return { kind: 'invalid', reason };
  }
  const makes = {
    sequence: team.project(name)?.sequence ?? 0,
    project: { name, description: '', organizationId },
  };
  return { kind: 'ready', input: { ...newcomer(email, role, name), ...(role === 'none' ? {} : { makes }) } };
}

/** Nobody is in a project that does not exist yet, so until it does its people are told apart by its name. */
function newcomer(email: string | undefined, role: Role | 'none', project: string): PersonWork {
  const course = ((): Course => {
    if (role === 'none') return unchanged('the project does not exist yet');
    if (email === undefined) return refuse('somebody is invited to a new project by e-mail address. Give it');
    return { kind: 'invite', email, role };
  })();
  return {
    subject: { name: `${subjectOfProject(project)} ${email ?? ''}` },
    to: role,
    ...(email === undefined ? {} : { email }),
    project,
    was: { sequence: 0 },
    course,
  };
}

/** Calls of the person follow when the project has its id; everybody in it shares the one that makes it. */
function next({ makes, ...work }: OnboardWork, answered: Answered): Step {
  if (makes === undefined) return nextOfPerson(work, answered);
  const { project, sequence } = makes;
  const making = nextOfProject(
    { subject: { name: subjectOfProject(project.name) }, sequence },
    project,
    answered,
  );
  if (making.kind === 'step') return making.step;
  const subject = { project: making.id, name: work.email ?? work.subject.name };
  return nextOfPerson({ ...work, subject }, answered);
}

// --------------------------------------------------------------------------------------------------------- missing

/**
 * People in the projects that the job or the list names whom the list does not have any more. Who is known by a user id
 * alone is left out: the list may have them by an e-mail address that we do not know.
 */
function missing(
  planned: readonly OnboardWork[],
  team: Team,
  options: OperationOptions,
): readonly OnboardWork[] {
  if (options.settings?.remove_missing !== true) return [];
  const names = new Map([...projectIds(options)].map(([name, id]) => [id, name]));
  const projects = new Set([...names.keys(), ...planned.flatMap(({ subject }) => subject.project ?? [])]);
  const named = new Set(planned.map(({ subject }) => subjectText(subject)));
  // Whom only the service's own lists know, at number 0, was never in a list of ours that they could be missing from.
  const isMissing = ({ subject, facts, sequence }: KnownSubject): boolean =>
    sequence > 0 && facts?.email === subject.name && !named.has(subjectText(subject));
  return [...projects].sort().flatMap((project) =>
    team
      .inProject(project)
      .filter(isMissing)
      .map(({ subject }) => subject.name)
      .sort()
      .map((email) => {
        const person = personIn(team, project, { email });
        return workOf(person, 'none', removalCourse(person), names.get(project));
      }),
  );
}

export default defineOperation<Wish, OnboardWork>({
  name: 'onboard',
  summary: 'Bring people into projects with the roles that a list gives them.',
  vendor: 'service',
  inputs: [{ ...EMAIL, required: true }, ROLE, PROJECT, PROJECT_ID, USER_ID],
  tiers: [],
  settings: { projects: 'asks', create_projects: 'asks', remove_missing: 'asks' },
  prepare,
  change: { isState: true, resolve, missing },
  next,
});
