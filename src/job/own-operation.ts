import { z } from 'zod';
import { type DialectOperation, ownRequestProblem } from '../client/dialect.ts';
import { OF_ANOTHER, unoffered } from '../core/described.ts';
import { messageOf, type StopError, stop } from '../core/errors.ts';
import { finding } from '../core/finding.ts';
import type { Findings } from '../core/findings.ts';
import {
  askOnce,
  type Call,
  defineOperation as defined,
  type IfLost,
  type InputField,
  type JsonObject,
  type JsonValue,
  type Operation,
} from '../core/operation.ts';
import { phrase, type Words } from '../core/phrase.ts';
import { foreignWords } from '../core/plain-text.ts';
import { problemOf } from '../lib/yaml/schema-problem.ts';

/**
 * An operation that is not built in: a program passes it. It looks one thing up for each row, by one request
 * to the provider. Sending, keeping, paying and judging are the same as for any other operation.
 */

/** The parameters for a row, or the reason why nothing can be asked. */
export type OwnPrepared = { readonly parameters: JsonObject } | { readonly invalid: string };

/** An operation of the program's own: one request to the provider for each row. */
export interface OwnOperation {
  /** Lower case, digits and hyphens. */
  readonly name: string;
  /**
   * Answers are known by name and version. Increase it when an old answer no longer answers today's question.
   */
  readonly version: number;
  readonly summary: string;
  /** The columns that the operation takes, each to be mapped to a column of the file. */
  readonly inputs: readonly InputField[];
  /** The request, its cost and the reading of its answers, as an entry of a dialect's `operations`. */
  readonly request: DialectOperation;
  /**
   * The parameters for the cells of a row, by input. It has to be pure: the same cells must always give the
   * same parameters. Equal parameters are bought once. Left out: each cell as it stands, without the blanks
   * around it.
   */
  prepare?(cells: Readonly<Record<string, string>>): OwnPrepared;
  /** The treatment of a call with a lost answer. Left out: `hold`, because it may have been charged. */
  readonly ifLost?: IfLost;
}

const ownText = z.string().min(1).max(200);

const called = z.custom((value) => typeof value === 'function', { error: 'it must be a function' });

/** Names are part of the identity of calls, and stand in commands and cells. */
const NAME = /^(?:@[a-z0-9][a-z0-9._-]*\/)?[a-z][a-z0-9-]{1,80}$/;

const schema = z.strictObject({
  name: z.string().regex(NAME, 'a name must have only lower-case letters, digits and hyphens'),
  version: z.int().min(1),
  summary: ownText,
  inputs: z
    .array(
      z.looseObject({
        name: z.string().regex(/^[a-z][a-z0-9_]{0,40}$/, 'write an input like profile_url'),
        about: ownText,
        aliases: z.array(ownText),
      }),
    )
    .min(1),
  request: z.looseObject({ path: z.string() }),
  prepare: called.optional(),
  ifLost: z.union([z.literal('hold'), z.strictObject({ repeat: ownText })]).optional(),
});

/** An operation of the program's own, for `operations` of a call. It is checked before anything is sent. */
export function defineOperation(operation: OwnOperation): OwnOperation {
  return operation;
}

function wrong(name: string, keys: readonly PropertyKey[], fact: Words, next: Words): StopError {
  const at = keys.length === 0 ? '' : ` (${keys.join('.')})`;
  return stop('job', phrase`The operation ${foreignWords(String(name))}${at}: ${fact}.`, next);
}

/**
 * The operation in the form that the rest of the program knows. Its name contains the version, and so does
 * every call, batch and entry.
 * @throws StopError `job` for a mistake in it.
 */
export async function operationFrom(ownOperation: OwnOperation): Promise<Operation> {
  const { success, error } = schema.safeParse(ownOperation);
  if (!success) {
    const { keys, fact, next } = problemOf(schema, ownOperation, error.issues);
    throw wrong(ownOperation.name, keys, fact, next);
  }
  const found = await ownRequestProblem(ownOperation.request);
  if (found !== undefined) throw wrong(ownOperation.name, ['request', ...found.keys], found.fact, found.next);
  const name = `${ownOperation.name}@${ownOperation.version}`;
  const needed = neededInPath(ownOperation.request);
  return defined<{ readonly call: Call; readonly by: string }>({
    name,
    summary: ownOperation.summary,
    vendor: 'provider',
    described: unoffered(name.replaceAll('-', ' '), { [name]: OF_ANOTHER }),
    inputs: ownOperation.inputs,
    tiers: [],
    request: JSON.parse(JSON.stringify(ownOperation.request)),
    preparer: () => (cells) => {
      const prepared = askedBy(ownOperation, cells);
      if ('findings' in prepared) return { kind: 'invalid', findings: prepared.findings };
      const { parameters } = prepared;
      const missing = needed.find((each) => !isSegment(parameters[each]));
      if (missing !== undefined)
        return { kind: 'invalid', findings: finding('blank_in_path', { input: missing }) };
      const by = Object.keys(parameters).join('+');
      if (by === '') return { kind: 'invalid', findings: finding('nothing_to_ask_by', {}) };
      const call: Call = { operation: name, parameters, ifLost: ownOperation.ifLost ?? 'hold' };
      return { kind: 'ready', input: { by, call } };
    },
    next: ({ call, by }, answered) => askOnce(call, answered, by),
  });
}

/** The parameters without which the path of the request cannot be filled. */
function neededInPath({ path, fields = {} }: DialectOperation): readonly string[] {
  const named = [...path.matchAll(/\{([^{}]*)\}/g)].map(([, name = '']) => name);
  return named.map((field) => Object.keys(fields).find((each) => fields[each] === field) ?? field);
}

const isSegment = (value: JsonValue | undefined): boolean => typeof value === 'string' && value !== '';

/**
 * The code of another program prepares the row: a row for which it fails is invalid, and nothing is sent that
 * JSON has no form for.
 */
function askedBy(
  { name, prepare = asTheyStand }: OwnOperation,
  cells: Readonly<Record<string, string>>,
): { readonly parameters: JsonObject } | { readonly findings: Findings } {
  try {
    const prepared: unknown = JSON.parse(JSON.stringify(prepare({ ...cells })) ?? 'null');
    const checked = preparedSchema.safeParse(prepared);
    if (!checked.success) return { findings: finding('no_parameters_made', { operation: name }) };
    const made = checked.data as OwnPrepared;
    return 'invalid' in made ? { findings: finding('program_says', { words: made.invalid }) } : made;
  } catch (error) {
    return { findings: finding('program_failed', { operation: name, words: messageOf(error) }) };
  }
}

const preparedSchema = z.union([
  z.strictObject({ parameters: z.record(z.string(), z.json()) }),
  z.strictObject({ invalid: z.string().min(1) }),
]);

function asTheyStand(cells: Readonly<Record<string, string>>): OwnPrepared {
  const filled = Object.entries(cells).map(([name, cell]) => [name, cell.trim()] as const);
  return { parameters: Object.fromEntries(filled.filter(([, cell]) => cell !== '')) };
}
