import { basename } from 'node:path';
import { z } from 'zod';
import { WHOLE_BODY } from '../../core/answer-body.ts';
import { bringsRequest, described } from '../../core/described.ts';
import { stop, suggestion } from '../../core/errors.ts';
import { isObject, present } from '../../core/objects.ts';
import type { JsonObject } from '../../core/operation.ts';
import { phrase } from '../../core/phrase.ts';
import { foreignName, foreignWords } from '../../core/plain-text.ts';
import {
  checkDocument,
  type DocumentKind,
  readDocument,
  type YamlDocument,
} from '../../lib/yaml/document.ts';
import { problemOf, type SchemaProblem } from '../../lib/yaml/schema-problem.ts';
import type { Account } from '../account/account.ts';
import { dialectSchema } from './check.ts';
import { type Dialect, type DialectEntries, envelope } from './dialect-schema.ts';

/**
 * A user's own dialect states its differences from the built-in one of the vendor, and nothing else. Maps are
 * merged by name, single values and lists replace the built-in ones, and rules of answers are tried before
 * the built-in ones. The result is checked as a whole, so that a wrong entry is shown with its line before
 * anything is sent.
 */

const DIALECT_FILE: DocumentKind = { code: 'account', name: 'dialect file', acts: true };

type Entries = Readonly<Record<string, unknown>>;

const anyEntries: z.ZodType<Entries> = z.record(z.string(), z.unknown());

/** Every map may have a part of its entries. */
type PartOf<Value> = Value extends readonly unknown[]
  ? Value
  : Value extends object
    ? { readonly [Name in keyof Value]?: PartOf<Value[Name]> }
    : Value;

/**
 * The differences from the built-in dialect of a vendor, as a value: the content of a dialect file as YAML,
 * and always its `name` and its `vendor`.
 */
export type OwnDialect = Omit<PartOf<DialectEntries>, 'headers'> & {
  readonly name: string;
  readonly vendor: 'provider' | 'service';
  /** `null` takes a built-in header away. */
  readonly headers?: Readonly<Record<string, string | null>>;
};

/**
 * The built-in dialect with the changes of the file at `path`. Its name is the file's name, unless the file
 * says another.
 * @throws StopError `account` with file, line and column, and the word that was probably meant.
 */
export async function readDialectFile(path: string, builtIn: Dialect): Promise<Dialect> {
  return dialectIn(await readDocument(path, anyEntries, DIALECT_FILE), builtIn);
}

/**
 * The same for a file of ours. It is about another vendor, which has those operations that the file names,
 * and calls with a request that the job states.
 */
export async function readShippedDialect(path: string, builtIn: Dialect): Promise<Dialect> {
  const document = await readDocument(path, anyEntries, DIALECT_FILE);
  const dialect = dialectIn(document, builtIn);
  const named = Object.keys(document.value.operations ?? {});
  const operations = Object.entries(dialect.operations).filter(
    ([name]) => named.includes(name) || bringsRequest(name),
  );
  return { ...dialect, operations: Object.fromEntries(operations) };
}

/** Does the same as `readDialectFile` for text that need not be in the file yet. */
export function checkDialectFile(text: string, path: string, builtIn: Dialect): Dialect {
  return dialectIn(checkDocument(text, path, anyEntries, DIALECT_FILE), builtIn);
}

/** The same for a dialect that a program passes. @throws StopError `account` with the entry that is wrong. */
export function dialectOfValue(value: OwnDialect, builtIn: Dialect): Dialect {
  const path = foreignWords(String(value.name));
  const problem: YamlDocument<Entries>['problem'] = (keys, _part, fact, next) =>
    stop(
      'account',
      phrase`The dialect ${path}${keys.length === 0 ? '' : ` (${keys.join('.')})`}: ${fact}.`,
      next,
    );
  return dialectIn({ path, value: { ...value }, problem }, builtIn);
}

function dialectIn({ path, value, problem }: YamlDocument<Entries>, builtIn: Dialect): Dialect {
  if (value.vendor !== undefined && value.vendor !== builtIn.vendor) {
    const fact =
      `this dialect is for a ${foreignWords(String(value.vendor))}, ` +
      `but the account's vendor is a ${builtIn.vendor}`;
    throw problem(['vendor'], 'value', fact, 'Give the account another dialect.');
  }
  // A vendor's built-in dialect need not have all calls that can be asked of such a vendor.
  const known = described().flatMap(({ vendor, calls }) =>
    vendor === builtIn.vendor ? Object.keys(calls) : [],
  );
  const unknown = Object.keys(isObject(value.operations) ? value.operations : {}).find(
    (name) => !known.includes(name),
  );
  if (unknown !== undefined) {
    const fact = `the ${builtIn.vendor} has no operation ${foreignName(unknown)}`;
    throw problem(['operations', unknown], 'name', fact, suggestion(unknown, known));
  }
  const content = merged(
    { ...builtIn, name: basename(path).replace(/\.[^.]*$/, '') },
    value.auth === undefined ? value : { ...value, headers: withoutBuiltIn('authorization', value.headers) },
  );
  const checked = dialectSchema.safeParse(content, { jitless: true });
  // Words that several dialects have are one object, which is made ready for reading once.
  if (checked.success) return { ...checked.data, ...(value.words === undefined && { words: builtIn.words }) };
  const found = problemOf(dialectSchema, value, checked.error.issues);
  throw problem(found.keys, found.part, found.fact, found.next);
}

