import { unoffered } from '../core/described.ts';
import { invariant } from '../core/errors.ts';
import { finding, keptCell, NO_FINDINGS, together } from '../core/finding.ts';
import type { Findings } from '../core/findings.ts';
import {
  type KnownSubject,
  type Role,
  type SubjectFacts,
  subjectOfProject,
  subjectText,
  type Team,
} from '../core/membership.ts';
import { present } from '../core/objects.ts';
import {
  type Answered,
  defineOperation,
  end,
  type IdleRow,
  type NextAction,
  type OperationOptions,
  type Prepared,
  type RowInput,
} from '../core/operation.ts';
import { identifierText } from '../values/blank.ts';
import { mayMeanEmail } from '../values/email.ts';
import {
  ofAnother,
  type PersonAction,
  type PersonInProject,
  type PersonWork,
  personIn,
  plannedAs,
  refuse,
  removalAction,
  roleAction,
  unchanged,
  whoIs,
  workOf,
} from './team/change-action.ts';
import {
  EMAIL,
  HEEDED,
  invalid,
  type NamedProject,
  ORGANIZATION_ID,
  optionalCell,
  PROJECT,
  PROJECT_ID,
  projectIds,
  ROLE,
  readEmail,
  readOrganization,
  readProjects,
  readRowRole,
  readUserId,
  ready,
  rowOfCells as rowOf,
  USER_ID,
  unknownNames,
  withRoles,
} from './team/change-inputs.ts';
import {
  CREATE_INVITE,
  CREATE_PROJECT,
  DELETE_INVITE,
  nextOfPerson,
  nextOfProject,
  REMOVE_USER,
  UPDATE_USER,
} from './team/change-steps.ts';

/** A person, and the role that the person should have in a project. `none` means "not in it". */
interface WantedPlace {
  readonly email: string | undefined;
  readonly userId: string | undefined;
  readonly role: Role | 'none';
  readonly projects: readonly NamedProject[];
  readonly organizationId: string | undefined;
}

/** Only a list of ours may say `none`: a slip in a user's sheet must not remove people. */
function readWishedRole(row: RowInput, options: OperationOptions): Prepared<Role | 'none'> {
  return options.isOurList === true && row.role?.trim() === 'none'
    ? ready('none')
    : readRowRole(row, options);
}

function wishIn(row: Readonly<Record<string, string>>, options: OperationOptions): Prepared<WantedPlace> {
  return rowOf({
    // A person who is known by a user id alone can get another role, but no invite.
    email:
      identifierText(row.user_id ?? '') === '' ? readEmail(row.email) : optionalCell(row.email, readEmail),
    userId: optionalCell(row.user_id, readUserId),
    role: readWishedRole(row, options),
    projects: readProjects(row, options),
    organizationId: readOrganization(row, options),
  });
}

function actionOf(person: PersonInProject, role: Role | 'none'): PersonAction {
  if (role === 'none') return removalAction(person);
  const change = roleAction(person, role);
  const { state, role: now, inviteCode } = person.facts ?? {};
  if (change?.kind === 'refuse' && state === 'member' && now === undefined)
    return { kind: 'unchanged', findings: change.findings };
  if (change?.kind === 'refuse' && state === 'invited' && now === undefined && inviteCode === undefined)
    return unchanged(finding('already_invited', whoIs(person)));
  if (change !== undefined) return change;
  const { email } = person;
  if (email !== undefined) return { kind: 'invite', email, role };
  return refuse(together(finding('not_in_project', whoIs(person)), finding('needs_email', {})));
}

function resolve(wish: WantedPlace, team: Team, options: OperationOptions): Prepared<PersonWork> {
  const slip = ofAnother(team, wish);
  if (slip !== undefined) return slip;
  // Two names may belong to one project.
  const works = new Map<string, PersonWork>();
  for (const project of wish.projects) {
    const found = resolveIn(wish, project, team, options);
    if (found.kind === 'invalid') return found;
    works.set(subjectText(found.input.subject), found.input);
  }
  const [first, ...also] = works.values();
  invariant(first !== undefined, 'a row names a project');
  return ready(also.length === 0 ? first : { ...first, also });
}

