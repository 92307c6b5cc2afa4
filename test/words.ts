/**
 * `npm run words` prints what a user may read: every finding by its code, said with sample facts, every stop by its code and place, the
 * help of every command, and every other text of the source by its place. Then it prints the habits that texts, comments and pages
 * have, the sentences above 35 words, and the words of each page. `npm run words pages` prints one part. It never fails: a list of
 * words is to be read, not to be worked around.
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { sayAll } from '../src/core/finding-words.ts';
import { FINDINGS, type Finding } from '../src/core/findings.ts';
import { STOPS } from '../src/core/stops.ts';
import { describeProgram } from './support/program.ts';
import {
  commentsOf,
  HABITS,
  LONGEST_SENTENCE,
  proseOf,
  SQL,
  sentencesOf,
  type Text,
  TOKEN,
  textsOf,
  wordsIn,
} from './support/texts.ts';

const ROOT = join(import.meta.dirname, '..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** A text with the code or the place that finds it. */
interface Said {
  readonly at: string;
  readonly text: string;
}

const PROGRAMS = globSync('src/**/*.{ts,tsx,js}', { cwd: ROOT }).sort();
const TESTS = globSync(['test/**/*.{ts,tsx}', 'bench/**/*.ts'], { cwd: ROOT }).sort();
const PAGES = globSync(['*.md', '{src,test,fixtures}/README.md', 'docs/**/*.md', 'jobs/**/*.yaml'], {
  cwd: ROOT,
}).sort();

/** Pages that the program makes, wholly or in parts. */
const isMade = (path: string): boolean => path.startsWith('docs/reference/');

// ---------------------------------------------------------------------------------------------------- what the program says

/** A value that fits the schema, and reads as what it is. */
function sampleOf(name: string, schema: z.ZodType): unknown {
  if (schema instanceof z.ZodExactOptional || schema instanceof z.ZodOptional)
    return sampleOf(name, schema.unwrap() as z.ZodType);
  if (schema instanceof z.ZodNullable) return sampleOf(name, schema.unwrap() as z.ZodType);
  if (schema instanceof z.ZodString) return `⟨${name}⟩`;
  if (schema instanceof z.ZodNumber) return 2;
  if (schema instanceof z.ZodBoolean) return true;
  if (schema instanceof z.ZodEnum) return schema.options[0];
  if (schema instanceof z.ZodLiteral) return schema.value;
  if (schema instanceof z.ZodArray) return [sampleOf(name, schema.element as z.ZodType)];
  if (schema instanceof z.ZodUnion) return sampleOf(name, schema.options[0] as z.ZodType);
  if (schema instanceof z.ZodRecord) return { [name]: sampleOf(name, schema.valueType as z.ZodType) };
  if (schema instanceof z.ZodObject) return samplesOf(schema.shape);
  return `⟨${name}⟩`;
}

const samplesOf = (facts: Readonly<Record<string, z.ZodType>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(facts).map(([name, schema]) => [name, sampleOf(name, schema)]));

function findings(): readonly Said[] {
  return Object.entries(FINDINGS).flatMap(([code, { facts }]) => {
    const finding = { code, facts: samplesOf(facts) } as unknown as Finding;
    const said = [sayAll([finding], 'file'), sayAll([finding], 'page')];
    return [...new Set(said)].map((text, at) => ({ at: `finding ${code}${at === 0 ? '' : ', page'}`, text }));
  });
}

/** The rest of a call or an object, up to the bracket that ends it. */
function bracketed(program: string, start: number): string {
  let open = 0;
  for (const { 0: token, index } of program.slice(start).matchAll(new RegExp(`${TOKEN.source}|[()]`, 'g'))) {
    if (token === '(') open += 1;
    if (token === ')') open -= 1;
    if (open === 0 && token === ')') return program.slice(start, start + index + 1);
  }
  return '';
}

