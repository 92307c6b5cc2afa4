import { profilesTaken, unaskableParameters } from '../client/dialect.ts';
import { finding, together } from '../core/finding.ts';
import type { Findings } from '../core/findings.ts';
import { present } from '../core/objects.ts';
import type { Operation, OperationOptions, RowInput, TellsApart } from '../core/operation.ts';
import type { InputRow, Outcome } from '../core/row.ts';
import { acnInputs } from '../files/columns/column-kind.ts';
import { type InputColumns, type IssueOf, repairedRow } from '../files/quality/job-issues.ts';
import { type SharedHosts, settingAside } from '../files/quality/shared-hosts.ts';
import type { Job } from '../job/job.ts';
import { settingsOf } from '../job/job-schema.ts';
import { BY_ON_EXISTING, fillingOf, leavingOut, stepsFilling } from './filling.ts';
import type { ResolvedJob } from './resolved-job.ts';

/** What a row becomes before its first request. */
export type PreparedRow =
  /** The row can be asked. */
  | {
      readonly kind: 'ready';
      readonly input: unknown;
      /** How the repaired cells of the row were read; absent when none was repaired. */
      readonly repaired?: Findings;
    }
  /**
   * A cell cannot be used, so nothing is sent. `isSetAside`: because of a host of several companies, until a
   * person takes such rows.
   */
  | { readonly kind: 'invalid'; readonly findings: Findings; readonly isSetAside?: true }
  /** The row would get nothing, or the condition `by` of the job leaves it out. */
  | {
      readonly kind: 'skipped';
      readonly findings: Findings;
      readonly by?: string;
      /** What the row would be asked without the condition: it keeps what is known of that. */
      readonly otherwise?: () => PreparedRow;
    };

/** What a row that is left out would be asked; undefined of any other, and of one that could not be asked. */
export function otherwiseOf(prepared: PreparedRow) {
  const otherwise = prepared.kind === 'skipped' ? prepared.otherwise?.() : undefined;
  return otherwise?.kind === 'ready' ? otherwise : undefined;
}

/** How a row ends that is not asked. */
export const unaskedEnd = ({ kind, findings }: Exclude<PreparedRow, { kind: 'ready' }>): Outcome => ({
  kind,
  findings,
});

export function optionsOf(
  { job, account: { projectId, organizationId }, dialect }: ResolvedJob,
  fed?: OperationOptions['fed'],
): OperationOptions {
  const { waterfall, origin, operation } = job;
  return {
    ...present({ waterfall }),
    settings: settingsOf(job),
    ...(origin && 'undoes' in origin ? { isOurList: true } : {}),
    ...present({ projectId, organizationId, fed }),
    unaskable: bySteps(operation, (name) => unaskableParameters(dialect, name)),
    profiles: bySteps(operation, (name) => profilesTaken(dialect, name)),
    ...present({ acceptHosts: job.accept_hosts, roleAddresses: job.role_addresses }),
  };
}

/** Words of each step, with the name of the step before them. */
const bySteps = (
  { name, steps }: Operation,
  wordsOf: (name: string) => readonly string[],
): readonly string[] =>
  steps?.flatMap((step) => wordsOf(step.name).map((word) => `${step.name}.${word}`)) ?? wordsOf(name);

/**
 * Makes the step that prepares the rows of a file. A row that cannot be read is invalid without being looked
 * at further.
 */
export function rowPreparer(
  resolved: ResolvedJob,
  columns: Pick<InputColumns, 'read' | 'issueOf' | 'header' | 'columns' | 'nullNames'>,
  shared?: SharedHosts,
  tellsApart?: TellsApart,
): (row: InputRow) => PreparedRow {
  const steps = stepsFilling(resolved.job, columns);
  const prepared = cellPreparer(
    resolved.job,
    {
      ...optionsOf(resolved, steps?.fed),
      nullNames: columns.nullNames,
      acnIn: acnInputs(columns.columns),
      ...present({ tellsApart }),
    },
    columns.issueOf,
  );
  const leftOut = leavingOut(resolved.job, columns.header);
  const filling = fillingOf(resolved.job, columns.header);
  const ownOperation = withoutHeader(resolved.job.operation, columns.header);
  const aside = settingAside(shared, columns.columns, columns.header);
  const wanted = (row: InputRow): PreparedRow => {
    const full = filling?.whyFull(row.cells);
    if (full !== undefined) return { kind: 'skipped', findings: full, by: BY_ON_EXISTING };
    const ready = prepared(ownOperation(columns.read(row)));
    const shared = ready.kind === 'ready' ? aside?.(row) : undefined;
    if (shared !== undefined) return { kind: 'invalid', findings: shared, isSetAside: true };
    return steps === undefined || ready.kind !== 'ready' ? ready : steps.withoutFilled(ready, row);
  };
  return (row) => {
    if (row.unreadable !== undefined)
      return { kind: 'invalid', findings: finding('row_unreadable', { words: row.unreadable }) };
    const leftOutEnd = leftOut(row.cells);
    if (leftOutEnd === undefined) return wanted(row);
    return { kind: 'skipped', ...leftOutEnd, otherwise: () => wanted(row) };
  };
}

/**
 * Leaves out an identifier that each person has alone, such as a slug, where the cell only repeats a word of
 * the header.
 */
function withoutHeader({ inputs }: Operation, header: readonly string[]): (cells: RowInput) => RowInput {
  const ones = inputs.flatMap(({ name, isOnes }) => (isOnes ? [name] : []));
  const words = new Set(header.flatMap((name) => [name, ...name.split(/[^\p{L}\p{N}]+/u)].map(plain)));
  const isLabel = (cell = ''): boolean => cell.trim() !== '' && words.has(plain(cell));
  return (cells) => {
    const labels = ones.filter((name) => isLabel(cells[name]));
    return labels.length === 0
      ? cells
      : { ...cells, ...Object.fromEntries(labels.map((name) => [name, ''])) };
  };
}

const plain = (text: string): string => text.trim().toLowerCase();

/**
 * Repairs the cells of a row, where the job says so, and has the operation check and normalise them.
 * Elsewhere a repair that is sure is offered in the reason of the row that cannot be sent without it.
 */
export function cellPreparer(
  { operation, repair }: Pick<Job, 'operation' | 'repair'>,
  options: OperationOptions,
  issueOf?: IssueOf,
): (cells: RowInput) => PreparedRow {
  const prepare = operation.preparer(options);
  return (cells) => {
    const asItIs = repair === true ? undefined : prepare(cells);
    if (asItIs !== undefined && asItIs.kind !== 'invalid') return asItIs;
    const { text, cells: read } = repairedRow(operation, cells, issueOf);
    const repaired = prepare(text);
    if (read.length === 0) return asItIs ?? repaired;
    if (asItIs === undefined) return { ...repaired, repaired: finding('repaired', { cells: read }) };
    if (repaired.kind === 'invalid') return asItIs;
    return { ...asItIs, findings: together(asItIs.findings, finding('sent_if_repaired', { cells: read })) };
  };
}
