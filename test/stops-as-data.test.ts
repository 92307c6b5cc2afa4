/**
 * Goal: what to do about a stop is data, which each face says in its way: a terminal names flags, commands and entries of files, a
 * program reads them, and the page, which has buttons, names none. So nothing is filtered out of a sentence.
 * Method: the real command; and every fact and advice of the source, as a parser finds them, without what only a terminal says.
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAst } from 'rolldown/parseAst';
import { expect, test } from 'vitest';
import { openDesk } from './cli/desk.ts';

test('a terminal says the flag, a program reads it, and the page does without', async () => {
  const desk = await openDesk();
  desk.list(2);
  const { stopped } = await desk.json(['run', 'enrich-company', 'list.csv']);
  expect(stopped.next).toMatch(/^Say how much it may spend with --budget \d+, in the job, or per day/);
  expect(stopped.does).toEqual([{ flag: '--budget', value: expect.stringMatching(/^\d+$/) }]);
  expect(stopped.on_page.next).toBe('Say how much it may spend, or per day in the account.');
});

test('a mistake in a file is told by its place on a terminal, and by its fact on the page', async () => {
  const desk = await openDesk();
  desk.list(2);
  await desk.write('job.yaml', 'operation: enrich-company\ncolumns: { domain: Domain }\nbudgett: 4\n');
  const { stopped } = await desk.json(['run', 'job.yaml', 'list.csv']);
  expect(stopped).toMatchObject({
    message: 'job.yaml:3:1: "budgett" is not known here.',
    on_page: { message: '"budgett" is not known here.' },
    does: [{ again: true }],
  });
});

// ------------------------------------------------------------------------------------- every sentence of the source

/** A part of a source as the parser gives it. */
interface Part {
  readonly type: string;
  readonly callee?: unknown;
  readonly tag?: unknown;
  readonly arguments?: readonly unknown[];
  readonly value?: unknown;
}

const isPart = (node: unknown): node is Part => node instanceof Object && 'type' in node;

const partsIn = (node: unknown): readonly unknown[] => (node instanceof Object ? Object.values(node) : []);

const nameOf = (node: unknown): string => String((node as { readonly name?: string } | undefined)?.name);

/** What says a command, a flag or an entry to those who type. */
const TYPED = /^(?:typing|asFlag|asCommand|asField|byFlag|commandLine|accepting|agreeing)$/;

/** The texts in a part of the source that the page says. */
function shownIn(node: unknown): readonly string[] {
  if (!isPart(node)) return partsIn(node).flatMap(shownIn);
  const name = nameOf(node.tag ?? node.callee);
  if (TYPED.test(name)) return [];
  if (name === 'faces') return shownIn(node.arguments?.slice(1));
  if (node.type === 'Literal') return typeof node.value === 'string' ? [node.value] : [];
  if (node.type === 'TemplateElement') return [(node.value as { readonly cooked: string }).cooked];
  return partsIn(node).flatMap(shownIn);
}

/** The texts of each stop and each phrase. */
function saidIn(node: unknown): readonly string[] {
  if (!isPart(node)) return partsIn(node).flatMap(saidIn);
  const isStop = /^(?:stop|problem|StopError|HttpRefusal|Unanswered)$/.test(nameOf(node.callee));
  const own = isStop || nameOf(node.tag) === 'phrase' ? shownIn(isStop ? node.arguments : node) : [];
  return [...own, ...partsIn(node).flatMap(saidIn)];
}

const FOR_A_TERMINAL = /(?<![\w-])--[a-z]|(?:^|\s)-o\b|\browonce\b|\bcommands?\b|\bbase_url\b|\bchmod\b/;

/** What refuses words that were typed wrong: the page types none. */
const OF_TYPED_WORDS =
  /^(?:cli|web\/page|sandbox|commands\/settle\.ts|commands\/shared\/(?:asked-key|input))/;

test('no fact and no advice says a flag or a command to the page', () => {
  const root = join(import.meta.dirname, '..', 'src');
  const files = globSync('**/*.ts', { cwd: root }).filter((file) => !OF_TYPED_WORDS.test(file));
  const said = files.flatMap((file) => {
    const texts = saidIn(parseAst(readFileSync(join(root, file), 'utf8'), { lang: 'ts' }));
    return texts.map((text) => ({ file, text }));
  });
  expect(said.length).toBeGreaterThan(500);
  expect(said.filter(({ text }) => FOR_A_TERMINAL.test(text))).toEqual([]);
});
