import { checkedProjectId, PROJECT_ID, quoted, type Read, read, readText, wrong } from './change-inputs.ts';
import { suggestion } from './nearest.ts';
import type { InputField, OperationOptions, RowInput } from './operation.ts';

/** Which project a row of a team means: by id, by a name that the job knows, or by one that is yet to be made. */

export const PROJECT: InputField = {
  name: 'project',
  about: "the project's name, as the job's `projects` has it",
  aliases: ['project', 'projectname', 'team', 'teamname'],
};

export type NamedProject =
  | { readonly kind: 'known'; readonly id: string; readonly name?: string }
  | { readonly kind: 'new'; readonly name: string };

/** The job's `projects`: name → id. */
export function projectIds({ settings }: OperationOptions): ReadonlyMap<string, string> {
  const { projects } = settings ?? {};
  const isMap = typeof projects === 'object' && projects !== null && !Array.isArray(projects);
  const entries = isMap ? Object.entries(projects) : [];
  return new Map(entries.flatMap(([name, id]) => (typeof id === 'string' ? [[name, id] as const] : [])));
}

/** A list without a column for projects means the account's; a blank cell of such a column is a slip. */
export function readProject(row: RowInput, options: OperationOptions): Read<NamedProject> {
  const { project: name = '', project_id: id = '' } = row;
  if (id.trim() !== '') return projectById(id, name, options);
  if (name.trim() !== '') return projectByName(name, options);
  if (row.project !== undefined || row[PROJECT_ID.name] !== undefined) return wrong('project: blank');
  const { projectId } = options;
  if (projectId !== undefined) return known(checkedProjectId("the account's project_id", projectId));
  return wrong(
    'project: the list has no column for it, and the account has no project_id. Give one of the two',
  );
}

function projectById(id: string, cell: string, options: OperationOptions): Read<NamedProject> {
  const name = cell.trim();
  const named = idOf(name, options);
  if (named !== undefined && named !== id.trim()) {
    return wrong(
      `project ${quoted(name)} has the id ${named}, and the row says ${quoted(id)}. Correct one of them`,
    );
  }
  return known(checkedProjectId('project_id', id), name === '' ? undefined : name);
}

function projectByName(cell: string, options: OperationOptions): Read<NamedProject> {
  const name = readText('project', cell);
  if (name.kind === 'wrong') return name;
  const id = idOf(name.value, options);
  if (id !== undefined) return known(checkedProjectId(`the id of project ${quoted(cell)}`, id), name.value);
  if (options.settings?.create_projects === true) return read({ kind: 'new', name: name.value });
  const names = [...projectIds(options).keys()];
  const next = names.length === 0 ? 'Name it there with its id.' : suggestion(name.value, names);
  return wrong(`project ${quoted(cell)} is not among the job's \`projects\`. ${next}`);
}

function known(id: Read<string>, name?: string): Read<NamedProject> {
  if (id.kind === 'wrong') return id;
  return read({ kind: 'known', id: id.value, ...(name === undefined ? {} : { name }) });
}

/** By the name as it stands, else in whatever case. */
function idOf(name: string, options: OperationOptions): string | undefined {
  const ids = projectIds(options);
  const spelled = [...ids].find(([each]) => each.trim().toLowerCase() === name.toLowerCase());
  return ids.get(name) ?? spelled?.[1];
}
