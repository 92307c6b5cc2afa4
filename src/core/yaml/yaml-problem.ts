import type { ErrorCode } from 'yaml';

/**
 * What is wrong with the syntax of a YAML document. The parser's own words are not used: they quote the text, which
 * may be a key, and name things such as a "block sequence" that nobody has to know.
 */

const FACTS: Readonly<Record<ErrorCode, string>> = {
  ALIAS_PROPS: 'an alias (*name) cannot have a tag or an anchor of its own',
  BAD_ALIAS: 'a value that begins with * is an alias, and nothing of that name stands above it',
  BAD_COLLECTION_TYPE: 'a tag (!name) does not fit what stands behind it',
  BAD_DIRECTIVE: 'a line that begins with % is a directive, and this one is not known',
  BAD_DQ_ESCAPE: 'a backslash between double quotes begins something that is not known',
  BAD_INDENT: 'the line begins too far to the left or to the right, or a bracket above it is not closed',
  BAD_PROP_ORDER: 'a tag or an anchor stands in the wrong place',
  BAD_SCALAR_START: 'a value cannot begin with this character',
  BLOCK_AS_IMPLICIT_KEY: 'there is a second colon on the line',
  BLOCK_IN_FLOW: 'a block of lines cannot stand between brackets',
  DUPLICATE_KEY: 'the same name stands here twice',
  IMPOSSIBLE: 'this cannot be read as YAML',
  KEY_OVER_1024_CHARS: 'a name is longer than 1024 characters',
  MISSING_CHAR: 'a closing quote, a bracket, a comma or a colon is missing',
  MULTILINE_IMPLICIT_KEY: 'a line has no colon, or a quote that is not closed',
  MULTIPLE_ANCHORS: 'a value has two anchors',
  MULTIPLE_DOCS: 'a line --- begins a second document',
  MULTIPLE_TAGS: 'a value has two tags',
  NON_STRING_KEY: 'a name must be text',
  RESOURCE_EXHAUSTION: 'too deeply nested to be read',
  TAB_AS_INDENT: 'a tab stands where spaces are needed',
  TAG_RESOLVE_FAILED: 'a value that begins with ! is a tag, and this one is not known',
  UNEXPECTED_TOKEN: 'something stands where nothing is expected',
};

/** What helps where correcting the place itself may not be what comes to mind. */
const ADVICE: Readonly<Partial<Record<ErrorCode, string>>> = {
  BAD_ALIAS: 'Put the value between quotes.',
  BAD_SCALAR_START: 'Put the value between quotes.',
  BLOCK_AS_IMPLICIT_KEY: 'Put the value between quotes, or the second name on a line of its own.',
  DUPLICATE_KEY: 'Remove one of them.',
  MULTIPLE_DOCS: 'Put it into a file of its own.',
  TAB_AS_INDENT: 'Replace the tab by spaces.',
  TAG_RESOLVE_FAILED: 'Put the value between quotes.',
};

export function yamlProblem(code: ErrorCode): { readonly fact: string; readonly next: string } {
  return { fact: FACTS[code], next: ADVICE[code] ?? 'Correct the line, or the one above it.' };
}