function inProject(wish: WantedPlace, id: string, team: Team, name: string | undefined): PersonWork {
  const person = personIn(team, id, wish);
  return workOf(person, wish.role, actionOf(person, wish.role), name);
}

function resolveIn(
  wish: WantedPlace,
  project: NamedProject,
  team: Team,
  options: OperationOptions,
): Prepared<PersonWork> {
  if (project.kind === 'known') return ready(inProject(wish, project.id, team, project.name));
  const { name, notMade } = project;
  const { email, role, organizationId } = wish;
  const other = organizationId === options.organizationId ? undefined : organizationId;
  const known = team.project(name, other);
  const id = known?.facts?.projectId;
  if (id !== undefined) return ready(inProject(wish, id, team, name));
  if (notMade !== undefined) return invalid(notMade);
  if (organizationId === undefined) return invalid(finding('no_organization', { project: name }));
  const makes = {
    sequence: known?.sequence ?? 0,
    project: { name, description: '', organizationId },
    subject: { name: subjectOfProject(name, other) },
  };
  const person = newcomer(email, role, name, other);
  return ready({ ...person, ...(role === 'none' ? {} : { makes }) });
}

/**
 * No one is in a project that does not exist yet. Until it exists, the name of the project tells its people
 * apart.
 */
function newcomer(
  email: string | undefined,
  role: Role | 'none',
  project: string,
  organization: string | undefined,
): PersonWork {
  const action = ((): PersonAction => {
    if (role === 'none') return unchanged(finding('no_project_yet', { project }));
    if (email === undefined) return refuse(finding('needs_email', {}));
    return { kind: 'invite', email, role };
  })();
  return {
    subject: { name: `${subjectOfProject(project, organization)} ${email ?? ''}` },
    to: role,
    ...plannedAs(action),
    ...present({ email }),
    project,
    was: { sequence: 0 },
    personAction: action,
  };
}

/**
 * The calls for the person follow once the project has its id. All people in the project share the call that
 * makes it.
 */
function nextChange({ makes, ...work }: PersonWork, answered: Answered): NextAction {
  if (makes === undefined) return nextOfPerson(work, answered);
  const { project, ...now } = makes;
  const making = nextOfProject(now, project, answered);
  if (making.kind === 'step') return making.step;
  const subject = { project: making.id, name: work.email ?? work.subject.name };
  const step = nextOfPerson({ ...work, subject }, answered);
  if (step.kind === 'send') return step;
  const { outcome } = step;
  const made = finding('made_project', { id: making.id });
  return end({ ...outcome, findings: [...made, ...outcome.findings] });
}

/**
 * People in the projects that the job or the list names whom the list no longer has. A person known only by a
 * user id is left out: the list may have that person under an e-mail address that we do not know. A person
 * whom an invalid row may mean is not removed, and neither is one whom a row names that the job leaves out.
 */
function missing(
  planned: readonly PersonWork[],
  team: Team,
  options: OperationOptions,
  idle: readonly IdleRow[],
): readonly PersonWork[] {
  if (options.settings?.remove_missing !== true) return [];
  const names = new Map([...projectIds(options)].map(([name, id]) => [id, name]));
  // A project that was made before has its name in the list alone.
  for (const { subject, project } of planned)
    if (subject.project && project) names.set(subject.project, project);
  const projects = new Set([...names.keys(), ...planned.flatMap(({ subject }) => subject.project ?? [])]);
  const named = new Set(planned.map(({ subject }) => subjectText(subject)));
  // A person at number 0 is known only from the service's own lists, and was never in a list of ours, so the
  // person cannot be missing from one.
  const isMissing = ({ subject, facts, sequence }: KnownSubject): boolean =>
    sequence > 0 && facts?.email === subject.name && !named.has(subjectText(subject));
  return [...projects].sort().flatMap((project) =>
    team
      .inProject(project)
      .filter(isMissing)
      .map(({ subject }) => subject.name)
      .sort()
      .flatMap((email) => {
        const person = personIn(team, project, { email });
        if (idle.some((row) => row.isLeftOut && means(row, person))) return [];
        const unclear = idle.find((row) => mayMean(row, person));
        const name = names.get(project);
        const action =
          unclear === undefined
            ? removalAction(person)
            : unchanged(heldBack(whoIs(person), name ?? project, unclear));
        return [workOf(person, 'none', action, name)];
      }),
  );
}

