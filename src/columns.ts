import { type StopError, stop } from './errors.ts';
import { suggestion } from './nearest.ts';
import type { InputField, Operation, RowInput } from './operation.ts';
import type { InputRow } from './row.ts';

/** Which column of a file feeds which input of an operation. */
export interface ColumnMap {
  /** Input → column, in the order in which the operation documents its inputs. */
  readonly columns: Readonly<Record<string, string>>;
  /** Whether nobody chose them, so that the user must be shown what was taken. */
  readonly guessed: boolean;
  /** The row's text by input. */
  read(row: InputRow): RowInput;
}

/**
 * Maps the columns of a file to the inputs of an operation: as the job chose, else by sure guesses.
 * @param header names of the file's columns, each of its own.
 * @param chosen the job's `columns`, input → column; undefined: guess.
 * @throws StopError `job` when a name is unknown, a guess is not sure, or no column is usable.
 */
export function mapColumns(
  operation: Operation,
  header: readonly string[],
  chosen?: Readonly<Record<string, string>>,
): ColumnMap {
  const mapping = chosen === undefined ? guess(operation, header) : check(operation, header, chosen);
  const pairs = operation.inputs.flatMap(({ name }) => {
    const column = mapping.get(name);
    return column === undefined ? [] : [{ name, column, index: header.indexOf(column) }];
  });
  const missing = operation.inputs.find(({ name, required }) => required && !mapping.has(name));
  if (missing !== undefined) throw notThere(operation, missing, header);
  if (pairs.length === 0 && operation.inputs.length > 0) throw nothingUsable(operation, header);
  return {
    // From entries, because an assignment to "__proto__" would be lost.
    columns: Object.fromEntries(pairs.map(({ name, column }) => [name, column])),
    guessed: chosen === undefined && pairs.length > 0,
    read: ({ cells }) => {
      // Without a prototype: a job may call an input what it likes.
      const input: Record<string, string> = Object.create(null);
      for (const { name, index } of pairs) input[name] = cells[index] ?? '';
      return input;
    },
  };
}

/** `abn ← ABN, website ← Charity_Website`. */
export function columnWords(columns: Readonly<Record<string, string>>): string {
  return Object.entries(columns)
    .map(([input, column]) => `${input} ← ${column}`)
    .join(', ');
}

/** Input → column as the job chose, every name known. What must be there and was not chosen is taken by its very name. */
function check(
  operation: Operation,
  header: readonly string[],
  chosen: Readonly<Record<string, string>>,
): ReadonlyMap<string, string> {
  const inputs = operation.inputs.map(({ name }) => name);
  const named = operation.inputs.filter(({ name, required }) => required && header.includes(name));
  const mapping = new Map([...named.map(({ name }) => [name, name] as const), ...Object.entries(chosen)]);
  for (const [input, column] of mapping) {
    if (!inputs.includes(input)) {
      const fact = `columns: ${quoted(input)} is not an input of ${operation.name}.`;
      throw stop('job', fact, suggestion(input, inputs));
    }
    if (!header.includes(column)) {
      const fact = `columns: ${input} is to come from ${quoted(column)}, but the file has no such column.`;
      throw stop('job', fact, suggestion(column, header));
    }
  }
  return mapping;
}

/**
 * Input → column for every input that exactly one column surely means. In an earlier output of ours the first one is
 * meant, because what we added stands to the right of the user's own columns.
 */
function guess(operation: Operation, header: readonly string[]): ReadonlyMap<string, string> {
  const isOutput = header.includes('_status');
  const mapping = new Map<string, string>();
  for (const input of operation.inputs) {
    const known = new Set([squeezed(input.name), ...input.aliases]);
    const isNamed = input.required === true && header.includes(input.name);
    const claimants = isNamed ? [input.name] : header.filter((column) => known.has(squeezed(column)));
    const [column, ...others] = claimants;
    if (column === undefined) continue;
    if (others.length > 0 && !isOutput) throw notSure(operation, input, claimants);
    mapping.set(input.name, column);
  }
  return mapping;
}

/** "Charity_Website" and "charity website" are one name: only letters and digits tell names apart. */
function squeezed(name: string): string {
  return name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');
}

function notSure(operation: Operation, input: InputField, claimants: readonly string[]): StopError {
  const fact = `${operation.name}: the columns ${claimants.map(quoted).join(', ')} could all be ${quoted(input.name)}.`;
  return stop('job', fact, `Name the right one under \`columns:\` in the job, as "${input.name}: …".`);
}

function notThere(operation: Operation, { name, about }: InputField, header: readonly string[]): StopError {
  const fact = `${operation.name} needs a column for ${quoted(name)} (${about}), and the file has none that is called so.`;
  return stop('job', fact, `${suggestion(name, header)} Say so under \`columns:\` in the job.`);
}

function nothingUsable(operation: Operation, header: readonly string[]): StopError {
  const inputs = operation.inputs.map(({ name, about }) => `${name} (${about})`).join(', ');
  const fact = `${operation.name} needs at least one of ${inputs}; none is known among the columns ${header.map(quoted).join(', ')}.`;
  return stop('job', fact, 'Say under `columns:` in the job which column holds which input.');
}

/** Column names come from a file, so what is unprintable in them is escaped. */
const quoted = (name: string): string => JSON.stringify(name);
