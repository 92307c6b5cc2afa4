import type {
  Operation,
  OperationOptions,
  PlannedWork,
  Prepared,
  RowInput,
  Step,
} from '../../core/operation.ts';
import { end } from '../../core/operation.ts';
import { foreignWords } from '../../core/plain-text.ts';
import type { Outcome } from '../../core/row.ts';
import { kindOfInput } from '../columns/column-kind.ts';
import { type CellKind, cellIssueOf } from './cell-issues.ts';

/**
 * An operation that repairs its rows before it looks at them. Only what is sure is repaired, and only in what is sent:
 * the cells of the file come back as they are, and each such row says in its reason what it was read as.
 */

/** A prepared row with what its repaired cells were read as. */
interface RepairedInput {
  readonly input: unknown;
  readonly note?: string;
}

/** Work of a change is kept with the batch, so what was repaired is kept in it. */
type RepairedWork = PlannedWork & { readonly repaired?: string };

/** @param operation as the account's vendor can be asked. Its `prepare` is then given cells as they stand in the file. */
export function repairing(operation: Operation): Operation {
  const { change } = operation;
  return {
    ...operation,
    prepare: (row, options) => prepareRepaired(operation, row, options),
    ...(change === undefined
      ? {
          next: (row, answered) =>
            noting((row as RepairedInput).note, operation.next((row as RepairedInput).input, answered)),
        }
      : {
          next: (work, answered) => noting((work as RepairedWork).repaired, operation.next(work, answered)),
          change: {
            ...change,
            resolve: (row, team, options) => {
              const { input, note } = row as RepairedInput;
              const resolved = change.resolve(input, team, options);
              if (resolved.kind === 'invalid' || note === undefined) return resolved;
              return { kind: 'ready', input: { ...resolved.input, repaired: note } };
            },
          },
        }),
  };
}

function prepareRepaired(
  operation: Operation,
  row: RowInput,
  options: OperationOptions,
): Prepared<RepairedInput> {
  const { text, note } = repairedRow(operation, row);
  const prepared = operation.prepare(text, options);
  if (prepared.kind === 'invalid') return prepared;
  return {
    kind: 'ready',
    input: note === undefined ? { input: prepared.input } : { input: prepared.input, note },
  };
}

function noting(note: string | undefined, step: Step): Step {
  if (note === undefined || step.kind === 'send') return step;
  const { outcome } = step;
  const reason = outcome.reason === undefined ? note : `${outcome.reason}; ${note}`;
  return end({ ...outcome, reason } as Outcome);
}

/** Whether a repair changes what is sent for the row. */
export function isRowRepaired(operation: Pick<Operation, 'inputs'>, row: RowInput): boolean {
  return repairedRow(operation, row).note !== undefined;
}

/** The row as it is to be sent. `note`: what its repaired cells were read as; undefined when none was. */
function repairedRow(
  { inputs }: Pick<Operation, 'inputs'>,
  row: RowInput,
): { readonly text: RowInput; readonly note: string | undefined } {
  const notes: string[] = [];
  let text = row;
  for (const { name } of inputs) {
    const kind = kindOfInput(name);
    if (kind === undefined) continue;
    const damage = cellIssueOf(kind, row[name] ?? '');
    if (damage?.cure !== 'repair') continue;
    text = { ...text, [name]: damage.repaired };
    notes.push(`${LABELS[kind] ?? name} read as ${foreignWords(damage.repaired)}`);
  }
  return { text, note: notes.length === 0 ? undefined : notes.join(', ') };
}

/** The names in reasons; an input that is missing here has its own name. */
const LABELS: { readonly [Kind in CellKind]?: string } = {
  abn: 'ABN',
  email: 'e-mail',
  profile_url: 'profile URL',
  profile_slug: 'profile slug',
};
