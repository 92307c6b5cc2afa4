import { invariant } from '../../../core/errors.ts';
import type { Team } from '../../../core/membership.ts';
import { present } from '../../../core/objects.ts';
import type { Call, ChangePart, OperationOptions, PlannedWork, RowInput } from '../../../core/operation.ts';
import type { Outcome, RowNumber } from '../../../core/row.ts';
import type { PlannedInput } from '../../batch-key.ts';
import type { PlanContext } from '../../row-walk.ts';
import { optionsOf, type PreparedRow, rowPreparer } from '../../row-walk.ts';
import { simulate } from './simulate.ts';

/** This file prepares the rows of a list and the rows that it lacks, each with the calls that it makes when all succeed. */

/** The person that a row is about and the change that it asks for, in words for people. */
export interface Whom {
  readonly email?: string;
  /** The project's name in the list, else its id. */
  readonly project?: string;
  readonly from?: string;
  readonly to?: string;
}

/** A row after the team was consulted: it has work to do, or it has ended. */
export type ResolvedRow = WorkableRow | UnworkableRow;

export interface WorkableRow {
  readonly kind: 'work';
  readonly row: RowNumber;
  readonly beyond?: true;
  readonly work: PlannedWork;
  readonly calls: readonly Call[];
  readonly outcome: Outcome;
}

interface UnworkableRow {
  readonly kind: 'end';
  readonly row: RowNumber;
  readonly outcome: Outcome;
  /** What the row says; undefined when nobody can be sure which cell belongs to which column. */
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
  const prepare = rowPreparer(context, input.columns);
  for await (const group of input.sheet.groups()) {
    for (const each of group) {
      rows.push({
        row: each.row,
        text: each.unreadable === undefined ? input.columns.read(each) : undefined,
        prepared: prepare(each),
      });
    }
  }
  return rows;
}

/** Completes the rows with what the team knows about their subjects. */
export function resolved(
  context: PlanContext,
  rows: readonly ListedRow[],
  team: Team,
): readonly ResolvedRow[] {
  const change = changePartOf(context);
  const options = optionsOf(context);
  return rows.map(({ row, text, prepared }): ResolvedRow => {
    if (prepared.kind === 'invalid') return { kind: 'end', row, outcome: prepared, cells: text };
    const found = change.resolve(prepared.input, team, options);
    if (found.kind === 'invalid') return { kind: 'end', row, outcome: found, cells: text };
    // What the row was repaired to is kept with its work, so that its outcome says it.
    return workable(context, row, { ...found.input, ...present({ repaired: prepared.repaired }) });
  });
}

function workable({ job, dialect }: PlanContext, row: RowNumber, work: PlannedWork): WorkableRow {
  return { kind: 'work', row, work, ...simulate(job.operation, work, dialect) };
}

export function projectsOf(rows: readonly ResolvedRow[]): readonly string[] {
  return [...new Set(rows.filter(isWorkable).flatMap(({ work }) => work.subject.project ?? []))];
}

/** The person and project in the cells of an invalid row. */
export function cellsOf({ email = '', project = '' }: RowInput = {}): Whom {
  return {
    ...(email.trim() === '' ? {} : { email: email.trim() }),
    ...(project.trim() === '' ? {} : { project: project.trim() }),
  };
}

/** Rows for work that no row of the file asks for, such as removing people whom the list no longer names. */
export function missingRows(
  context: PlanContext,
  asked: readonly ResolvedRow[],
  team: Team,
): readonly WorkableRow[] {
  const missing = missingIn(context, asked, team, optionsOf(context));
  const last = asked.at(-1)?.row ?? HEADER_ROW;
  return missing.map((work, index) => ({ ...workable(context, last + 1 + index, work), beyond: true }));
}

/** Whom the list does not name and the job leaves alone: they are told, and nothing is planned for them. */
export function leaversOf(
  context: PlanContext,
  asked: readonly ResolvedRow[],
  team: Team,
): readonly { readonly email: string; readonly project: string; readonly role?: string }[] {
  const options = optionsOf(context);
  // Only a list that describes a wanted state leaves people out: one that undoes a batch names no others.
  if (options.settings?.remove_missing === true || changePartOf(context).isState !== true) return [];
  const settings = { ...options.settings, remove_missing: true };
  return missingIn(context, asked, team, { ...options, settings }).flatMap(({ email, from, ...work }) => {
    const { project } = factsOf({ ...work, to: 'none' });
    return email === undefined || project === undefined
      ? []
      : [{ email, project, ...present({ role: from }) }];
  });
}

function missingIn(
  context: PlanContext,
  asked: readonly ResolvedRow[],
  team: Team,
  options: OperationOptions,
): readonly PlannedWork[] {
  const works = asked.filter(isWorkable).map(({ work }) => work);
  const invalid = asked.flatMap((row) =>
    isWorkable(row) ? [] : [{ row: row.row, ...present({ cells: row.cells }) }],
  );
  return changePartOf(context).missing?.(works, team, options, invalid) ?? [];
}

const HEADER_ROW = 1;

function changePartOf({ job }: PlanContext): ChangePart<unknown, PlannedWork> {
  const { change, name } = job.operation;
  invariant(change !== undefined, `${name} changes nothing, so there are no changes to plan`);
  return change;
}

export function factsOf({ email, project, subject, from, to }: PlannedWork): Whom {
  const shown = project ?? subject.project;
  return {
    ...present({ email, project: shown, from }),
    to,
  };
}
