import { z } from 'zod';
import { invariant, stop, suggestion } from '../../core/errors.ts';
import { isObject } from '../../core/objects.ts';
import { phrase, typing, type Words } from '../../core/phrase.ts';
import { counted, foreignName, foreignWords } from '../../core/plain-text.ts';

/**
 * Translates zod's complaint about a YAML document into a fact and an advice. Values are quoted only where
 * they are numbers or could be words of a list: elsewhere a value may be a key, and messages end in logs.
 */

export type KeyPath = readonly PropertyKey[];

export interface SchemaProblem {
  /** The place of the problem; a missing entry is placed at the entry that should contain it. */
  readonly keys: KeyPath;
  readonly part: 'name' | 'value';
  readonly fact: Words;
  readonly next: string;
}

type Issue = z.core.$ZodIssue;
type Schema = z.core.$ZodType;

/**
 * The problem that explains the most: a misspelt name also makes the right one missing, so it comes first.
 */
export function problemOf(schema: Schema, value: unknown, issues: readonly Issue[]): SchemaProblem {
  const open = issues.flatMap((issue) => branchOf(issue));
  const [issue] = [...open.filter((each) => each.code === 'unrecognized_keys'), ...open];
  invariant(issue !== undefined, 'a document was refused without an issue');
  if (issue.code === 'unrecognized_keys') return unknownName(schema, value, issue);
  const found = valueAt(value, issue.path);
  if (found === undefined && issue.code !== 'custom') return missing(issue);
  // The check of one entry against another has named the part and the advice itself.
  if (issue.code === 'custom' && issue.params?.part !== undefined)
    return { keys: issue.path, part: issue.params.part, fact: issue.message, next: issue.params.next };
  const part = issue.code === 'invalid_key' ? 'name' : 'value';
  return { keys: issue.path, part, ...wrongValue(issue, found) };
}

/**
 * When the schema allows several forms: the issues of the form that was meant, which is the one with a
 * fitting outer shape.
 */
function branchOf(issue: Issue): readonly Issue[] {
  if (issue.code !== 'invalid_union' || issue.errors.length === 0) return [issue];
  const fitting = issue.errors.find((branch) =>
    branch.every((each) => each.path.length > 0 || each.code === 'unrecognized_keys'),
  );
  const branch = fitting ?? issue.errors[0] ?? [];
  return branch.map((each) => ({ ...each, path: [...issue.path, ...each.path] })).flatMap(branchOf);
}

function unknownName(schema: Schema, value: unknown, issue: z.core.$ZodIssueUnrecognizedKeys): SchemaProblem {
  const [name = ''] = issue.keys;
  const parent = valueAt(value, issue.path);
  const used = new Set(isObject(parent) ? Object.keys(parent) : []);
  const names = new Set(namesAt(schema, value, issue.path));
  const free = [...names].filter((each) => !used.has(each));
  return {
    keys: [...issue.path, name],
    part: 'name',
    fact: `${quoted(name)} is not known here`,
    next: suggestion(name, free),
  };
}

function missing(issue: Issue): SchemaProblem {
  const name = String(issue.path.at(-1) ?? '');
  const choice = issue.code === 'invalid_union' ? `, one of ${wordsOf(issue).join(', ')}` : '';
  return {
    keys: issue.path.slice(0, -1),
    part: 'value',
    fact: `${foreignName(name)} is missing`,
    next: `Add a line that begins with ${name}:${choice}.`,
  };
}

/** The words of the member that decides between the forms of a choice. */
function wordsOf(issue: z.core.$ZodIssueInvalidUnion): readonly string[] {
  return 'options' in issue ? (issue.options ?? []).map(String) : [];
}

type FactAndNext = Pick<SchemaProblem, 'fact' | 'next'>;

function wrongValue(issue: Issue, found: unknown): FactAndNext {
  const name = pathName(issue.path);
  switch (issue.code) {
    case 'invalid_type':
      return wrongType(name, issue.expected, found);
    case 'invalid_value':
      return notInList(name, found, issue.values.map(String));
    case 'invalid_union':
      return notInList(name, found, wordsOf(issue));
    case 'too_small':
      // A list that needs more than one entry has its own advice for a single one.
      if (Array.isArray(found) && found.length > 0)
        return { fact: `${name} has ${counted(found.length, 'entry', 'entries')}`, next: issue.message };
      if (typeof found !== 'number')
        return { fact: `${name} is empty`, next: 'Fill it in, or leave it out.' };
      return {
        fact: `${name} is ${String(found)}`,
        next: `Write ${issue.inclusive === false ? 'more than' : 'at least'} ${issue.minimum}.`,
      };
    case 'too_big':
      return {
        fact: `${name} is ${typeof found === 'number' ? String(found) : 'too long'}`,
        next: `Write at most ${issue.maximum}.`,
      };
    case 'invalid_key':
      return {
        fact: `the name ${foreignName(String(issue.path.at(-1)))} cannot be used`,
        next: `Choose another: ${issue.issues[0]?.message ?? issue.message}.`,
      };
    case 'invalid_format':
      return { fact: phrase`${typing`${name}: `}${issue.message}`, next: 'Correct it.' };
    case 'custom':
      return {
        fact: phrase`${typing`${name}: `}${issue.message}`,
        next: String(issue.params?.next ?? 'Correct it.'),
      };
    case 'not_multiple_of':
    case 'invalid_element':
    case 'unrecognized_keys':
      return { fact: `${name} is not valid`, next: 'Correct it.' };
  }
}

