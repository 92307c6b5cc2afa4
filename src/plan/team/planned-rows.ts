import { hash } from 'node:crypto';
import { answerPlaceOf, type Dialect } from '../../client/dialect.ts';
import { mergedObjects, objectWith } from '../../core/answer-body.ts';
import { askedText } from '../../core/call-key.ts';
import { invariant, nameMeant } from '../../core/errors.ts';
import { finding } from '../../core/finding.ts';
import type { Findings } from '../../core/findings.ts';
import { type KnownSubject, subjectOfUser, subjectText, type Team } from '../../core/membership.ts';
import { present } from '../../core/objects.ts';
import type {
  Call,
  ChangePart,
  JsonObject,
  JsonValue,
  OperationOptions,
  PlannedWork,
  RowInput,
} from '../../core/operation.ts';
import { isLeftOut, withFindings } from '../../core/outcome.ts';
import type { Outcome, RowNumber } from '../../core/row.ts';
import { erasedOn } from '../../ledger/erase.ts';
import type { LeaverObject, PlannedChangeObject, UnknownObject } from '../../objects/plan-object.ts';
import { accountsOf, type PlanContext } from '../../walk/resolved-job.ts';
import { optionsOf, type PreparedRow, rowPreparer, unaskedEnd } from '../../walk/row-preparer.ts';
import { RowWalk } from '../../walk/row-walk.ts';
import type { PlannedInput } from '../batch-key.ts';

/**
 * This file prepares the rows of a list and the rows that the list lacks, each with the calls that it makes
 * when all succeed.
 */

/** The person that a row is about and the change that it asks for, in words for people. */
export type ChangeTarget = Pick<PlannedChangeObject, 'email' | 'project' | 'from' | 'to'>;

/** A row after the team was consulted, in one of its projects: it has work to do, or it has ended. */
export type ResolvedRow = WorkableRow | UnworkableRow;

export interface WorkableRow {
  readonly kind: 'work';
  readonly row: RowNumber;
  readonly beyond?: true;
  readonly work: PlannedWork;
  /** The calls of the row, in their order, and its outcome, when the vendor accepts all of them. */
  readonly calls: readonly Call[];
  readonly outcome: Outcome;
}

interface UnworkableRow {
  readonly kind: 'end';
  readonly row: RowNumber;
  readonly beyond?: undefined;
  readonly outcome: Outcome;
  /** The cells of the row; undefined when no one can be sure which cell belongs to which column. */
  readonly cells: RowInput | undefined;
}

export const isWorkable = (row: ResolvedRow): row is WorkableRow => row.kind === 'work';

/** A row of the file after the checks that need no other row and no team. */
export interface ListedRow {
  readonly row: RowNumber;
  /** Undefined for a row that cannot be read. */
  readonly text: RowInput | undefined;
  readonly prepared: PreparedRow;
}

export async function preparedRows(context: PlanContext, input: PlannedInput): Promise<readonly ListedRow[]> {
  const rows: ListedRow[] = [];
  const spelledOnce = firstSpelling();
  const read: PlannedInput['columns']['read'] = (row) => spelledOnce(input.columns.read(row));
  const prepare = rowPreparer(context, { ...input.columns, read });
  for await (const group of input.sheet.groups()) {
    for (const each of group)
      rows.push({
        row: each.row,
        text: each.unreadable === undefined ? read(each) : undefined,
        prepared: prepare(each),
      });
  }
  return rows;
}

/** Gives a project the spelling of the first row that names it: "Atlas" and "atlas" are not made twice. */
function firstSpelling(): (cells: RowInput) => RowInput {
  const spellings = new Map<string, string>();
  return (cells) => {
    const name = cells.project?.trim() ?? '';
    if (name === '') return cells;
    const project = spellings.get(name.toLowerCase()) ?? name;
    spellings.set(name.toLowerCase(), project);
    return { ...cells, project };
  };
}

/**
 * The project names in the list for which no one has said which projects they are, so that no row can be
 * worked on.
 */
export function unknownProjects(context: PlanContext, rows: readonly ListedRow[]): readonly string[] {
  const { job } = context;
  const isSaid = job.projects !== undefined || job.create_projects === true;
  if (isSaid || rows.some(({ prepared }) => prepared.kind === 'ready')) return [];
  return unknownNames(context, rows).projects.map(({ name }) => name);
}

/** The names in the list without a known meaning, each with its rows, in any case. */
export function unknownNames(context: PlanContext, rows: readonly ListedRow[]): UnknownObject {
  const options = optionsOf(context);
  const change = changePartOf(context);
  const wanted = rows.filter(({ prepared }) => prepared.kind !== 'skipped');
  const found = wanted.map(({ text = {} }) => change.unknown?.(text, options));
  const named = countedNames(found.flatMap((names) => names?.named ?? []));
  return {
    projects: countedNames(found.flatMap((names) => names?.projects ?? [])),
    roles: countedNames(found.flatMap((names) => names?.roles ?? [])),
    ...present({ misspelled: misspelledNames(named, Object.keys(options.settings?.projects ?? {})) }),
  };
}