function merged(builtIn: Entries, ownEntries: Entries): Entries {
  const each = Object.entries(ownEntries).map(([name, value]) => {
    const before = Object.hasOwn(builtIn, name) ? builtIn[name] : undefined;
    return [name, mergedEntry(name, before, value)] as const;
  });
  return { ...builtIn, ...Object.fromEntries(each) };
}

function mergedEntry(name: string, builtIn: unknown, ownEntry: unknown): unknown {
  if (name === 'answers' && Array.isArray(ownEntry) && Array.isArray(builtIn))
    return [...ownEntry, ...builtIn];
  if (!isObject(ownEntry)) return ownEntry;
  const before: Entries = isObject(builtIn) ? builtIn : {};
  if (name === 'headers') return mergedHeaders(before, ownEntry);
  if (name === 'words') return mergedWords(before, ownEntry);
  if (name !== 'answer') return merged(before, ownEntry);
  // The built-in places of status and headers apply only to a body that is a part of the answer.
  return withoutNull(merged(ownEntry.body === WHOLE_BODY ? {} : before, ownEntry));
}

/** Headers are merged without regard to the case of their names. */
function mergedHeaders(builtIn: Entries, ownEntries: Entries): Entries {
  const named = new Set(Object.keys(ownEntries).map((name) => name.toLowerCase()));
  const others = Object.entries(builtIn).filter(([name]) => !named.has(name));
  return withoutNull({ ...Object.fromEntries(others), ...ownEntries });
}

const withoutBuiltIn = (name: string, ownEntry: unknown): unknown =>
  ownEntry === undefined || isObject(ownEntry) ? { [name]: null, ...ownEntry } : ownEntry;

const mergedWords = (builtIn: Entries, ownEntries: Entries): Entries => ({
  ...builtIn,
  ...Object.fromEntries(
    Object.entries(ownEntries).map(([sense, phrases]) => [sense, [phrases, builtIn[sense] ?? []].flat()]),
  ),
});

const withoutNull = (entries: Entries): Entries =>
  Object.fromEntries(Object.entries(entries).filter(([, value]) => value !== null));

/**
 * The problem with the request of an operation that is not built in, also together with the headers of the
 * built-in dialect.
 */
export function requestProblem(request: unknown, builtIn: Dialect): SchemaProblem | undefined {
  const content = { ...builtIn, operations: { own: request } };
  const { error } = dialectSchema.safeParse(content);
  if (error === undefined) return undefined;
  const { keys, ...found } = problemOf(dialectSchema, content, error.issues);
  return { ...found, keys: keys.slice(2) };
}

// -------------------------------------------------------------------------- with a batch, to other processes

/**
 * A dialect as it travels with a batch to processes that do not have its file. Operations of a program travel
 * by themselves.
 */
export function carriedDialect({
  differences: _,
  examples: _examples,
  through,
  ...dialect
}: Dialect): JsonObject {
  const operations = Object.entries(dialect.operations).filter(([name]) => !name.includes('@'));
  const content = { ...dialect, operations: Object.fromEntries(operations), envelope: through?.envelope };
  return JSON.parse(JSON.stringify(content));
}

/**
 * Reads a dialect that came with a batch. It is checked like a file, and its differences from the built-in
 * one are found anew.
 * @param account the account of this host, which decides through which service the vendor is reached.
 * @throws StopError `store_version` for content that this program does not understand.
 */
export function dialectCarried({ envelope: carried, ...content }: JsonObject, { via }: Account): Dialect {
  const parsedDialect = dialectSchema.safeParse(content);
  const wrapped = envelope.optional().safeParse(carried);
  if (!parsedDialect.success || !wrapped.success || (wrapped.data === undefined) !== (via === undefined))
    throw stop(
      'store_version',
      'The dialect of this batch comes from another version of Rowonce, or is for another account, ' +
        'and cannot be read.',
      'Install the same version on all hosts, and give them the same accounts.',
    );
  const through = wrapped.data && via && { envelope: wrapped.data, connectedAccount: via.connectedAccount };
  return { ...parsedDialect.data, ...present({ through }) };
}
