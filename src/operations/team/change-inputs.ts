import type { Code } from '../../core/cell-problems.ts';
import { meantBy, nearestWord, stop } from '../../core/errors.ts';
import { together as allOf, finding, keptCell } from '../../core/finding.ts';
import type { Findings } from '../../core/findings.ts';
import { ROLES, type Role, roleOf } from '../../core/membership.ts';
import { isObject, present } from '../../core/objects.ts';
import type {
  InputField,
  JsonObject,
  Operation,
  OperationOptions,
  Prepared,
  RowInput,
  UnknownNames,
} from '../../core/operation.ts';
import { foreignName, wordsIn } from '../../core/plain-text.ts';
import { leadsElsewhere } from '../../core/vendor-path.ts';
import { identifierText, isSheetError } from '../../values/blank.ts';
import { withoutTextMark } from '../../values/cell-text.ts';
import { email } from '../../values/email.ts';

/**
 * The inputs that the changes of the service share, and how their cells are read. Whatever a sheet contains,
 * nothing leaves this file that could turn a request into another one.
 */

export const EMAIL: InputField = {
  name: 'email',
  about: "the person's e-mail address",
  aliases: wordsIn(`
    email emailaddress emailid mail mailaddress workemail workemailaddress businessemail contactemail
    primaryemail useremail memberemail
  `),
  looksRight: email.looksRight,
};

export const ROLE: InputField = {
  name: 'role',
  about: 'viewer, editor or admin',
  aliases: wordsIn('role projectrole userrole teamrole access accesslevel permission permissions'),
  required: true,
};

export const PROJECT_ID: InputField = {
  name: 'project_id',
  about: "the project's id; left out: the account's",
  aliases: ['projectid', 'projectidentifier'],
};

export const USER_ID: InputField = {
  name: 'user_id',
  about: 'the id of a user who has accepted',
  aliases: ['userid', 'useridentifier', 'memberid'],
};

export const INVITE_CODE: InputField = {
  name: 'invite_code',
  about: 'the code of a pending invite',
  aliases: ['invitecode', 'invitationcode', 'inviteid', 'invitationid'],
};

export const ORGANIZATION_ID: InputField = {
  name: 'organization_id',
  about: "the organization for a new project; left out: the account's",
  aliases: ['organizationid', 'organisationid', 'orgid'],
};

export const ready = <Input>(input: Input): Prepared<Input> => ({ kind: 'ready', input });
type Invalid = Extract<Prepared<never>, { kind: 'invalid' }>;
export const invalid = (findings: Findings): Invalid => ({ kind: 'invalid', findings });

/** A cell that is no value of its input. */
function wrongCell(input: string, text: string, code: Code, what?: string): Invalid {
  const facts = { input, cell: keptCell(text), ...present({ about: what }) };
  return invalid(finding(code, facts));
}

type ValuesOf<Parts> = {
  readonly [Name in keyof Parts]: Parts[Name] extends Prepared<infer Value> ? Value : never;
};

/**
 * Puts a row together from the readings of its cells. All problems are reported at once, so that a sheet is
 * corrected in one go.
 */
export function rowOfCells<Parts extends Readonly<Record<string, Prepared<unknown>>>>(
  parts: Parts,
): Prepared<ValuesOf<Parts>> {
  const problems = Object.values(parts).flatMap((part) => (part.kind === 'invalid' ? [part.findings] : []));
  if (problems.length > 0) return { kind: 'invalid', findings: allOf(...problems) };
  const values = Object.entries(parts).map(([name, part]) => [
    name,
    part.kind === 'ready' ? part.input : null,
  ]);
  return ready(Object.fromEntries(values) as ValuesOf<Parts>);
}

/**
 * Reads a text that is neither blank nor has characters that no name or id has: line ends separate subjects,
 * terminals obey other control characters, and half a character cannot be put into an address.
 */