const EXPECTED: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list, such as [one, two]',
  object: 'a block of "name: value" lines',
  record: 'a block of "name: value" lines',
};

function wrongType(name: string, expected: string, found: unknown): FactAndNext {
  const wanted = EXPECTED[expected] ?? expected;
  const quotes = expected === 'string' && (typeof found === 'number' || typeof found === 'boolean');
  return {
    fact: `${name === '' ? 'the document' : name} must be ${wanted}, but is ${kindOf(found)}`,
    next: quotes ? 'Put it in quotes.' : `Write ${wanted}.`,
  };
}

function kindOf(value: unknown): string {
  if (value === null) return 'empty';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
  if (typeof value === 'number') return Number.isInteger(value) ? 'a number' : 'a number with a fraction';
  if (typeof value === 'boolean') return `"${value}"`;
  return typeof value === 'string' ? 'text' : 'a block of lines';
}

/** Longer than any word of a list, and shorter than most keys that land in a wrong place. */
const LONGEST_WORD = 24;

function quoted(word: string): string {
  return word.length > LONGEST_WORD ? `a word of ${word.length} characters` : foreignName(word);
}

function notInList(name: string, found: unknown, words: readonly string[]): FactAndNext {
  const shown = typeof found === 'object' ? kindOf(found) : quoted(String(found));
  return { fact: `${name} cannot be ${shown}`, next: suggestion(String(found), words) };
}

/** The longest name of an account or a column that is shown within a path. */
const LONGEST_PART = 80;

function pathName(keys: KeyPath): string {
  return keys.reduce<string>((name, key) => {
    if (typeof key === 'number') return `${name}[${key + 1}]`;
    const word = foreignWords(String(key), LONGEST_PART);
    return name === '' ? word : `${name}.${word}`;
  }, '');
}

function valueAt(value: unknown, keys: KeyPath): unknown {
  return keys.reduce<unknown>((within, key) => {
    if (Array.isArray(within)) return within[Number(key)];
    return isObject(within) && Object.hasOwn(within, key) ? within[String(key)] : undefined;
  }, value);
}

/** The names that the schema knows at these keys, for a value such as this one. */
function namesAt(schema: Schema, value: unknown, keys: KeyPath): readonly string[] {
  const [key, ...rest] = keys;
  return formsOf(schema, value).flatMap((form) => {
    const { def } = (form as z.core.$ZodTypes)._zod;
    if (def.type === 'object') {
      if (key === undefined) return Object.keys(def.shape);
      const member = def.shape[String(key)];
      return member === undefined ? [] : namesAt(member, valueAt(value, [key]), rest);
    }
    if (key === undefined) return [];
    if (def.type === 'array') return namesAt(def.element, valueAt(value, [key]), rest);
    return def.type === 'record' ? namesAt(def.valueType, valueAt(value, [key]), rest) : [];
  });
}

/**
 * The schema without its wrappers. When a member such as `vendor` chooses the form, only the form that the
 * value names.
 */
function formsOf(schema: Schema, value: unknown): readonly Schema[] {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (def.type === 'optional' || def.type === 'nullable') return formsOf(def.innerType, value);
  if (def.type === 'pipe') return formsOf(def.in, value);
  if (def.type !== 'union') return [schema];
  const { discriminator } = def as Partial<z.core.$ZodDiscriminatedUnionDef>;
  return def.options
    .filter((option) => fits(option, discriminator, value))
    .flatMap((each) => formsOf(each, value));
}

function fits(option: Schema, discriminator: string | undefined, value: unknown): boolean {
  const { def } = (option as z.core.$ZodTypes)._zod;
  const member = discriminator !== undefined && def.type === 'object' ? def.shape[discriminator] : undefined;
  if (discriminator === undefined || member === undefined) return true;
  return z.safeParse(member, valueAt(value, [discriminator])).success;
}

/**
 * Checks the options of a program like the command line checks its flags. A type does not hold at run time: a
 * limit that is not a number would compare as false everywhere, and so limit nothing.
 * @returns the options as the schema reads them.
 * @throws StopError `usage` with the option that is wrong.
 */
export function checkInput<Input extends z.ZodObject>(
  call: string,
  input: Input,
  given: unknown,
): z.output<Input> {
  const givenObject = given ?? {};
  const { data, error } = input.safeParse(givenObject);
  if (error === undefined) return data;
  const { keys, fact, next } = problemOf(input, givenObject, error.issues);
  // An option that is missing has no place of its own.
  throw stop('usage', phrase`${typing`${call}: `}${fact}.`, keys.length === 0 ? `Pass it to ${call}.` : next);
}

/** An entry that may be left out. @param about what it means, for a reader of the reference. */
export const opt = <Schema extends z.ZodType>(schema: Schema, about: string) =>
  schema.optional().describe(about);

export const optBlock = <Shape extends z.ZodRawShape>(about: string, shape: Shape) =>
  opt(z.strictObject(shape), about);
