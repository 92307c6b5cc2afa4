import { suggestion } from '../../core/nearest.ts';
import { isObject, present } from '../../core/objects.ts';
import type { InputField, OperationOptions, RowInput } from '../../core/operation.ts';
import {
  checkedProjectId,
  PROJECT_ID,
  quotedCell,
  type Read,
  read,
  readText,
  USER_ID,
  wrong,
} from './change-inputs.ts';

/** Which project a row of a team means: by id, by a name that the job knows, or by one that is yet to be made. */

export const PROJECT: InputField = {
  name: 'project',
  about: "the project's name",
  aliases: ['project', 'projectname', 'team', 'teamname'],
};

/** In the order of `PLACES`. */
export const HEEDED: readonly InputField[] = [PROJECT, PROJECT_ID, USER_ID];

export type NamedProject =
  | { readonly kind: 'known'; readonly id: string; readonly name?: string }
  | { readonly kind: 'new'; readonly name: string };

export function projectIds({ settings }: OperationOptions): ReadonlyMap<string, string> {
  const { projects } = settings ?? {};
  const entries = isObject(projects) ? Object.entries(projects) : [];
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
    'project: the list has no column for it, and the account has no project_id. Add one of the two',
  );
}

function projectById(id: string, cell: string, options: OperationOptions): Read<NamedProject> {
  if (/[;,|]/.test(id)) return namesSeveral('project_id', id);
  const name = cell.trim();
  const named = idOf(name, options);
  if (named !== undefined && named !== id.trim()) {
    return wrong(
      `project ${quotedCell(name)} has the id ${named}, but the row says ${quotedCell(id)}. Correct one of them`,
    );
  }
  return known(checkedProjectId('project_id', id), name === '' ? undefined : name);
}

const SEVERAL = /[;|]/;

function projectByName(cell: string, options: OperationOptions): Read<NamedProject> {
  const name = readText('project', cell);
  if (name.kind === 'wrong') return name;
  const id = idOf(name.value, options);
  if (id !== undefined)
    return known(checkedProjectId(`the id of project ${quotedCell(cell)}`, id), name.value);
  const names = [...projectIds(options).keys()];
  const several =
    SEVERAL.test(cell) || cell.split(',').some((part) => idOf(part.trim(), options) !== undefined);
  if (several) return namesSeveral('project', cell);
  if (options.settings?.create_projects === true) return read({ kind: 'new', name: name.value });
  const next = names.length === 0 ? 'Name it there with its id.' : suggestion(name.value, names);
  return wrong(`project ${quotedCell(cell)} is not among the job's \`projects\`. ${next}`);
}

/** One that is made for a cell that holds several could not be deleted again. */
function namesSeveral(label: string, cell: string): Read<never> {
  return wrong(`${label} ${quotedCell(cell)} names several projects. Give the person a row for each`);
}

function known(id: Read<string>, name?: string): Read<NamedProject> {
  if (id.kind === 'wrong') return id;
  return read(present({ kind: 'known', id: id.value, name }));
}

function idOf(name: string, options: OperationOptions): string | undefined {
  const ids = projectIds(options);
  const spelled = [...ids].find(([each]) => each.trim().toLowerCase() === name.toLowerCase());
  return ids.get(name) ?? spelled?.[1];
}
