import { basename } from 'node:path';
import { z } from 'zod';
import { WHOLE_BODY } from '../../core/answer-body.ts';
import { stop } from '../../core/errors.ts';
import { OPERATIONS } from '../../core/families.ts';
import { loadFamily } from '../../core/family.ts';
import { suggestion } from '../../core/nearest.ts';
import type { Operation } from '../../core/operation.ts';
import { foreignName, foreignWords } from '../../core/plain-text.ts';
import {
  checkDocument,
  type DocumentKind,
  readDocument,
  type YamlDocument,
} from '../../lib/yaml/document.ts';
import { problemOf } from '../../lib/yaml/schema-problem.ts';
import { firstProblem } from './check.ts';
import { type Dialect, dialectOperation, dialectSchema, envelope, readBackSchema } from './dialect-schema.ts';
import { requestHeaders } from './request-headers.ts';

/**
 * A user's dialect file says what differs from the built-in dialect of the vendor, and nothing else. Maps are merged by
 * name, single values and lists replace the built-in ones, and rules of answers are tried before the built-in ones. The
 * result is checked as a whole, so that a wrong entry is shown with its line before anything is sent.
 */

const DIALECT_FILE: DocumentKind = { code: 'account', name: 'dialect file', acts: true };

const { shape } = dialectSchema;
const { shape: envelopeAnswer } = envelope.shape.answer;

/** `null` removes a built-in header, such as the one with the key when the vendor wants another. */
const headers = z.record(requestHeaders.keyType, requestHeaders.valueType.nullable()).optional();

const operation = z.strictObject({
  ...dialectOperation.partial().shape,
  credits: dialectOperation.shape.credits.partial().optional(),
  read_back: readBackSchema.partial().optional(),
});

export const dialectFileSchema = z.strictObject({
  ...dialectSchema.partial().shape,
  headers,
  operations: z.record(z.string(), operation).optional(),
  idempotency: shape.idempotency.unwrap().partial().optional(),
  usage: shape.usage.unwrap().partial().optional(),
  balance: shape.balance.unwrap().partial().optional(),
  permissions: shape.permissions.unwrap().partial().optional(),
  /** Words of the file are added to the built-in ones. */
  words: shape.words.partial().optional(),
  api_call: z
    .strictObject({
      ...envelope.partial().shape,
      headers,
      request: envelope.shape.request.partial().optional(),
      /** `null` removes a built-in place, such as that of the status when the service names none. */
      answer: z
        .strictObject({
          status: envelopeAnswer.status.nullable(),
          headers: envelopeAnswer.headers.nullable(),
          body: envelopeAnswer.body.optional(),
        })
        .optional(),
    })
    .optional(),
});

type DialectFile = z.infer<typeof dialectFileSchema>;

/**
 * What differs from the built-in dialect of a vendor, as a value: what a dialect file has as YAML, and always its `name` and its
 * `vendor`.
 */
export type OwnDialect = z.input<typeof dialectFileSchema> & {
  readonly name: string;
  readonly vendor: 'provider' | 'service';
};

/**
 * The built-in dialect with the changes of the file at `path`. Its name is the file's name, unless the file says
 * another.
 * @throws StopError `account` with file, line and column, and the word that was probably meant.
 */
export async function readDialectFile(path: string, builtIn: Dialect): Promise<Dialect> {
  return dialectIn(await readDocument(path, dialectFileSchema, DIALECT_FILE), builtIn);
}

/** Does what `readDialectFile` does, for text that need not be in the file yet. */
export async function checkDialectFile(text: string, path: string, builtIn: Dialect): Promise<Dialect> {
  return dialectIn(checkDocument(text, path, dialectFileSchema, DIALECT_FILE), builtIn);
}

/** The same for what a program passes. @throws StopError `account` with the entry that is wrong. */
export async function dialectOfValue(given: OwnDialect, builtIn: Dialect): Promise<Dialect> {
  const path = foreignWords(String(given.name));
  const problem: YamlDocument<DialectFile>['problem'] = (keys, _part, fact, next) =>
    stop('account', `The dialect ${path}${keys.length === 0 ? '' : ` (${keys.join('.')})`}: ${fact}.`, next);
  const schema = dialectFileSchema.required({ name: true, vendor: true });
  const checked = schema.safeParse(given);
  if (checked.success) return dialectIn({ path, value: checked.data, problem }, builtIn);
  const { keys, part, fact, next } = problemOf(schema, given, checked.error.issues);
  throw problem(keys, part, fact, next);
}

async function dialectIn(
  { path, value, problem }: YamlDocument<DialectFile>,
  builtIn: Dialect,
): Promise<Dialect> {
  if (value.vendor !== undefined && value.vendor !== builtIn.vendor) {
    const fact = `this dialect is for a ${value.vendor}, but the account's vendor is a ${builtIn.vendor}`;
    throw problem(['vendor'], 'value', fact, 'Give the account another dialect.');
  }
  const known = Object.keys(builtIn.operations);
  const unknown = Object.keys(value.operations ?? {}).find((name) => !known.includes(name));
  if (unknown !== undefined) {
    const fact = `the ${builtIn.vendor} has no operation ${foreignName(unknown)}`;
    throw problem(['operations', unknown], 'name', fact, suggestion(unknown, known));
  }
  const name = basename(path).replace(/\.[^.]*$/, '');
  const content = mergedMaps({ ...builtIn, name }, value);
  const checked = dialectSchema.safeParse(content);
  const found = checked.success
    ? firstProblem(checked.data, await loadFamily<Operation>(OPERATIONS))
    : problemOf(dialectSchema, content, checked.error.issues);
  if (found !== undefined) throw problem(found.keys, found.part, found.fact, found.next);
  return dialectSchema.parse(content);
}

type Entries = Readonly<Record<string, unknown>>;

function mergedMaps(builtIn: Entries, file: Entries): Entries {
  const merged = Object.entries(file).map(([name, value]) => {
    return [
      name,
      mergedEntry(name, Object.hasOwn(builtIn, name) ? builtIn[name] : undefined, value),
    ] as const;
  });
  return { ...builtIn, ...Object.fromEntries(merged) };
}

function mergedEntry(name: string, builtIn: unknown, value: unknown): unknown {
  if (name === 'answers' && Array.isArray(value) && Array.isArray(builtIn)) return [...value, ...builtIn];
  if (name === 'words' && isEntries(value) && isEntries(builtIn)) return allWords(builtIn, value);
  // There are several ways of paging, and half of one with half of another is neither.
  if (name === 'paging' || !isEntries(value)) return value;
  // The built-in places of status and headers are beside a body that is only a part of the answer.
  const isAnew = name === 'answer' && value.body === WHOLE_BODY;
  const merged = mergedMaps(isEntries(builtIn) && !isAnew ? builtIn : {}, value);
  if (name !== 'headers' && name !== 'answer') return merged;
  return Object.fromEntries(Object.entries(merged).filter(([, text]) => text !== null));
}

function allWords(builtIn: Entries, added: Entries): Entries {
  const both = Object.entries(added).map(
    ([sense, phrases]) => [sense, [builtIn[sense], phrases].flat()] as const,
  );
  return { ...builtIn, ...Object.fromEntries(both) };
}

function isEntries(value: unknown): value is Entries {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
