/**
 * Goal: users read usual words in their usual order, also readers in a hurry who learnt English late, and a command by
 * the name that it has where they are. How a sentence begins, and which of two plain words it takes, is left to its writer.
 * Method: every text in the source that a user may see, and every page, against words and orders that are no English or
 * that name one thing in two ways. The plain words for each are beside it.
 */
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..');

interface Habit {
  readonly habit: RegExp;
  readonly better: string;
}

const HABITS: readonly Habit[] = [
  { habit: /\bso-manieth\b/i, better: 'every nth' },
  { habit: /\btype (?:the (?:same )?command|it again|rowonce|npm)\b/i, better: 'run the same command again' },
  { habit: /\bfits not\b/i, better: 'does not fit' },
  { habit: /\bnot look so\b/i, better: 'not look like an ABN' },
];

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** Comments, regular expressions behind what may stand before one, and texts, of which only the last are kept. */
const TOKEN =
  /\/\*[\s\S]*?\*\/|\/\/[^\n]*|(?<=[(,=:[!&|?{};]\s*)\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/g;

/** The texts of a program that have several words. Comments in SQL are no texts. */
function textsOf(program: string): readonly string[] {
  const tokens = program.match(TOKEN) ?? [];
  const texts = tokens.filter((token) => !token.startsWith('/')).map((token) => token.slice(1, -1));
  return texts.filter((text) => text.includes(' ')).map((text) => text.replaceAll(/^\s*--.*$/gm, ''));
}

/** The paragraphs, list items and cells of a page, each on one line. */
function proseOf(page: string): readonly string[] {
  const joined = page.replaceAll(/\n(?=[^\n|#-])(?! *[-*|] )/g, ' ');
  return joined.split(/\n| \| /).map((line) => line.replace(/^[\s>|*-]+/, ''));
}

function found(texts: readonly string[]): readonly string[] {
  return texts.flatMap((text) =>
    HABITS.filter(({ habit }) => habit.test(text)).map(
      ({ habit, better }) => `${better}: …${text.slice(Math.max(0, text.search(habit) - 30)).slice(0, 90)}`,
    ),
  );
}

const PROGRAMS = globSync('src/**/*.{ts,js}', { cwd: ROOT });

test('no text that a user may see has one of these habits', () => {
  const texts = PROGRAMS.map((path) => [path, textsOf(read(path))] as const);
  expect(texts.flatMap(([, each]) => each).length).toBeGreaterThan(1500);
  expect(texts.flatMap(([path, each]) => found(each).map((habit) => `${path}: ${habit}`))).toEqual([]);
});

test('no text says what the program is called: a command is printed with the name that it has where that is', () => {
  const commands = globSync('src/commands/*.ts', { cwd: ROOT }).map((path) => basename(path, '.ts'));
  const named = new RegExp(`\\browonce (?:${commands.join('|')}|--)`);
  // A pipe with FILE, JOB and OUT in it is nothing to be copied.
  const programs = PROGRAMS.filter((path) => !path.endsWith('core/other-files.ts'));
  const found = programs.flatMap((path) => textsOf(read(path)).filter((text) => named.test(text)));
  expect(commands).toContain('settle');
  expect(found).toEqual([]);
});

const PAGES = [
  ...globSync('*.md', { cwd: ROOT }),
  ...['src/README.md', 'fixtures/README.md'],
  ...globSync('docs/**/*.md', { cwd: ROOT }),
  ...globSync('jobs/**/*.yaml', { cwd: ROOT }),
];

test('no page has one', () => {
  expect(PAGES.length).toBeGreaterThan(30);
  const habits = PAGES.flatMap((path) => found(proseOf(read(path))).map((habit) => `${path}: ${habit}`));
  expect(habits).toEqual([]);
});

const LONGEST_LINE = 110;

const SQL = /^[`'"]\s*(?:WITH|SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|DROP)\b/;

/** The lines of comments and of SQL that are longer than a line may be. */
function longLinesOf(program: string): readonly string[] {
  const tokens = [...program.matchAll(TOKEN)].filter(([token]) => /^\/[/*]/.test(token) || SQL.test(token));
  return tokens.flatMap(({ 0: token, index }) => {
    const begin = program.lastIndexOf('\n', index) + 1;
    const end = program.indexOf('\n', index + token.length);
    const lines = program.slice(begin, end < 0 ? undefined : end).split('\n');
    return lines.filter((line) => line.length > LONGEST_LINE);
  });
}

test('no comment and no statement of SQL has a line above 110 characters', () => {
  expect(PROGRAMS.flatMap((path) => longLinesOf(read(path)).map((line) => `${path}: ${line}`))).toEqual([]);
});