/** Each place that makes a stop, with its code. What stands between braces is put in when it is thrown. */
function stops(): readonly Said[] {
  const made = PROGRAMS.flatMap((path) => {
    const program = read(path);
    return [...program.matchAll(/\b(?:stop|new StopError)\(/g)].flatMap(({ index }) => {
      const call = bracketed(program, index);
      const code = /^stop\(\s*'(\w+)'|code: '(\w+)'/.exec(call)?.slice(1).find(Boolean) ?? '(a code)';
      const line = program.slice(0, index).split('\n').length;
      return textsOf(call).map(({ text }) => ({ at: `stop ${code}, ${path}:${line}`, text: flat(text) }));
    });
  });
  const known = Object.entries(STOPS).flatMap(([code, kind]) =>
    textsIn(kind).map((text) => ({ at: `stop ${code}, on the page`, text })),
  );
  return [...made, ...known];
}

const textsIn = (value: unknown): readonly string[] =>
  typeof value === 'string'
    ? [value].filter((text) => text.includes(' '))
    : value !== null && typeof value === 'object'
      ? Object.values(value).flatMap(textsIn)
      : [];

async function help(): Promise<readonly Said[]> {
  const program = await describeProgram();
  const all = [program, ...program.commands.flatMap((each) => [each, ...each.commands])];
  const seen = new Set<string>();
  return all
    .flatMap((command) => [
      { at: `${command.name()} --help`, text: command.description() },
      ...command.registeredArguments.map((each) => ({
        at: `${command.name()} ${each.name()}`,
        text: each.description,
      })),
      ...command.options.map((each) => ({ at: `${command.name()} ${each.long}`, text: each.description })),
    ])
    .filter(({ text }) => text !== '' && !seen.has(text) && seen.add(text));
}

const flat = (text: string): string => text.replaceAll(/\s*\n\s*/g, ' ').trim();

const placed = (path: string, texts: readonly Text[]): readonly Said[] =>
  texts.map(({ line, text }) => ({ at: `${path}:${line}`, text: flat(text) }));

/** Lists of words that texts are compared with, and sheets of style. */
const DATA =
  /(?:usual|same-name|email|person-name|column|blank)-words\.ts$|seen-hosts\/|style\.ts$|(?:column-kind|statements|website)\.ts$/;
/** A part of a statement, or of a style. */
const PART_OF_CODE = /\b(?:SELECT|JOIN|EXISTS|UNION|CASE WHEN)\b|[{;] ?--?\w|^\W*\}/;

function others(): readonly Said[] {
  return PROGRAMS.filter((path) => !DATA.test(path))
    .flatMap((path) => placed(path, textsOf(read(path))))
    .filter(({ text }) => /[a-z]{2}.* .*[a-z]{2}/i.test(text) && !SQL.test(text) && !PART_OF_CODE.test(text));
}

const comments = (): readonly Said[] =>
  [...PROGRAMS, ...TESTS].flatMap((path) => placed(path, commentsOf(read(path))));

const prose = (): readonly Said[] =>
  PAGES.flatMap((path) => {
    const text = read(path);
    const parts = path.endsWith('.yaml') ? (text.match(/(?<=# ).*/g) ?? []) : proseOf(text);
    return parts.map((part) => ({ at: path, text: part }));
  });

// ---------------------------------------------------------------------------------------------------- what is found in them

const habitsIn = (all: readonly Said[]): readonly Said[] =>
  all.flatMap(({ at, text }) =>
    // `nobody` is a value of findings.
    (/^`?nobody`?$/.test(text) ? [] : HABITS).flatMap(({ habit, better }) => {
      const index = text.search(habit);
      if (index < 0) return [];
      return [{ at, text: `…${text.slice(Math.max(0, index - 30)).slice(0, 90)}… (better: ${better})` }];
    }),
  );

const longIn = (all: readonly Said[]): readonly Said[] =>
  all.flatMap(({ at, text }) =>
    sentencesOf(text).flatMap((sentence) =>
      wordsIn(sentence) > LONGEST_SENTENCE ? [{ at, text: `${wordsIn(sentence)} words: ${sentence}` }] : [],
    ),
  );

/** Words as `wc -w` counts them, and the mean of what ends as a sentence. */
function pages(): string {
  const rows = PAGES.filter((path) => path.endsWith('.md')).map((path) => {
    const page = read(path);
    const lengths = sentencesWithEnd(page).map(wordsIn);
    return { path, words: page.split(/\s+/).filter(Boolean).length, lengths };
  });
  const meanOf = (lengths: readonly number[]): string =>
    lengths.length === 0 ? '–' : (lengths.reduce((a, b) => a + b, 0) / lengths.length).toFixed(1);
  const line = (name: string, some: typeof rows): string => {
    const lengths = some.flatMap((row) => row.lengths);
    const words = some.reduce((sum, row) => sum + row.words, 0);
    return `${String(words).padStart(7)}${String(lengths.length).padStart(7)}${meanOf(lengths).padStart(7)}  ${name}`;
  };
  return [
    '  words  sent.   mean  page',
    ...rows.map((row) => line(row.path, [row])),
    line(
      'by hand',
      rows.filter(({ path }) => !isMade(path)),
    ),
    line(
      'made by the program',
      rows.filter(({ path }) => isMade(path)),
    ),
  ].join('\n');
}

const sentencesWithEnd = (page: string): readonly string[] =>
  proseOf(page)
    .flatMap(sentencesOf)
    .filter((sentence) => /[.!?][")”]?$/.test(sentence));

// ---------------------------------------------------------------------------------------------------- what is printed

const print = (title: string, all: readonly Said[]): void => {
  console.log(`\n# ${title}: ${all.length}\n`);
  for (const { at, text } of all) console.log(`${at}: ${text}`);
};

const PARTS: Readonly<Record<string, () => void | Promise<void>>> = {
  findings: () => print('Findings', findings()),
  stops: () => print('Stops', stops()),
  help: async () => print('Help', await help()),
  texts: () => print('Other texts of the program', others()),
  habits: () => {
    print('Habits in the texts of the program', habitsIn(others()));
    print('Habits in comments', habitsIn(comments()));
    print('Habits in pages', habitsIn(prose()));
  },
  sentences: () => {
    print(`Sentences above ${LONGEST_SENTENCE} words in the texts of the program`, longIn(others()));
    print(`Sentences above ${LONGEST_SENTENCE} words in comments`, longIn(comments()));
    print(`Sentences above ${LONGEST_SENTENCE} words in pages`, longIn(prose()));
  },
  pages: () => console.log(`\n# Pages\n\n${pages()}`),
};

const { positionals } = parseArgs({ allowPositionals: true });
for (const [name, part] of Object.entries(PARTS))
  if (positionals.length === 0 || positionals.includes(name)) await part();