/** Names beside a name that the job knows, or that more rows have. */
function misspelledNames(
  named: UnknownObject['projects'],
  known: readonly string[],
): UnknownObject['misspelled'] | undefined {
  const all = named.flatMap(({ name, rows }) => {
    const others = named.filter((each) => each.rows > rows).map((each) => each.name);
    const meant = nameMeant(name, [...known, ...others]);
    return meant === undefined ? [] : [{ name, rows, meant }];
  });
  return all.length === 0 ? undefined : all;
}

const countedNames = (names: readonly string[]): UnknownObject['projects'] =>
  [...Map.groupBy(names, (name) => name.toLowerCase().replaceAll(/\s+/gu, ' ')).values()].map((same) => ({
    name: same[0] ?? '',
    rows: same.length,
  }));

/**
 * Completes the rows with what the team knows about their subjects.
 * @param forgotten when a person was forgotten; left out: no one is kept out for that.
 */
export function withTeamFacts(
  context: PlanContext,
  rows: readonly ListedRow[],
  team: Team,
  forgotten: (email: string) => number | undefined = () => undefined,
): readonly ResolvedRow[] {
  const change = changePartOf(context);
  const options = optionsOf(context);
  return rows.flatMap(({ row, text, prepared }): ResolvedRow | readonly ResolvedRow[] => {
    if (prepared.kind !== 'ready') {
      const outcome = unaskedEnd(prepared);
      const access = isLeftOut(outcome) && text && change.accessNow?.(text, team, options);
      return { kind: 'end', row, outcome: access ? withFindings(outcome, access) : outcome, cells: text };
    }
    const found = change.resolve(prepared.input, team, options);
    if (found.kind === 'invalid') return { kind: 'end', row, outcome: found, cells: text };
    const { email, to } = found.input;
    const atMs = email === undefined || to === 'none' ? undefined : forgotten(email);
    // A person whom a run with --refresh has changed since is known again.
    const isKnown = ({ subject, sequence, facts }: KnownSubject): boolean =>
      subject.name === email && sequence > 0 && facts !== undefined;
    if (atMs !== undefined && !team.all.some(isKnown))
      return { kind: 'end', row, outcome: { kind: 'skipped', findings: erasedOn(atMs) }, cells: text };
    // The repaired reading of the row is kept with its work, so that its outcome says it.
    const { also, ...first } = { ...found.input, ...present({ repaired: prepared.repaired }) };
    return [first, ...(also ?? [])].map((work) => workable(context, row, work));
  });
}

/** Answers each call with success, so that an operation needs no separate description of its coming calls. */
function workable(context: PlanContext, row: RowNumber, work: PlannedWork): WorkableRow {
  const { job, dialect } = context;
  const walk = new RowWalk(job.operation, accountsOf(context), { input: work, repaired: work.repaired });
  const { calls, outcome } = walk.ahead((call) => ({ kind: 'found', fields: successOf(call, dialect) }));
  invariant(outcome !== undefined, 'a change that succeeds ends its row');
  return { kind: 'work', row, work, calls: calls.map(({ call }) => call), outcome };
}

export function projectsOf(rows: readonly ResolvedRow[]): readonly string[] {
  return [...new Set(rows.filter(isWorkable).flatMap(({ work }) => work.subject.project ?? []))];
}

/** The person and project in the cells of an invalid row. */
export function cellsOf({ email = '', project = '' }: RowInput = {}): ChangeTarget {
  return { email: email.trim() || null, project: project.trim() || null, from: null, to: null };
}

/** Rows for work that no row of the file asks for, such as removing people whom the list no longer names. */
export function missingRows(
  context: PlanContext,
  resolvedRows: readonly ResolvedRow[],
  team: Team,
): readonly WorkableRow[] {
  const missing = missingIn(context, resolvedRows, team, optionsOf(context));
  const last = resolvedRows.at(-1)?.row ?? HEADER_ROW;
  return missing.map((work, index) => ({ ...workable(context, last + 1 + index, work), beyond: true }));
}

/**
 * The people whom the list does not name and the job leaves alone. They are shown, and nothing is planned for
 * them.
 */
export function leaversOf(
  context: PlanContext,
  resolvedRows: readonly ResolvedRow[],
  team: Team,
): LeaverObject[] {
  const options = optionsOf(context);
  // Only a list that describes a wanted state leaves people out: a list that undoes a batch names no others.
  if (options.settings?.remove_missing === true || changePartOf(context).isState !== true) return [];
  const settings = { ...options.settings, remove_missing: true };
  return missingIn(context, resolvedRows, team, { ...options, settings }).flatMap((work) => {
    const { email, project, from: role } = factsOf(work);
    return email === null || project === null ? [] : [{ email, project, role }];
  });
}

