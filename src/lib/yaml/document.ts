import { open } from 'node:fs/promises';
import {
  type Document,
  type ErrorCode,
  isAlias,
  isCollection,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  type Pair,
  parseDocument,
  visit,
} from 'yaml';
import type { z } from 'zod';
import { type Advice, isWords, messageOf, StopError, stop } from '../../core/errors.ts';
import { asCommand, faces, phrase, typing, type Words } from '../../core/phrase.ts';
import { shellWord } from '../command-line.ts';
import { distrustOf } from '../file-trust.ts';
import { meantPath } from '../near-path.ts';
import { codeOf, shortageOf } from '../system-errors.ts';
import { type KeyPath, problemOf } from './schema-problem.ts';

/**
 * Reads files that a user writes by hand: a job or the accounts file. Every mistake in it is told with the
 * file, the line and the column, and the word that was probably meant.
 */

export interface DocumentKind {
  readonly code: 'job' | 'account';
  readonly name: string;
  /**
   * Whether the document decides which requests are sent. It is then refused when others can write it. Left
   * out: the caller has checked that.
   */
  readonly acts?: true;
  /** The text is still to be written, so no one can look at its lines. */
  readonly isUnwritten?: true;
}

export interface YamlDocument<T> {
  readonly path: string;
  readonly value: T;
  /** A stop that points at an entry, for a caller that finds a problem which a schema cannot know. */
  problem(keys: KeyPath, part: 'name' | 'value', fact: Words, next: Advice): StopError;
}

type ProblemAt = (offset: number, fact: Words, next: Advice) => StopError;

/** Fifty times the longest job that anybody writes by hand. */
const MOST_KIB = 256;
const MOST_BYTES = MOST_KIB * 1024;

/** No one writes more by hand; a "billion laughs" document needs few anchors and thousands of aliases. */
const MOST_ALIASES = 100;

/**
 * The document at `path`; messages show the path as it is given.
 * @throws StopError of the kind's code for every problem with the file, its syntax or its content.
 */
export async function readDocument<T>(
  path: string,
  schema: z.ZodType<T>,
  kind: DocumentKind,
): Promise<YamlDocument<T>> {
  return checkDocument(await readText(path, kind), path, schema, kind);
}

export function checkDocument<T>(
  text: string,
  path: string,
  schema: z.ZodType<T>,
  kind: DocumentKind,
): YamlDocument<T> {
  const lines = new LineCounter();
  const problemAt: ProblemAt = (offset, fact, advice) => {
    const { line, col } = lines.linePos(offset);
    const next = isWords(advice) ? advice : advice.next;
    if (kind.isUnwritten) return stop(kind.code, fact, next);
    const where = typing`${path}:${Math.max(line, 1)}:${Math.max(col, 1)}: `;
    return stop(kind.code, phrase`${where}${fact}`, { next, again: 'mended' });
  };
  const document = parseText(text, path, kind, lines);
  const [broken] = [...document.errors, ...document.warnings];
  if (broken !== undefined) {
    const { fact, next } = yamlProblem(broken.code);
    throw problemAt(broken.pos[0], fact, next);
  }
  refuseOddNodes(document, problemAt);
  const content = plainValue(document, path, kind);
  // A file is checked once, so zod need not write a function of its own and have it compiled.
  const checked = schema.safeParse(content, { jitless: true });
  const problem: YamlDocument<T>['problem'] = (keys, part, fact, next) =>
    problemAt(offsetOf(document, keys, part), fact, next);
  if (checked.success) return { path, value: checked.data, problem };
  const { keys, part, fact, next } = problemOf(schema, content, checked.error.issues);
  throw problem(keys, part, fact, next);
}

async function readText(path: string, kind: DocumentKind): Promise<string> {
  const chunks: Buffer[] = [];
  try {
    const file = await open(path);
    // We check the open file, because another file may take its name in between.
    const distrust = kind.acts === true ? distrustOf(path, await file.stat()) : undefined;
    if (distrust !== undefined) {
      await file.close();
      throw stop(kind.code, `${path}: ${distrust.fact}`, distrust.next);
    }
    // One byte more than allowed, so that a longer file is noticed without being read. A stream also takes a
    // pipe.
    for await (const chunk of file.createReadStream({ end: MOST_BYTES })) chunks.push(chunk);
  } catch (error) {
    if (error instanceof StopError) throw error;
    throw await unreadable(path, kind, error);
  }
  const bytes = Buffer.concat(chunks);
  if (bytes.length > MOST_BYTES) {
    throw stop(kind.code, `${path}: more than ${MOST_KIB} KiB`, `Give the file of the ${kind.name}.`);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw stop(kind.code, `${path}: the text is not UTF-8`, 'Save it as UTF-8.');
  }
}

async function unreadable(path: string, { code, name }: DocumentKind, error: unknown): Promise<StopError> {
  const next = `Give the path of the ${name}.`;
  switch (error instanceof Error && 'code' in error ? error.code : undefined) {
    case 'ENOENT':
    case 'ENOTDIR':
      return stop(code, `${path}: there is no such file`, await meantPath(path, next));
    case 'EISDIR':
      return stop(code, `${path}: this is a folder`, `Give the path of the ${name} itself.`);
    case 'EACCES':
    case 'EPERM': {
      const command = `chmod u+r ${shellWord(path)}`;
      return stop(
        code,
        `${path}: you may not read this file`,
        phrase`Give yourself the right to${faces(phrase`: ${asCommand(command)}`, ' read it')}`,
      );
    }
    default: {
      const short = shortageOf(codeOf(error));
      return stop(code, `${path}: it cannot be read: ${short?.why ?? messageOf(error)}`, short?.next ?? next);
    }
  }
}

