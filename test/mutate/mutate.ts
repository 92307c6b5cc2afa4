import { spawn } from 'node:child_process';
import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { availableParallelism, cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Mutation } from './mutation.ts';
import { RULE_9 } from './rule-9.ts';
import { RULE_19 } from './rule-19.ts';
import { RULES_1_TO_8 } from './rules-1-to-8.ts';
import { RULES_10_AND_11 } from './rules-10-and-11.ts';
import { RULES_12_TO_18 } from './rules-12-to-18.ts';
import { WHAT_ANSWERS_SAY } from './what-answers-say.ts';
import { WHERE_MANY_SPEND } from './where-many-spend.ts';

/**
 * `npm run mutate`: takes the rules of docs/internals/protocol.md out of the source, one by one, and shows that a test fails for each.
 * Each lane works in a copy of the checkout. The tests that are named, of all that `npm run proofs` runs, must pass there as it
 * is and fail with one mutation made. Exit code 1 when a mutation survives. All of it writes its table into docs/internals/mutations.md.
 *
 * `--only 9` is one rule, `--lanes 1` one copy, `--check` looks for the texts alone, which takes no time.
 */

const ROOT = join(import.meta.dirname, '..', '..');
const FIGURES = join(ROOT, 'docs', 'internals', 'mutations.md');
const BEGIN = '<!-- mutations -->';
const END = '<!-- end of mutations -->';
const RULES = 19;

const ALL: readonly Mutation[] = [
  ...RULES_1_TO_8,
  ...RULE_9,
  ...WHAT_ANSWERS_SAY,
  ...RULES_10_AND_11,
  ...RULES_12_TO_18,
  ...RULE_19,
  ...WHERE_MANY_SPEND,
];

/** A run that takes longer hangs, which no test has noticed. */
const LONGEST_RUN_MS = 5 * 60_000;

/** What of the checkout its tests need beside what is installed. */
const NOT_COPIED = new Set(['node_modules', 'dist', '.git']);

interface Outcome {
  readonly mutation: Mutation;
  /** The first test that failed; undefined: the mutation survived, for the reason given. */
  readonly killedBy: string | undefined;
  readonly why: string;
}

/** What came of one start of Vitest. */
interface Tests {
  readonly passed: readonly string[];
  readonly failed: readonly string[];
  /** What says that the mutation cannot even run, and so takes nothing out. */
  readonly broken: string | undefined;
}

/** Of code that names what is not there, such as a mutation after a change of the source around it. */
const BROKEN = /ReferenceError: .*|SyntaxError: .*|TypeError: .* is not a function.*/;

/** Of the lanes, to be removed however it ends. */
const copies: string[] = [];

await main();

async function main(): Promise<void> {
  process.once('SIGINT', () => process.exit(130));
  process.once('exit', removeCopies);
  const { values } = parseArgs({
    options: { only: { type: 'string' }, lanes: { type: 'string' }, check: { type: 'boolean' } },
  });
  const rule = values.only === undefined ? undefined : Number(values.only);
  const chosen = ALL.filter((mutation) => rule === undefined || mutation.rule === rule);
  const problems = problemsOf(chosen, rule);
  if (problems.length > 0) {
    end(problems.join('\n'));
    return;
  }
  if (values.check === true) {
    console.log(`All ${chosen.length} texts occur once.`);
    return;
  }
  const lanes = Number(values.lanes ?? Math.max(1, Math.floor(availableParallelism() / 2)));
  const startedMs = performance.now();
  const outcomes = await inLanes(chosen, lanes);
  const seconds = Math.round((performance.now() - startedMs) / 1000);
  const survivors = outcomes.filter(({ killedBy }) => killedBy === undefined);
  const table = tableOf(outcomes, lanes, seconds);
  console.log(`\n${table}`);
  if (survivors.length > 0) end(survivors.map(survivorWords).join('\n'));
  else if (rule === undefined) keepTable(table);
}

function end(words: string): void {
  console.error(words);
  process.exitCode = 1;
}

