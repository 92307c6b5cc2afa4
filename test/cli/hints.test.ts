/**
 * Goal: a command that is printed works. Whatever stopped a run, its last line, which --json names too, goes on to the end when it is typed into a
 * shell as it stands, with every flag that was given; and so does every other command that we print on the way.
 * Method: the real program, stopped in every way, with names that a shell takes apart. What was printed is given to `sh`
 * as it stands, where `npx rowonce` is this checkout. The vendor's book says that nothing was paid for twice. Where the
 * program was installed or started in another way, the shell has the real npx, and nothing else of that name.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { domainsOf, Workplace, type WorkplaceOptions } from '../faults/workplace.ts';
import { some } from '../support/combinations.ts';
import { Desk, objectIn } from './desk.ts';
import { type Ended, PROGRAM } from './rowonce.ts';

const LIST = `Jo's "best" leads.csv`;
const OUT = 'the $output (1).csv';
const ROWS = 6;

/** Types into a shell what was printed. Nothing is piped into it: who copies a line has no pipe to copy. */
function typeAsPrinted(shell: Shell, line: string): Promise<Ended> {
  const { place } = shell;
  mkdirSync(place.path('bin'), { recursive: true });
  writeFileSync(place.path('bin/npx'), `#!/bin/sh\nshift\nexec '${process.execPath}' '${PROGRAM}' "$@"\n`);
  chmodSync(place.path('bin/npx'), 0o755);
  return typeInShell({ ...shell, first: place.path('bin') }, line);
}