function parseText(text: string, path: string, kind: DocumentKind, lineCounter: LineCounter): Document {
  try {
    // The parser would compare each name with each: 8,000 roles take seconds.
    return parseDocument(text, { lineCounter, prettyErrors: false, stringKeys: true, uniqueKeys: false });
  } catch {
    // The parser recurses: brackets nested ten thousand deep exhaust its stack.
    throw stop(kind.code, `${path}: too deeply nested to be read`, `Give the file of the ${kind.name}.`);
  }
}

function plainValue(document: Document, path: string, kind: DocumentKind): unknown {
  try {
    return document.toJS({ maxAliasCount: MOST_ALIASES });
  } catch {
    throw stop(kind.code, `${path}: more than ${MOST_ALIASES} aliases (*name)`, 'Write the values out.');
  }
}

function refuseOddNodes(document: Document, problemAt: ProblemAt): void {
  const anchors = new Set<string>();
  const refuse = (code: ErrorCode, node: unknown): never => {
    const { fact, next } = yamlProblem(code);
    throw problemAt(offsetOfNode(node) ?? 0, fact, next);
  };
  visit(document, {
    Node(_key, node) {
      if (isAlias(node) && !anchors.has(node.source)) refuse('BAD_ALIAS', node);
      if ('anchor' in node && node.anchor !== undefined) anchors.add(node.anchor);
      if (!isMap(node)) return;
      const names = new Set<string | undefined>();
      for (const pair of node.items) {
        if (names.has(nameOf(pair))) refuse('DUPLICATE_KEY', pair.key);
        names.add(nameOf(pair));
      }
    },
  });
}

/**
 * The offset at which an entry starts; for a missing entry, the offset of the entry that should contain it.
 */
function offsetOf(document: Document, keys: KeyPath, part: 'name' | 'value'): number {
  let node: unknown = document.contents;
  let offset = offsetOfNode(node) ?? 0;
  for (const [depth, key] of keys.entries()) {
    if (!isCollection(node)) return offset;
    const pair = isMap(node) ? node.items.find((each) => nameOf(each) === String(key)) : undefined;
    const named = part === 'name' && pair !== undefined && depth === keys.length - 1;
    // A member of a list is also named by its text.
    const item = isSeq(node) ? node.items.find((each) => isScalar(each) && each.value === key) : undefined;
    node = item ?? node.get(key, true);
    offset = (named ? undefined : offsetOfNode(node)) ?? offsetOfNode(pair?.key) ?? offset;
  }
  return offset;
}

function nameOf(pair: Pair): string | undefined {
  const { key } = pair;
  return isNode(key) ? String(key.toJSON()) : undefined;
}

function offsetOfNode(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined;
}

// ---------------------------------------------------------------------------------------------------- syntax

/**
 * The problem with the syntax of a YAML document. The parser's own words are not used: they quote the text,
 * which may be a key, and name things such as a "block sequence" that no one has to know.
 */

const SYNTAX: Readonly<Partial<Record<ErrorCode, readonly [fact: string, next?: string]>>> = {
  BAD_ALIAS: [
    'a value that begins with * is an alias, and nothing above it has that name',
    'Put the value in quotes.',
  ],
  BAD_DQ_ESCAPE: ['a backslash in double quotes begins an unknown escape'],
  BAD_INDENT: ['the line begins too far to the left or to the right, or a bracket above it is not closed'],
  BAD_SCALAR_START: ['a value cannot begin with this character', 'Put the value in quotes.'],
  BLOCK_AS_IMPLICIT_KEY: [
    'there is a second colon on the line',
    'Put the value in quotes, or the second name on its own line.',
  ],
  BLOCK_IN_FLOW: ['a block of lines cannot be inside brackets'],
  DUPLICATE_KEY: ['the same name is here twice', 'Remove one of them.'],
  MISSING_CHAR: ['a closing quote, a bracket, a comma or a colon is missing'],
  MULTILINE_IMPLICIT_KEY: ['a line has no colon, or a quote that is not closed'],
  MULTIPLE_DOCS: ['a line --- begins a second document', 'Put it into its own file.'],
  NON_STRING_KEY: ['a name must be text'],
  RESOURCE_EXHAUSTION: ['too deeply nested to be read'],
  TAB_AS_INDENT: ['a tab is where spaces are needed', 'Replace the tab with spaces.'],
  TAG_RESOLVE_FAILED: [
    'a value that begins with ! is a tag, and this one is not known',
    'Put the value in quotes.',
  ],
};

function yamlProblem(code: ErrorCode): { readonly fact: string; readonly next: string } {
  const [fact, next = 'Correct the line, or the one above it.'] = SYNTAX[code] ?? [
    'this cannot be read as YAML',
  ];
  return { fact, next };
}