export function readText(input: string, cell = ''): Prepared<string> {
  const text = cell.trim();
  if (text === '') return blank(input);
  if (isSheetError(text)) return wrongCell(input, text, 'formula_error');
  if (/\p{Cc}/u.test(text) || !text.isWellFormed()) return wrongCell(input, text, 'unsendable');
  return ready(text);
}

export function optionalCell<Value>(
  cell: string | undefined,
  reader: (cell: string) => Prepared<Value>,
): Prepared<Value | undefined> {
  return cell === undefined || identifierText(cell) === '' ? ready(undefined) : reader(cell);
}

/** @param cell blank, or a word for nothing. */
function blank(input: string, cell = ''): Invalid {
  const text = keptCell(cell);
  return invalid(
    text === '' ? finding('blank', { input }) : finding('counts_as_blank', { input, cell: text }),
  );
}

/** The e-mail address in lower case, because case does not tell two people apart. */
export function readEmail(cell = ''): Prepared<string> {
  const emailCell = email.read(cell);
  switch (emailCell.kind) {
    case 'usable':
      return ready(emailCell.value);
    case 'blank':
      return blank('email', cell);
    case 'unusable':
      return wrongCell('email', cell, emailCell.code, emailCell.about);
  }
}

export function readRole(cell = '', others: readonly string[] = []): Prepared<Role> {
  const word = withoutTextMark(cell).toLowerCase();
  // People write "none" to have a person removed.
  if (word !== 'none' && identifierText(word) === '') return blank('role', cell);
  const role = roleOf(word);
  if (role !== undefined) return ready(role);
  if (word === 'none') return invalid(finding('none_is_no_role', { input: 'role' }));
  const meant = nearestWord(word, [...ROLES, ...others]);
  const facts = { input: 'role', cell: keptCell(cell), ...present({ meant }) };
  return invalid(finding('role_unknown', facts));
}

/**
 * The row's role: the one that the job gives to all rows, else the word of the cell as the job's `roles` or
 * the service knows it.
 */
export function readRowRole(
  { role: cell = '' }: RowInput,
  { settings = {} }: OperationOptions,
): Prepared<Role> {
  if (typeof settings.role === 'string') return readRole(settings.role);
  const words = Object.entries((settings.roles ?? {}) as Readonly<Record<string, string>>);
  const meant = words.find(([word]) => tidied(word) === tidied(cell))?.[1];
  return readRole(
    meant ?? cell,
    words.map(([word]) => word),
  );
}

function tidied(word: string): string {
  return withoutTextMark(word).toLowerCase().replaceAll(/\s+/gu, ' ');
}

/**
 * An operation whose rows have a role. A job may give one role to all rows, or translate the words of the
 * sheet.
 */
export function withRoles(operation: Operation): Operation {
  const settings = { ...operation.settings, role: 'asks', roles: 'asks' } as const;
  const inputs = operation.inputs.filter(({ name }) => name !== ROLE.name);
  const ofRows: Operation = { ...operation, settings, shapedBy };
  const ofJob: Operation = { ...ofRows, inputs };
  function shapedBy(given: JsonObject, mapped: readonly string[] = []): Operation {
    checkRoles(given, mapped);
    return given.role === undefined ? ofRows : ofJob;
  }
  return ofRows;
}

/** @throws StopError `job` for a job that gives a role twice. */
function checkRoles({ role, roles }: JsonObject, mapped: readonly string[]): void {
  if (role !== undefined && (roles !== undefined || mapped.includes(ROLE.name))) {
    const fact = '`role` gives every row the same role, so no column or word can give another.';
    throw stop('job', fact, 'Remove `role`, or what the rows say.');
  }
  const alike = Map.groupBy(Object.keys((roles ?? {}) as JsonObject), tidied);
  const [, twice] = [...alike.values()].find((words) => words.length > 1) ?? [];
  if (twice === undefined) return;
  throw stop('job', `roles: ${foreignName(tidied(twice))} is there twice.`, 'Take one of them out.');
}

