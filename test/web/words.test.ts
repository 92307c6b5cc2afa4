/**
 * Goal: the page says everything in the words of its user: no flag, no path of a machine, none of the program's own nouns.
 * Method: every sentence of its source, as a parser finds them; and what the program says of rows, as the page shows it.
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAst } from 'rolldown/parseAst';
import { expect, test } from 'vitest';
import { attentionWords } from '../../src/files/output/tally.ts';
import { TERMINAL } from './scene.ts';

const PAGE = join(import.meta.dirname, '..', '..', 'src', 'web', 'page');

/** A part of a source as the parser gives it. */
interface Part {
  readonly type: string;
  readonly value?: unknown;
  readonly regex?: unknown;
}

/** The parts for a screen, and all below them: no import, no type. */
function partsOf(node: unknown): readonly Part[] {
  if (Array.isArray(node)) return node.flatMap(partsOf);
  if (!(node instanceof Object) || !('type' in node)) return [];
  const part = node as Part;
  if (part.type === 'ImportDeclaration' || part.type.startsWith('TS')) return [];
  return [part, ...Object.values(node).flatMap(partsOf)];
}

function textOf({ type, value, regex }: Part): string {
  if (type === 'TemplateElement') return (value as { readonly cooked: string }).cooked;
  return type === 'JSXText' || (type === 'Literal' && regex === undefined) ? String(value) : '';
}

/** What stands between the tags, and strings that have a space or begin as a sentence does. */
function sentencesOf(file: string): readonly string[] {
  const lang = file.endsWith('.tsx') ? 'tsx' : 'ts';
  const texts = partsOf(parseAst(readFileSync(join(PAGE, file), 'utf8'), { lang })).map(textOf);
  return texts.filter((text) => /\p{L} \p{L}|^\s*\p{Lu}\p{Ll}/u.test(text));
}

const OURS =
  /\b(?:batch(?:es)?|operations?|settled?|carr(?:y|ied) out|ledger|dialects?|jobs?(?! title)|sweeps?)\b/i;

test('no sentence of the page has a flag, a path, a word for a terminal or one of the program', () => {
  const files = globSync('**/*.{ts,tsx}', { cwd: PAGE });
  const all = files.flatMap((file) => sentencesOf(file).map((text) => `${file}: ${text.trim()}`));
  expect(all.length).toBeGreaterThan(200);
  expect(all.filter((text) => TERMINAL.test(text.slice(text.indexOf(':'))))).toEqual([]);
  expect(all.filter((text) => OURS.test(text.slice(text.indexOf(':'))))).toEqual([]);
});

test.each([
  [
    'no usable identifier: ABN 51 824: does not have 11 digits; website: blank',
    'ABN: does not have 11 digits; website: blank',
  ],
  [
    'no usable identifier: e-mail jo: is no address: really; profile URL: no column',
    'e-mail: really; profile URL: no column',
  ],
  [
    'no usable identifier: e-mail a@b.c; d@e.f: holds more than one; website: blank',
    'e-mail: holds more than one; website: blank',
  ],
  [
    'enrich-company: no usable identifier: domain x y: has a space; enrich-person: no usable identifier: e-mail: blank',
    'domain: has a space; e-mail: blank',
  ],
  ['role "boss" is not known. Known are: viewer.', 'role is not known. Known are: viewer.'],
  ['project "X" is not known. Name it under `projects` with its id.', 'the project is not known'],
])('rows that are invalid because of %j are told together as %j', (reason, words) => {
  expect(attentionWords('invalid', reason)).toBe(words);
});
