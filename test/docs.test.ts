/**
 * Goal: the documentation says all that there is, nothing that is not, and shows what really happens.
 * Method: the pages are held against the program's own description of itself, and their commands are typed.
 * `UPDATE_TRANSCRIPTS=1` writes what the commands print into the pages instead of comparing it.
 */
import { existsSync, globSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { loadAccounts } from '../src/client/account/account.ts';
import { checkDialectFile } from '../src/client/dialect/file.ts';
import provider from '../src/client/dialects/provider.ts';
import service from '../src/client/dialects/service.ts';
import { OUR_COLUMNS, OUTCOME_KINDS } from '../src/core/row.ts';
import { EXIT, STOPS, stopCodes } from '../src/core/stops.ts';
import { loadJob } from '../src/job/job.ts';
import { CRASH_POINTS } from '../src/lib/faults.ts';
import { proof, times } from './support/combinations.ts';
import { describeProgram } from './support/program.ts';
import {
  corrected,
  type Exchange,
  exchangesOf,
  inCheckout,
  masked,
  openCheckout,
} from './support/transcripts.ts';

const ROOT = join(import.meta.dirname, '..');
const PAGES = [
  ...['README.md', 'CONTRIBUTING.md', 'fixtures/README.md', 'src/README.md'],
  ...globSync('docs/**/*.md', { cwd: ROOT }),
];

const page = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const reference = page('docs/reference/README.md');
const errors = page('docs/errors.md');

/** The text below a heading, up to the next one that is not deeper. */
function section(text: string, heading: string): string {
  const level = /^#+/.exec(heading)?.[0].length ?? 0;
  const [, after] = text.split(`\n${heading}\n`);
  if (after === undefined) throw new Error(`there is no heading "${heading}"`);
  return after.split(new RegExp(`^#{1,${level}} `, 'm'))[0] ?? '';
}

/** What stands between backticks in the first cell of each row of the tables. */
function firstCells(text: string): readonly string[] {
  return [...text.matchAll(/^\| `([^`]+)` \|/gm)].map(([, cell = '']) => cell);
}

/** Everything that is written as code: between backticks, and the lines of blocks. */
function codeIn(text: string): readonly string[] {
  const blocks = [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)];
  const typed = blocks.filter(([, language = '']) => ['console', 'sh', ''].includes(language));
  const lines = typed.flatMap(([, , block = '']) => block.split('\n'));
  const spans = text.replaceAll(/^```[\s\S]*?^```$/gm, '').matchAll(/`([^`]+)`/g);
  return [...lines, ...[...spans].map(([, span = '']) => span)];
}

const sorted = (names: Iterable<string>): readonly string[] => [...names].sort();

// ---------------------------------------------------------------------------------------------------- commands

let program: Command;
beforeAll(async () => {
  program = await describeProgram();
});

function flagsOf(command: Command): readonly string[] {
  const all = [command, ...command.commands].flatMap(({ options }) => options.map(({ flags }) => flags));
  return [...new Set(all)];
}

/** Lines of code that are not about the program. */
const OTHER_PROGRAMS = /^(?:npm run|npx vitest|> node) /;

function longFlagsIn(code: string): readonly string[] {
  return code.match(/(?<![\w-])--[a-z][\w-]*/g) ?? [];
}

test('no page names a command or an option that the program does not have', () => {
  const flagsByName = new Map(
    program.commands.map((command) => [command.name(), flagsOf(command).join(' ')]),
  );
  const anyFlags = [...flagsByName.values()].join(' ');
  const unknown = PAGES.flatMap((path) =>
    codeIn(page(path)).filter((code) => {
      if (OTHER_PROGRAMS.test(code)) return false;
      const name = /(?:^|\s)rowonce ([a-z]+)/.exec(code)?.[1];
      const known = name === undefined ? anyFlags : flagsByName.get(name);
      const flags = `${known ?? ''} --help --version`.match(/--[\w-]+/g);
      return known === undefined || !longFlagsIn(code).every((flag) => flags?.includes(flag));
    }),
  );
  expect(unknown).toEqual([]);
});

// ---------------------------------------------------------------------------------------------------- names

describe('names', () => {
  test('every exit code is listed in the errors, and no other', () => {
    const codes = sorted(Object.values(EXIT).map(String));
    expect(sorted(firstCells(section(errors, '## Exit codes')))).toEqual(codes);
  });

  test('every reason for a stop has its section, with its exit code, and no other has one', () => {
    const stops = section(errors, '## Stops');
    const headings = [...stops.matchAll(/^### (\w+)$/gm)].map(([, code]) => code);
    expect(headings).toEqual(stopCodes());
    for (const [code, { exit: exitCode }] of Object.entries(STOPS)) {
      expect(section(errors, `### ${code}`)).toMatch(new RegExp(`^\\nExit code ${exitCode}\\. `));
    }
  });

  test('every added column is explained, and every status that it may hold', () => {
    const columns = section(page('docs/guide/results.md'), '## The columns that are added');
    expect(firstCells(columns)).toEqual(OUR_COLUMNS);
    const statuses = /^\| `_status` \| (.*) \|$/m.exec(columns)?.[1]?.match(/\w+(?=`)/g);
    expect(statuses).toEqual([...OUTCOME_KINDS, 'pending']);
  });

  test('every environment variable of ours is explained', () => {
    const source = globSync('src/**/*.ts', { cwd: ROOT }).map(page).join('');
    const used = new Set(source.match(/\bROWONCE_[A-Z_]+/g));
    const explained = codeIn(section(reference, '## Environment variables'));
    expect(explained.filter((name) => name.startsWith('ROWONCE_')).toSorted()).toEqual(sorted(used));
  });

  test('every point at which a crash is tested is in the table of what it leaves behind', () => {
    const table = section(page('docs/internals/crashes.md'), '## What a crash leaves behind');
    expect(sorted(firstCells(table))).toEqual(sorted(CRASH_POINTS));
  });

  test('every dependency has its reason', () => {
    const packages = z.record(z.string(), z.string());
    const manifest = z.object({ dependencies: packages, devDependencies: packages });
    const { dependencies, devDependencies } = manifest.parse(JSON.parse(page('package.json')));
    const reasons = section(page('docs/decisions.md'), '## Dependencies');
    expect(firstCells(section(reasons, '### Installed beside the program'))).toEqual(
      sorted(Object.keys(dependencies)),
    );
    for (const name of Object.keys(devDependencies)) expect(codeIn(reasons)).toContain(name);
  });
});

// ---------------------------------------------------------------------------------------------------- examples

/** Blocks of code in that language, with the page that they stand on. */
function blocksOf(language: string): readonly { readonly path: string; readonly text: string }[] {
  const pattern = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm');
  return PAGES.flatMap((path) => [...page(path).matchAll(pattern)].map(([, text = '']) => ({ path, text })));
}

describe('examples', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rowonce-docs-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  test.each(blocksOf('yaml'))(
    'the YAML on $path is a job, an accounts file or a dialect that works',
    async ({ text }) => {
      const file = join(folder, 'example.yaml');
      writeFileSync(file, text, { mode: 0o600 });
      if (/^accounts:/m.test(text)) expect((await loadAccounts(file)).configured).not.toEqual([]);
      else if (/^(?:operations|words):/m.test(text) && !/^columns:/m.test(text))
        expect(await checkDialectFile(text, file, provider)).toBeDefined();
      else if (/^api_call:/m.test(text)) expect(await checkDialectFile(text, file, service)).toBeDefined();
      else expect((await loadJob(file)).path).toBe(file);
    },
  );

  const bareLines = (path: string): readonly string[] =>
    page(path)
      .split('\n')
      .filter((line) => line !== '' && !line.includes('#'));

  test.each(globSync('jobs/*.yaml', { cwd: ROOT }))('%s has a comment on every line', async (path) => {
    expect((await loadJob(join(ROOT, path))).name).toBe(basename(path, '.yaml'));
    expect(bareLines(path)).toEqual([]);
  });

  test.each(globSync('jobs/dialects/*.yaml', { cwd: ROOT }))(
    '%s is a dialect with a comment on every line',
    async (path) => {
      const builtIn = /^vendor: service\b/m.test(page(path)) ? service : provider;
      expect((await checkDialectFile(page(path), path, builtIn)).name).toBe(basename(path, '.yaml'));
      expect(bareLines(path)).toEqual([]);
    },
  );

  proof('the programs that use the library run', () => {
    const programs = blocksOf('ts').filter(({ text }) => text.includes("from 'rowonce'"));
    const library = pathToFileURL(join(ROOT, 'src', 'index.ts')).href;
    const printed = inCheckout((type, checkout) =>
      programs.map(({ text }) => {
        writeFileSync(join(checkout, 'program.ts'), text.replace("'rowonce'", `'${library}'`));
        return type('node program.ts; echo "exit code $?"');
      }),
    );
    const wanted = [
      /^\{ invalid: \d+, matched: \d+, no_match: \d+ \}\n/,
      /^\d+ rows to buy, at most \d+ credits\n7 matched /,
    ];
    expect(printed).toEqual(wanted.map((pattern) => expect.stringMatching(pattern)));
    for (const each of printed) expect(each).toMatch(/exit code 0$/);
  });

  test('every link leads to a page, and to a heading on it', () => {
    const broken = PAGES.flatMap((path) =>
      [...page(path).matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/g)].flatMap(([, to = '', anchor]) => {
        const target = to === '' ? path : relative(ROOT, join(ROOT, dirname(path), to));
        const found =
          existsSync(join(ROOT, target)) && (anchor === undefined || anchorsOf(target).has(anchor));
        return found ? [] : [`${path}: ${to}${anchor === undefined ? '' : `#${anchor}`}`];
      }),
    );
    expect(broken).toEqual([]);
  });
});

/** Files that a page has its reader make. */
const MADE_BY_READERS = ['src/files/formats/psv.ts', 'src/operations/verify-email.ts'];

describe('what moves and what is merged', () => {
  test('every file that a page names is there, also where it names it without a link', () => {
    const rooms = readdirSync(join(ROOT, 'src')).join('|');
    const path = new RegExp(
      `^(?:(?:src|test|docs|jobs|fixtures|bench|${rooms})/[\\w./*-]+|[\\w.-]+\\.(?:ts|js))$`,
    );
    const named = PAGES.flatMap((from) =>
      [...page(from).matchAll(/`([^`\n]+)`/g)].map(([, name = '']) => ({ from, name })),
    ).filter(({ name }) => path.test(name));
    const isThere = (name: string): boolean =>
      globSync([name, `src/${name}`, `{src,test,bench}/**/${name}`], { cwd: ROOT }).length > 0;
    expect(named.length).toBeGreaterThan(20);
    expect(
      sorted(new Set(named.map(({ name }) => name).filter((name) => !isThere(name.replace(/\/$/, ''))))),
    ).toEqual(MADE_BY_READERS);
  });

  // The guide repeats on purpose what a page that is read alone needs, and each figure says how it was measured.
  test('no page says a sentence twice, and the glossary no word', () => {
    const prose = PAGES.filter(
      (path) => !/^docs\/(?:guide\/|internals\/figures\.md|reference\/(?:json|README)\.md)/.test(path),
    ).map((path) => [path, page(path).replaceAll(/^(?:```[\s\S]*?^```|\|.*)$/gm, '')] as const);
    const twice = prose.flatMap(([path, text]) => {
      const sentences: readonly string[] = text.replaceAll(/\s+/g, ' ').match(/[A-Z`][^.]{40,}\./g) ?? [];
      return sentences.filter((each, at) => sentences.indexOf(each) < at).map((each) => `${path}: ${each}`);
    });
    expect(twice).toEqual([]);
    const words = [...page('docs/glossary.md').matchAll(/^\| ([^|]+) \|/gm)].map(([, word = '']) => word);
    expect(words.filter((word, at) => words.indexOf(word) < at)).toEqual([]);
  });
});

// ------------------------------------------------------------------------------------------------------ guide

/** The pages of the guide, in the order in which the list of the README names them. */
const GUIDE = [...page('README.md').matchAll(/^- \[[^\]]+\]\((docs\/guide\/[\w-]+\.md)\)/gm)].map(
  ([, path = '']) => path,
);

test('the README names every page of the guide once', () => {
  expect(sorted(GUIDE)).toEqual(sorted(globSync('docs/guide/*.md', { cwd: ROOT })));
});

describe('the commands of the README and of the guide print what the pages show', () => {
  const { type, close } = openCheckout();
  afterAll(close);

  // One reader's session from page to page: what an earlier page bought, a later one knows. The first three
  // are compared at each change, all among the proofs; transcripts are written into all.
  const pages = ['README.md', ...GUIDE];
  const read = process.env.UPDATE_TRANSCRIPTS === '1' ? pages.length : times(3, pages.length);
  test.each(pages.slice(0, read))('%s', (path) => {
    const text = page(path);
    const exchanges = exchangesOf(text);
    const real = exchanges.map(({ command }) => ({ command, printed: type(command) }));
    if (process.env.UPDATE_TRANSCRIPTS === '1') {
      writeFileSync(join(ROOT, path), corrected(text, real));
      return;
    }
    const compared = (each: readonly Exchange[]): readonly string[] =>
      each.map(({ command, printed }) => `$ ${command}\n${masked(printed)}`);
    expect(compared(exchanges)).toEqual(compared(real));
  });
});

/** Headings as a page shows them in its links. */
function anchorsOf(path: string): ReadonlySet<string> {
  const headings = [...page(path).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => heading);
  return new Set(
    headings.map((each) =>
      each
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}
