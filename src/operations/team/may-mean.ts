import { subjectOfProject, type Team } from '../../core/membership.ts';
import type { InvalidRow, OperationOptions, RowInput } from '../../core/operation.ts';
import type { PersonInProject } from './change-action.ts';
import { readEmail, readUserId } from './change-inputs.ts';
import { readProjects } from './named-project.ts';

/**
 * Whether an invalid row may mean this person in this project. What can be read of the row narrows down whom it means, and what
 * cannot be read may mean anybody, or any project.
 */
export function mayMean(
  { cells }: InvalidRow,
  person: PersonInProject,
  team: Team,
  options: OperationOptions,
): boolean {
  if (cells === undefined) return true;
  return mayNamePerson(cells, person) && mayNameProject(cells, person.subject.project, team, options);
}

/** A person whose user id is not known may be the one that the row names by it. */
function mayNamePerson(cells: RowInput, { email, facts }: PersonInProject): boolean {
  const userId = readUserId(cells.user_id);
  if (userId.kind === 'read' && facts?.userId === userId.value) return true;
  const named = readEmail(cells.email);
  if (named.kind === 'read') return named.value === email;
  return userId.kind === 'wrong' || facts?.userId === undefined;
}

function mayNameProject(cells: RowInput, project: string, team: Team, options: OperationOptions): boolean {
  const named = readProjects(cells, options);
  if (named.kind === 'wrong') return true;
  return named.value.some((each) =>
    each.kind === 'known' ? each.id === project : idsMadeFor(each.name, team).includes(project),
  );
}

/** The ids of the projects that were made by that name, in whichever organization. */
function idsMadeFor(name: string, team: Team): readonly string[] {
  const own = subjectOfProject(name);
  const ofAnother = subjectOfProject(name, '');
  return team.all
    .filter(({ subject }) => subject.name === own || subject.name.startsWith(ofAnother))
    .flatMap(({ facts }) => facts?.projectId ?? []);
}
