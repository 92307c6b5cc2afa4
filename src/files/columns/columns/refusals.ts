import { type StopError, stop } from '../../../core/errors.ts';
import { suggestion } from '../../../core/nearest.ts';
import type { InputField, Operation } from '../../../core/operation.ts';
import { foreignName } from '../../../core/plain-text.ts';
import type { LikelyColumn } from './guessed.ts';

/** Why an operation cannot be run over the columns of a file, with what to write in the job. */

export function notSure(operation: Operation, input: InputField, claimants: readonly string[]): StopError {
  const fact = `${operation.name}: the columns ${listed(claimants)} could all be ${quoted(input.name)}.`;
  return stop('job', fact, `Name the right one under \`columns:\` in the job, as "${input.name}: …".`);
}

/**
 * @param mapped inputs that have a column.
 * @param likely a column that is probably meant for one that has none.
 * @returns undefined when nothing that must be there is missing.
 */
export function unusable(
  operation: Operation,
  header: readonly string[],
  mapped: ReadonlyMap<string, unknown>,
  likely?: LikelyColumn,
): StopError | undefined {
  const missing = operation.inputs.find(({ name, required }) => required && !mapped.has(name));
  if (missing !== undefined) return notThere(operation, missing, header, likely);
  if (mapped.size > 0 || operation.inputs.length === 0) return undefined;
  return nothingUsable(operation, header, likely);
}

function notThere(
  operation: Operation,
  { name, about }: InputField,
  header: readonly string[],
  likely: LikelyColumn | undefined,
): StopError {
  const fact = `${operation.name} needs a column for ${quoted(name)} (${about}), and the file has none that is called so.`;
  const meant = likely?.input === name ? likelyWords(likely) : suggestion(name, header);
  return stop('job', fact, `${meant} Say so under \`columns:\` in the job.`);
}

function nothingUsable(
  operation: Operation,
  header: readonly string[],
  likely: LikelyColumn | undefined,
): StopError {
  const inputs = operation.inputs.map(({ name, about }) => `${name} (${about})`).join(', ');
  const fact = `${operation.name} needs at least one of ${inputs}; none is known among the columns ${listed(header)}.`;
  const next = 'Say under `columns:` in the job which column holds which input.';
  return stop('job', fact, likely === undefined ? next : `${likelyWords(likely)} ${next}`);
}

function likelyWords({ input, column, because }: LikelyColumn): string {
  return `${quoted(input)} may be ${quoted(column)}, ${because}.`;
}

/** More names than that say nothing to anybody, and a sheet may have 100,000. */
const NAMES_SHOWN = 30;

function listed(columns: readonly string[]): string {
  const shown = columns.slice(0, NAMES_SHOWN).map(quoted).join(', ');
  const more = columns.length - NAMES_SHOWN;
  return more > 0 ? `${shown} and ${more} others` : shown;
}

/** Column names come from a file, so what is unprintable in them is escaped. */
export const quoted = foreignName;