/** Where the person of a row that is left out has access, whichever project the row names. */
function accessNow(cells: RowInput, team: Team, options: OperationOptions): Findings {
  const email = readEmail(cells.email);
  const userId = readUserId(cells.user_id);
  const who = present({
    email: email.kind === 'ready' ? email.input : undefined,
    user_id: userId.kind === 'ready' ? userId.input : undefined,
  });
  if (Object.keys(who).length === 0) return NO_FINDINGS;
  const names = new Map([...projectIds(options)].map(([name, id]) => [id, name]));
  const places = new Map<string, { readonly project: string; readonly role?: string }>();
  for (const { subject, facts } of team.inProjects()) {
    const { project } = subject;
    if (project === undefined || !means({ cells }, { email: facts?.email ?? subject.name, facts })) continue;
    places.set(project, { project: names.get(project) ?? project, ...present({ role: facts?.role }) });
  }
  return finding('access_now', { ...who, places: [...places.values()] });
}

function means(
  { cells = {} }: Pick<IdleRow, 'cells'>,
  { email, facts }: { readonly email?: string | undefined; readonly facts?: SubjectFacts | undefined },
): boolean {
  const named = readEmail(cells.email);
  const userId = readUserId(cells.user_id);
  if (userId.kind === 'ready' && userId.input === facts?.userId) return true;
  return named.kind === 'ready' && named.input === email;
}

/**
 * Whether the row would keep the person, or move them elsewhere, once it is corrected. So its project says
 * nothing, and an address that cannot be read means each person whose address may have been damaged so.
 */
function mayMean(row: IdleRow, person: PersonInProject): boolean {
  const cell = unreadEmail(row);
  if (row.cells === undefined || means(row, person)) return true;
  return cell !== undefined && mayMeanEmail(cell, person.email ?? '');
}

/** Undefined where the cell can be read, or no one can be sure which cell it is. */
function unreadEmail({ cells }: IdleRow): string | undefined {
  return cells && readEmail(cells.email).kind === 'invalid' ? identifierText(cells.email ?? '') : undefined;
}

function heldBack(who: ReturnType<typeof whoIs>, project: string, each: IdleRow): Findings {
  const { row, isLeftOut } = each;
  const cell = unreadEmail(each);
  const is = isLeftOut ? 'left_out' : 'invalid';
  return finding('held_back', { ...who, project, row, is, ...present({ cell: cell && keptCell(cell) }) });
}

export default withRoles(
  defineOperation<WantedPlace, PersonWork>({
    name: 'onboard',
    summary: 'Give people the projects and roles that a list has for them.',
    vendor: 'service',
    described: {
      ...unoffered('a team', {
        ...CREATE_PROJECT,
        ...CREATE_INVITE,
        ...UPDATE_USER,
        ...DELETE_INVITE,
        ...REMOVE_USER,
      }),
      offered: { finds: false, fills: undefined, team: true },
    },
    inputs: [{ ...EMAIL, required: true }, ROLE, PROJECT, PROJECT_ID, USER_ID, ORGANIZATION_ID],
    heeds: HEEDED,
    tiers: [],
    readsAnswers: true,
    settings: { projects: 'asks', create_projects: 'asks', remove_missing: 'asks' },
    preparer: (options) => (row) => wishIn(row, options),
    change: { isState: true, resolve, missing, accessNow, unknown: unknownNames },
    next: nextChange,
  }),
);