/** @param first the folder that comes first on the path. */
async function typeInShell(
  { place, environment, first, cwd = place.folder }: Shell & { readonly first: string },
  line: string,
): Promise<Ended> {
  const { PATH = '', NODE_COMPILE_CACHE } = process.env;
  const child = spawn('sh', ['-c', line], {
    cwd,
    env: { ...environment, PATH: `${first}${delimiter}${PATH}`, NODE_COMPILE_CACHE },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [[code], stdout, stderr] = await Promise.all([
    once(child, 'close'),
    text(child.stdout),
    text(child.stderr),
  ]);
  return { code, stdout, stderr };
}

interface Shell {
  readonly place: Desk['place'];
  readonly environment: Readonly<Record<string, string>>;
  /** Left out: the folder of the place. */
  readonly cwd?: string;
}

const shellOf = (desk: Desk): Shell => ({ place: desk.place, environment: desk.environment() });

function deskAt(place: Workplace, rows: number): Desk {
  place.writeList(domainsOf('hint', rows), LIST);
  return new Desk(place);
}

function lastLine({ stderr }: Pick<Ended, 'stderr'>): string {
  return stderr.trimEnd().split('\n').at(-1) ?? '';
}

/** Every command that is printed somewhere in a line, to its end. */
function printedIn({ stdout, stderr }: Ended): readonly string[] {
  return [...`${stdout}\n${stderr}`.matchAll(/npx rowonce .*/g)].map(([line]) => line);
}

interface Case {
  readonly code: number;
  readonly vendor?: WorkplaceOptions;
  /** Besides job, list and output. */
  readonly flags: readonly string[];
  /** What the list is called on the command line. */
  readonly list?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Takes away what stopped it. */
  readonly mend?: (desk: Desk) => unknown;
  readonly rows?: number;
  /** How many rows are settled in the end; left out: all. */
  readonly settled?: number;
}

const truthful = (desk: Desk): Promise<void> => desk.place.vendor.setFaults();

const STOPS: Readonly<Record<string, Case>> = {
  'a budget that is reached, with the job saved': {
    code: 4,
    flags: ['--budget=2', '--save-job', 'my job.yaml', '--store', 'the store'],
  },
  'a key that is refused, with the list from standard input': {
    code: 77,
    list: '-',
    vendor: { faults: '401:1' },
    flags: ['--budget', '9', '--save-job', '-.yaml'],
    mend: truthful,
  },
  'a vendor that says "too fast" for ever': {
    code: 75,
    vendor: { faults: '429:1' },
    // The run of the last line waits no longer for an answer either.
    flags: ['--yes', '--max-pause', '8s', '--limit', '3', '--formulas', 'raw'],
    mend: truthful,
    settled: 3,
  },
  'a redirect': {
    code: 2,
    vendor: { faults: '302:1' },
    flags: ['--budget', '9', '--account', 'data', '--attention-ok', '--save-job', 'my job.yaml'],
    mend: truthful,
  },
  'a disk that is full': {
    code: 2,
    rows: 300,
    vendor: { concurrency: 8 },
    env: { ROWONCE_FULL_AT_PAGES: '90' },
    flags: ['--budget', '999', '--wait', '1m', '--no-color'],
  },
};

describe.concurrent('the last line of a run that was stopped goes on', () => {
  test.for(some(Object.entries(STOPS), 1))('the last line goes on by %s', async ([_, stopped]) => {
    await using place = await Workplace.open({ concurrency: 1, ...stopped.vendor });
    const { list = LIST, flags, env = {}, rows = ROWS, settled = rows } = stopped;
    const desk = deskAt(place, rows);
    const stdin = list === '-' ? { stdin: readFileSync(desk.place.path(LIST)) } : {};
    const words = ['run', 'enrich-company', list, '-o', OUT, ...flags, '--json'];
    const first = await desk.type(words, { env, ...stdin });
    expect(first, first.stderr).toMatchObject({ code: stopped.code });
    expect(objectIn(first.stdout).stopped.next_command).toBe(lastLine(first));
    await stopped.mend?.(desk);

    const again = await typeAsPrinted(shellOf(desk), lastLine(first));
    expect(again, `${lastLine(first)}\n${again.stderr}`).toMatchObject({ code: 0 });
    expect(desk.place.statuses(OUT).filter((status) => status === 'matched')).toHaveLength(settled);
    expect(await desk.place.vendor.book()).toMatchObject({ credits: settled, charged_twice: [] });
  });
});

test('every command that a run in doubt leads to is found in its store: run, status, settle, a wrong row, the next run', async () => {
  await using place = await Workplace.open({ faults: 'charged-reset:x1', concurrency: 1 });
  const desk = deskAt(place, 2);
  const shell = shellOf(desk);
  const where = ['--store', 'another store'];
  const run = await desk.type(['run', 'enrich-company', LIST, '-o', OUT, '--budget', '9', ...where]);
  expect(run.code).toBe(3);
  const [settle = ''] = printedIn(run);
  expect(await typeAsPrinted(shell, settle)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('row 2, '),
  });
  const status = await desk.type(['status', 'last', ...where]);
  expect(printedIn(status)).toEqual([
    expect.stringMatching(/^npx rowonce settle \w{8} --store 'another store'$/),
  ]);
  const wrong = await desk.type(['settle', 'last', '99', ...where]);
  for (const line of [...printedIn(status), ...printedIn(wrong)])
    expect(await typeAsPrinted(shell, line), line).toMatchObject({ code: 0 });
  const unnamed = await desk.type(['plan', 'enrich-company', ...where]);
  expect(unnamed.stderr).toMatch(/rowonce plan enrich-company 'Jo.* --store 'another store'/);
  const noted = await desk.type(['settle', 'last', '--retry', '--extra-credits', '1', ...where]);
  expect(await typeAsPrinted(shell, printedIn(noted)[0] ?? '')).toMatchObject({ code: 0 });
  expect(desk.place.statuses(OUT)).toEqual(['matched', 'matched']);
});

test('whoever looks at a batch from another folder is shown how it goes on from there', async () => {
  await using place = await Workplace.open({ concurrency: 1 });
  const desk = deskAt(place, 3);
  const store = ['--store', 'a store'];
  const words = ['run', 'enrich-company', LIST, '-o', OUT, '--budget', '1'];
  expect((await desk.type([...words, ...store])).code).toBe(4);
  const cwd = place.path("somebody's folder");
  mkdirSync(cwd);
  const away = await desk.type(['status', 'last', '--store', '../a store'], { cwd });
  const [line = ''] = away.stderr.match(/(?<=To continue: ).*/) ?? [];
  expect(line).toMatch(/^npx rowonce run enrich-company '\//);
  const gone = await typeAsPrinted({ ...shellOf(desk), cwd }, line);
  expect(gone, gone.stderr).toMatchObject({ code: 0 });
  expect(place.statuses(OUT)).toEqual(['matched', 'matched', 'matched']);
  const here = await desk.type(['resume', 'last', ...store]);
  expect(here.stderr).not.toContain(place.folder);
});

/** The package as npm installs it: what was built, without its sources. @returns its `bin.js`. */
function installedAt(root: string): string {
  for (const each of ['dist', 'package.json', 'src/bin.js', 'src/needed-node.js', 'fixtures/dialects'])
    cpSync(join(CHECKOUT, each), join(root, each), { recursive: true });
  symlinkSync(join(CHECKOUT, 'node_modules'), join(root, 'node_modules'));
  return join(root, 'src', 'bin.js');
}

const CHECKOUT = dirname(dirname(PROGRAM));

interface Way {
  /** What the user calls the program there, and what each command that it prints begins with. */
  readonly name: string;
  /** What starts the same program without npx, which takes several times as long as the program; left out: the name. */
  readonly directly?: string;
  /** Where the user types; left out: the folder of the place. */
  readonly cwd?: string;
}

/** Ways to have the program. Each puts it into a place whose folder `bin` comes first on the path. */
const WAYS: Readonly<Record<string, (place: Workplace) => Way>> = {
  'in a project that has it installed, from a folder of it'(place) {
    const program = installedAt(place.path('project/node_modules/rowonce'));
    mkdirSync(place.path('project/node_modules/.bin'));
    symlinkSync(program, place.path('project/node_modules/.bin/rowonce'));
    mkdirSync(place.path('project/my lists'));
    return { name: 'npx rowonce', directly: `node '${program}'`, cwd: place.path('project/my lists') };
  },
  'where it is installed for all folders'(place) {
    symlinkSync(installedAt(place.path('lib/node_modules/rowonce')), place.path('bin/rowonce'));
    return { name: 'rowonce' };
  },
  'in a checkout that is not where the list is'() {
    return { name: `node ${PROGRAM}`, cwd: '/' };
  },
};

test.for(some(Object.entries(WAYS), 2))(
  'every command that is printed begins with the name that works there: %s',
  async ([_, madeAt]) => {
    await using place = await Workplace.open();
    mkdirSync(place.path('bin'));
    symlinkSync(process.execPath, place.path('bin/node'));
    const { name, directly = name, cwd = place.folder } = madeAt(place);
    place.writeList(domainsOf('hint', 2));
    const shell = { ...shellOf(new Desk(place)), first: place.path('bin'), cwd };
    const list = place.path('list.csv');
    const output = `-o '${place.path('my output.csv')}'`;
    const typed = [
      ...[`run enrich-company ${list} ${output}`, `run ${list}`, 'accounts lst', ''],
      ...['status zzz', 'accounts add --help'],
    ];
    /** Commands that were printed and have worked. */
    const tried = new Set<string>();
    for (const [at, words] of typed.entries()) {
      const ended = await typeInShell(shell, `${at === 0 ? name : directly} ${words}`);
      const printed = `${ended.stdout}\n${ended.stderr}`.replace(/^Usage: rowonce .*$/m, '');
      const commands = printed.split('\n').flatMap((line) => {
        const from = line.indexOf(`${name} `);
        return from < 0 ? [] : [line.slice(from)];
      });
      expect(commands, `${words}: ${printed}`).not.toEqual([]);
      const others = commands.reduce((rest, command) => rest.replace(command, ''), printed);
      expect(others).not.toMatch(/\browonce [a-z-]|\bnpx\b|bin\.js/);
      // An example is of a reader's own files.
      for (const line of printed.includes('Example:') ? [] : commands.filter((line) => !tried.has(line))) {
        expect(await typeInShell(shell, line), line).toMatchObject({ code: 0 });
        tried.add(line);
      }
    }
    expect(place.statuses('my output.csv')).toEqual(['matched', 'matched']);
  },
);