function survivorWords({ mutation: { rule, without, test }, why }: Outcome): string {
  return `Rule ${rule} without ${without} survived: ${why}. Mend ${test}, or name a test that misses it.`;
}

// ------------------------------------------------------------------------------------------------ the list

/** Why the list does not fit the source. */
function problemsOf(mutations: readonly Mutation[], only: number | undefined): readonly string[] {
  const wanted = only === undefined ? Array.from({ length: RULES }, (_, at) => at + 1) : [only];
  const bare = wanted.filter((rule) => !mutations.some((mutation) => mutation.rule === rule));
  return [
    ...bare.map((rule) => `No mutation takes out rule ${rule}: add one to test/mutate/.`),
    ...mutations.flatMap((mutation) => {
      const found = placesOf(mutation, ROOT).length;
      if (found === 1) return [];
      return `Rule ${mutation.rule} without ${mutation.without}: the text ${JSON.stringify(mutation.text)} occurs ${found} times in ${mutation.at}, and it must occur once. Correct it in test/mutate/.`;
    }),
  ];
}

/** The files in which the text stands, each as often as it stands there. */
function placesOf({ at, text }: Mutation, root: string): readonly string[] {
  return filesIn(join(root, at)).flatMap((path) =>
    readFileSync(path, 'utf8')
      .split(text)
      .slice(1)
      .map(() => path),
  );
}

function filesIn(path: string): readonly string[] {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory() !== true) return found === undefined ? [] : [path];
  return readdirSync(path, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => join(entry.parentPath, entry.name));
}

// ------------------------------------------------------------------------------------------------ the lanes