function missingIn(
  context: PlanContext,
  resolvedRows: readonly ResolvedRow[],
  team: Team,
  options: OperationOptions,
): readonly PlannedWork[] {
  const works = resolvedRows.filter(isWorkable).map(({ work }) => work);
  const idle = resolvedRows.flatMap((each) => {
    if (isWorkable(each)) return [];
    const { row, outcome, cells } = each;
    return [{ row, isLeftOut: isLeftOut(outcome), ...present({ cells }) }];
  });
  return changePartOf(context).missing?.(works, team, options, idle) ?? [];
}

const HEADER_ROW = 1;

function changePartOf({ job }: PlanContext): ChangePart<unknown, PlannedWork> {
  const { change, name } = job.operation;
  invariant(change !== undefined, `${name} changes nothing, so there are no changes to plan`);
  return change;
}

export function factsOf({ email, project, subject, from, to }: PlannedWork): ChangeTarget {
  return { email: email ?? null, project: project ?? subject.project ?? null, from: from ?? null, to };
}

// ---------------------------------------------------------------------------------- what a row does

/**
 * A placeholder for an id that the vendor has not given yet. Equal calls get the same one. It is never sent,
 * because a run walks the row again with real answers.
 */
function idToCome(call: Call): string {
  return `to-come-${hash('sha256', askedText(call), 'hex').slice(0, 16)}`;
}

/** A success body in this vendor's form, because an operation reads an answer by the dialect's names. */
function successOf(call: Call, dialect: Dialect): JsonValue {
  const paths = Object.values(dialect.operations[call.operation]?.answer_fields ?? {});
  let body: JsonObject = {};
  for (const path of paths)
    if (path !== undefined) body = mergedObjects(body, objectWith(path, idToCome(call)));
  const { fields, envelope } = answerPlaceOf(dialect);
  const ownBody = fields === undefined ? body : objectWith(fields, body);
  return envelope === undefined ? ownBody : objectWith(envelope, ownBody);
}

// --------------------------------------------------------------------- rows about the same person or project

/**
 * The outcomes of rows that conflict with others in a project. A row that repeats earlier rows is
 * `unchanged`. Rows that contradict each other are all `invalid`, because it is not known which of them is
 * meant.
 */
export function conflictOutcomes(rows: readonly WorkableRow[]): ReadonlyMap<ResolvedRow, Outcome> {
  const outcomes = new Map<ResolvedRow, Outcome>();
  const crowds = crowdsOf(rows);
  // Contradictions come first, because a row that repeats one of two contradicting rows does not decide
  // between them.
  for (const crowd of crowds.filter(isContradiction)) {
    const findings = contradictionIn(crowd);
    for (const row of crowd) outcomes.set(row, { kind: 'invalid', findings });
  }
  for (const crowd of crowds) {
    const [first, ...later] = crowd.filter((row) => outcomes.get(row)?.kind !== 'invalid');
    const outcome = {
      kind: 'unchanged',
      findings: finding('same_as_row', { row: first?.row ?? 0 }),
    } as const;
    for (const row of later) if (!outcomes.has(row)) outcomes.set(row, outcome);
  }
  return outcomes;
}

/** Groups of two or more rows about one person or project, in the order of the list. */
function crowdsOf(rows: readonly WorkableRow[]): readonly (readonly WorkableRow[])[] {
  const named = rows.flatMap((row) => [...namedBy(row)].map((name) => ({ name, row })));
  const crowds = [...Map.groupBy(named, ({ name }) => name).values()];
  return crowds.filter(({ length }) => length > 1).map((crowd) => crowd.map(({ row }) => row));
}

function isContradiction(crowd: readonly WorkableRow[]): boolean {
  return crowd.some(({ work }) => work.to !== crowd[0]?.work.to);
}

/**
 * All names of a row's subject. One row may give a person's user id beside the e-mail address, and another
 * row the user id alone.
 */
function namedBy({ work: { subject }, calls }: WorkableRow): ReadonlySet<string> {
  const users = calls.flatMap(({ project = '', parameters: { user_id: userId } }) =>
    typeof userId === 'string' && project === (subject.project ?? '')
      ? [subjectText({ project, name: subjectOfUser(userId) })]
      : [],
  );
  return new Set([subjectText(subject), ...users]);
}

function contradictionIn(crowd: readonly WorkableRow[]): Findings {
  const firstOf = new Map<string, RowNumber>();
  for (const { row, work } of crowd) if (!firstOf.has(work.to)) firstOf.set(work.to, row);
  return finding('rows_contradict', { rows: [...firstOf].map(([to, row]) => ({ row, to })) });
}