/** A user id is exactly one segment of a path: a server would resolve `..` away, encoded or not. */
export function readUserId(cell = ''): Prepared<string> {
  const text = readText('user_id', withoutTextMark(cell));
  if (text.kind === 'invalid') return text;
  const isSegment = !/[/\\]/.test(text.input) && !leadsElsewhere(`/x/${encodeURIComponent(text.input)}`);
  return isSegment ? text : wrongCell('user_id', text.input, 'unfit_for_address');
}

/** The id stands before a colon in a header, so it must not contain one. */
const PROJECT_ID_TEXT = /^[\x21-\x39\x3b-\x7e]+$/;

/** The id in a cell of the row. */
export function checkedProjectId(cell: string): Prepared<string> {
  const text = withoutTextMark(cell);
  return PROJECT_ID_TEXT.test(text) ? ready(text) : wrongCell('project_id', cell, 'unfit_for_header');
}

/** @param project the name of the job's project with the id; left out: the account's. */
function givenProjectId(given: string, project?: string): Prepared<string> {
  const id = withoutTextMark(given);
  return PROJECT_ID_TEXT.test(id)
    ? ready(id)
    : invalid(finding('project_id_unfit', { id, ...present({ project }) }));
}

/** The row's own organization, else the account's; undefined where neither gives one. */
export function readOrganization(
  { organization_id: cell }: RowInput,
  { organizationId }: OperationOptions,
): Prepared<string | undefined> {
  const fromCell = optionalCell(cell, (text) => readText('organization_id', text));
  return fromCell.kind === 'ready' && fromCell.input === undefined ? ready(organizationId) : fromCell;
}

export function readProjectId(
  { project_id: cell = '' }: RowInput,
  options: OperationOptions,
): Prepared<string> {
  if (identifierText(cell) !== '') return checkedProjectId(cell);
  if (options.projectId !== undefined) return givenProjectId(options.projectId);
  return invalid(finding('no_project', { input: 'project_id' }));
}

// --------------------------------------------------------------------------------------------- which project

/**
 * A row of a team names a project by its id, by a name that the job knows, or by the name of a project that
 * is yet to be made.
 */

export const PROJECT: InputField = {
  name: 'project',
  about: "the project's name; several with ; between them",
  aliases: wordsIn('project projects projectname projectnames whichproject workspace team teamname'),
};

/** The columns that say to which project a person goes, or who the person is. */
export const HEEDED: readonly InputField[] = [PROJECT, PROJECT_ID, USER_ID];

export type NamedProject =
  | { readonly kind: 'known'; readonly id: string; readonly name?: string }
  /** `notMade`: why an unknown project is not made: its cell has several names. */
  | { readonly kind: 'new'; readonly name: string; readonly notMade?: Findings };

export function projectIds({ settings }: OperationOptions): ReadonlyMap<string, string> {
  const { projects } = settings ?? {};
  const entries = isObject(projects) ? Object.entries(projects) : [];
  return new Map(entries.flatMap(([name, id]) => (typeof id === 'string' ? [[name, id] as const] : [])));
}

/**
 * A list without a column for projects means the account's project. A blank cell in such a column is a slip.
 */
export function readProjects(row: RowInput, options: OperationOptions): Prepared<readonly NamedProject[]> {
  const { project: name = '', project_id: id = '' } = row;
  if (identifierText(id) !== '') return all([projectById(id, name, options)]);
  if (name.trim() !== '') return projectsByName(name, options);
  if (row.project !== undefined || row[PROJECT_ID.name] !== undefined) return blank('project');
  const { projectId } = options;
  if (projectId !== undefined) return all([known(givenProjectId(projectId))]);
  return invalid(finding('no_project_column', {}));
}