/** Mutations of one test file stay in one lane, where it is tried once as it is. */
async function inLanes(mutations: readonly Mutation[], lanes: number): Promise<readonly Outcome[]> {
  const waiting = [...Map.groupBy(mutations, ({ test }) => test).values()];
  const outcomes: Outcome[] = [];
  const lane = async (): Promise<void> => {
    const copy = copyOfCheckout();
    for (let group = waiting.shift(); group !== undefined; group = waiting.shift())
      for await (const outcome of tried(group, copy)) {
        outcomes.push(outcome);
        const { mutation, killedBy, why } = outcome;
        const how = killedBy === undefined ? `SURVIVED: ${why}` : 'killed';
        const done = `${outcomes.length}/${mutations.length}`;
        console.error(`${done} rule ${mutation.rule}, ${mutation.without}: ${how}`);
      }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return outcomes.sort((one, other) => mutations.indexOf(one.mutation) - mutations.indexOf(other.mutation));
}

function removeCopies(): void {
  for (const copy of copies) rmSync(copy, { recursive: true, force: true });
}

function copyOfCheckout(): string {
  const copy = mkdtempSync(join(tmpdir(), 'rowonce-mutate-'));
  copies.push(copy);
  for (const name of readdirSync(ROOT))
    if (!NOT_COPIED.has(name)) cpSync(join(ROOT, name), join(copy, name), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  return copy;
}

/** @param group mutations that one test file must miss. */
async function* tried(group: readonly Mutation[], copy: string): AsyncGenerator<Outcome> {
  const [{ test } = { test: '' }] = group;
  const all = group.every(({ named }) => named !== undefined);
  const names = all ? [...new Set(group.map(({ named }) => named))].join('|') : undefined;
  const sound = await run(copy, test, names, false);
  for (const mutation of group) {
    const pattern = new RegExp(mutation.named ?? '');
    const fails = sound.failed.length > 0;
    if (fails || !sound.passed.some((name) => pattern.test(name))) {
      const why = fails ? `${sound.failed[0]} fails without it` : 'no test has that name';
      yield { mutation, killedBy: undefined, why };
      continue;
    }
    const { passed, failed, broken } = await mutated(mutation, copy);
    const why = broken ?? (passed.length > 0 ? 'every test passed' : 'no test came to its end');
    yield { mutation, killedBy: broken === undefined ? failed[0] : undefined, why };
  }
}

async function mutated(mutation: Mutation, copy: string): Promise<Tests> {
  const [path = ''] = placesOf(mutation, copy);
  const source = readFileSync(path, 'utf8');
  writeFileSync(
    path,
    source.replace(mutation.text, () => mutation.instead),
  );
  try {
    return await run(copy, mutation.test, mutation.named, true);
  } finally {
    writeFileSync(path, source);
  }
}

/** Only tests that ran and failed count: a mutation that cannot even be loaded takes nothing out. */
async function run(copy: string, test: string, named: string | undefined, bail: boolean): Promise<Tests> {
  const report = join(copy, 'report.json');
  rmSync(report, { force: true });
  // Some of the tests that are named run only among the proofs.
  const words = [
    'run',
    '--config',
    'test/vitest.config.ts',
    '--mode=all',
    '--maxWorkers=1',
    '--reporter=json',
  ];
  words.push(`--outputFile=${report}`, '--testTimeout=30000', ...(bail ? ['--bail=1'] : []));
  words.push(...(named === undefined ? [] : ['-t', named]), join(copy, test));
  await ended(copy, [join(copy, 'node_modules', 'vitest', 'vitest.mjs'), ...words]);
  if (statSync(report, { throwIfNoEntry: false }) === undefined)
    return { passed: [], failed: [], broken: undefined };
  const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as {
    readonly testResults: readonly {
      readonly assertionResults: readonly Result[];
    }[];
  };
  const results = testResults.flatMap(({ assertionResults }) => assertionResults);
  const namesOf = (wanted: string): readonly string[] =>
    results.flatMap(({ fullName, status }) => (status === wanted ? fullName.trim() : []));
  const [broken] = BROKEN.exec(results.flatMap(({ failureMessages }) => failureMessages).join('\n')) ?? [];
  return { passed: namesOf('passed'), failed: namesOf('failed'), broken };
}

/** As Vitest reports one test. */
interface Result {
  readonly fullName: string;
  readonly status: string;
  readonly failureMessages: readonly string[];
}

function ended(cwd: string, words: readonly string[]): Promise<void> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, words, { cwd, stdio: 'ignore' });
    const deadline = setTimeout(() => child.kill(), LONGEST_RUN_MS);
    child.once('exit', () => {
      clearTimeout(deadline);
      resolve();
    });
  });
}

// ------------------------------------------------------------------------------------------------ the table

function tableOf(outcomes: readonly Outcome[], lanes: number, seconds: number): string {
  const killed = outcomes.filter(({ killedBy }) => killedBy !== undefined).length;
  const gibibytes = Math.round(totalmem() / 2 ** 30);
  const machine = `${cpus().length} cores, ${gibibytes} GiB, Node ${process.versions.node}, ${lanes} ${lanes === 1 ? 'lane' : 'lanes'}`;
  const lines = outcomes.map(({ mutation, killedBy }) => {
    const { rule, without, test, named } = mutation;
    const tests = named === undefined ? '' : `: ${cell(named.replaceAll('\\', ''))}`;
    const file = `\`${test.replace('test/', '')}\``;
    return `| ${rule} | ${cell(without)} | ${killedBy === undefined ? 'none' : `${file}${tests}`} |`;
  });
  return [
    `${killed} of ${outcomes.length} mutations were killed, in ${seconds} seconds (${machine}).`,
    '',
    '| rule | what was taken out | where a test failed, of those with these words |',
    '|---|---|---|',
    ...lines,
  ].join('\n');
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;');
}

function keepTable(table: string): void {
  const figures = readFileSync(FIGURES, 'utf8');
  const [before, after] = [figures.indexOf(BEGIN), figures.indexOf(END)];
  if (before < 0 || after < before) end(`${FIGURES} has lost the marks around the mutations.`);
  else
    writeFileSync(
      FIGURES,
      `${figures.slice(0, before + BEGIN.length)}\n\n${table}\n\n${figures.slice(after)}`,
    );
}