function projectById(id: string, cell: string, options: OperationOptions): Prepared<NamedProject> {
  if (/[;,|]/.test(id))
    return invalid(finding('several_projects', { input: 'project_id', cell: keptCell(id) }));
  const name = cell.trim();
  const [, named] = knownAs(name, options) ?? [];
  if (named !== undefined && named !== id.trim())
    return invalid(
      finding('project_has_other_id', {
        input: 'project_id',
        cell: keptCell(id),
        project: name,
        id: named,
      }),
    );
  return known(checkedProjectId(id), name === '' ? undefined : name);
}

const SEVERAL = /[;|]/;

/** A cell that is a project's whole name is that project. */
function namesIn(cell: string, options: OperationOptions): readonly string[] {
  const parts = cell.split(SEVERAL.test(cell) ? SEVERAL : ',').map((part) => part.trim());
  const isKnown = (name: string): boolean => knownAs(name, options) !== undefined;
  const several = !isKnown(cell) && (SEVERAL.test(cell) || parts.some(isKnown));
  return several ? parts.filter((part) => part !== '') : [cell];
}

function projectsByName(cell: string, options: OperationOptions): Prepared<readonly NamedProject[]> {
  const text = readText('project', cell);
  if (text.kind === 'invalid') return text;
  const parts = namesIn(text.input, options);
  return parts.length === 0
    ? blank('project')
    : all(parts.map((part) => projectByName(part, options, text.input)));
}

/**
 * @param cell the cell of the name. Where it has several names, no project is made, because a project
 *   cannot be deleted.
 */
function projectByName(name: string, options: OperationOptions, cell: string): Prepared<NamedProject> {
  const [as, id] = knownAs(name, options) ?? [];
  if (id !== undefined) return known(givenProjectId(id, name), as);
  if (identifierText(name) === '') return blank('project', name);
  const isWhole = name === cell;
  const mayBeMade = options.settings?.create_projects === true;
  if (isWhole && mayBeMade) return ready({ kind: 'new', name });
  const names = [...projectIds(options).keys()];
  const near = meantBy(name, names).slice(0, MOST_MEANT);
  const notMade = finding('project_unknown', {
    input: 'project',
    project: keptCell(name),
    ...(isWhole ? {} : { among: keptCell(cell) }),
    ...(near.length > 0 ? { meant: [...near] } : names.length > 0 ? { known: names } : {}),
  });
  return mayBeMade ? ready({ kind: 'new', name, notMade }) : invalid(notMade);
}

const MOST_MEANT = 3;

function all<Value>(results: readonly Prepared<Value>[]): Prepared<readonly Value[]> {
  const wrong = results.flatMap((each) => (each.kind === 'invalid' ? [each] : []));
  return wrong[0] ?? ready(results.flatMap((each) => (each.kind === 'ready' ? [each.input] : [])));
}

function known(id: Prepared<string>, name?: string): Prepared<NamedProject> {
  if (id.kind === 'invalid') return id;
  return ready(present({ kind: 'known', id: id.input, name }));
}

/** The project as the job spells it, with its id. */
function knownAs(name: string, options: OperationOptions): readonly [name: string, id: string] | undefined {
  const known = [...projectIds(options)];
  const isSpelled = (each: string): boolean => each.trim().toLowerCase() === name.toLowerCase();
  return known.find(([each]) => each === name) ?? known.find(([each]) => isSpelled(each));
}

/** A project that the job lets us make is none of them. */
export function unknownNames(cells: RowInput, options: OperationOptions): UnknownNames {
  const { role = '', project = '', project_id: id = '' } = cells;
  const cell = project.trim();
  const isMade = (name: string): boolean => name === cell && options.settings?.create_projects === true;
  const named = namesIn(cell, options).filter(
    (name) => identifierText(id) === '' && identifierText(name) !== '' && !knownAs(name, options),
  );
  const isRead = identifierText(role) === '' || readRowRole(cells, options).kind === 'ready';
  return { projects: named.filter((name) => !isMade(name)), roles: isRead ? [] : [role.trim()], named };
}
