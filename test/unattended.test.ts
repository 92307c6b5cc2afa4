/**
 * Goal: the container and the GitHub Action that the guide describes do what it says.
 * Method: linters read the Dockerfile, the action and the workflow. What they start is typed here: the image's command and its health
 * check, and the script of the action. The image is built by what its Dockerfile does, without a Docker engine.
 */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, matchesGlob, relative } from 'node:path';
import { type ValidationState, validateAction, validateWorkflow } from '@action-validator/core';
import { validate } from 'dockerfile-utils';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { PROGRAM } from './cli/rowonce.ts';

const ROOT = join(import.meta.dirname, '..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rowonce-unattended-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
});

/** A job over the sandbox, and a list of two companies for it. */
function writeJob(name: string, more = ''): string {
  writeFileSync(
    join(folder, name),
    `operation: enrich-company\naccount: sandbox-provider\nbudget: { credits: 5 }\n${more}`,
  );
  return join(folder, name);
}

const LIST = 'Domain\none.example\ntwo.example\n';

// ---------------------------------------------------------------------------------------------------- container

const dockerfile = read('docs/container/Dockerfile');

/** The values of an instruction of the last stage. */
function valuesOf(instruction: string): readonly string[] {
  const stage = dockerfile.split(/^FROM /m).at(-1) ?? '';
  return [...stage.matchAll(new RegExp(`^${instruction} (.+)$`, 'gm'))].map(([, value = '']) => value);
}

describe('the container', () => {
  test('the container has a Dockerfile in which a linter finds nothing', () => {
    expect(validate(dockerfile)).toEqual([]);
  });

  test('the container runs as a user who is not root, and keeps its store in a volume', () => {
    expect(valuesOf('USER')).toEqual(['node']);
    expect(valuesOf('VOLUME')).toEqual(['/store']);
    expect(valuesOf('ENV')).toEqual(['ROWONCE_STORE=/store ROWONCE_CONFIG=/config']);
  });

  test('the container is built from the program alone: no accounts, keys or lists that lie in the checkout', () => {
    const patterns = read('.dockerignore')
      .split('\n')
      .filter((line) => /^[^#]/.test(line));
    /** As Docker has it: the last pattern decides that matches the path or a folder above it. */
    const isOutside = (path: string): boolean =>
      patterns
        .findLast((pattern) => {
          const glob = pattern.replace('!', '');
          return glob === '*' || matchesGlob(path, glob) || matchesGlob(path, `${glob}/**`);
        })
        ?.startsWith('!') === false;
    const users = ['config/accounts.yaml', '.env', 'leads.csv', 'store/ledger.db', 'jobs/inbox/people.csv'];
    expect(users.filter((path) => !isOutside(path))).toEqual([]);
    const image = join(folder, 'image');
    const filter = (path: string): boolean => path === ROOT || !isOutside(relative(ROOT, path));
    cpSync(ROOT, image, { recursive: true, filter });
    symlinkSync(join(ROOT, 'node_modules'), join(image, 'node_modules'));
    const run = (...words: readonly string[]) =>
      spawnSync(process.execPath, words, { cwd: image, encoding: 'utf8' });
    expect(run('src/build.js', '--types')).toMatchObject({ status: 0 });
    const { version } = JSON.parse(read('package.json'));
    expect(run('src/bin.js', '--version').stdout).toBe(`${version}\n`);
  });
});

// ---------------------------------------------------------------------------------------------------- action

const ACTION = '.github/actions/rowonce';

describe('the action', () => {
  const errorsOf = ({ errors }: ValidationState): unknown => errors;

  test('the action and the workflow that uses it are such in which a linter finds nothing', () => {
    expect(errorsOf(validateAction(read(`${ACTION}/action.yml`)))).toEqual([]);
    expect(errorsOf(validateWorkflow(read('docs/github/rowonce.yaml')))).toEqual([]);
  });

  test('the action is given inputs that it has, and the guide explains each', () => {
    const names = Object.keys(parse(read(`${ACTION}/action.yml`)).inputs);
    const guide = read('docs/guide/nightly.md');
    expect([...guide.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name)).toEqual(names);
    const { jobs } = parse(read('docs/github/rowonce.yaml'));
    for (const { steps } of Object.values<{ steps: { uses: string; with?: object }[] }>(jobs)) {
      const step = steps.find(({ uses }) => uses.includes(ACTION));
      expect(names).toEqual(expect.arrayContaining(Object.keys(step?.with ?? { none: true })));
    }
  });

  test('the action runs nothing but what a commit or a version names', () => {
    const used = [read(`${ACTION}/action.yml`), read('docs/github/rowonce.yaml')].flatMap((text) => [
      ...text.matchAll(/uses: (.+)$/gm),
    ]);
    expect(used.length).toBeGreaterThan(4);
    for (const [, name] of used) expect(name).toMatch(/@[0-9a-f]{40} # v?\d+\.\d+\.\d+$/);
    const { name, version } = JSON.parse(read('package.json'));
    expect(parse(read(`${ACTION}/action.yml`)).inputs.package.default).toBe(`${name}@${version}`);
  });

  test('the action gives keys to the command, and to no other step', () => {
    const { steps } = parse(read(`${ACTION}/action.yml`)).runs;
    const withKeys = steps.filter((step: object) => JSON.stringify(step).includes('inputs.keys'));
    expect(withKeys).toMatchObject([{ name: 'Run Rowonce' }]);
    expect(
      read('docs/github/rowonce.yaml'),
      'all steps of an action have what its caller has there',
    ).not.toMatch(/^ *env:/m);
    const command = '#!/bin/sh\necho "$DATA_KEY, $WORKSPACE_KEY,$KEYS"\n';
    const keys = 'DATA_KEY=a=b c==\n\nWORKSPACE_KEY=$(id)\n';
    expect(act({ COMMAND: 'plan', KEYS: keys }, command).stdout).toBe('a=b c==, $(id),\n');
    expect(act({ COMMAND: 'plan', KEYS: 'sk-1234' }, command)).toMatchObject({
      status: 2,
      stderr: 'Each line of the input `keys` has to be NAME=value.\n',
    });
  });

  test('the action plans without a store, and writes what was said into the summary', () => {
    const { status, stdout, summary } = act({ COMMAND: 'plan' });
    expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringMatching(/^ {2}to buy +2$/m) });
    expect(summary).toMatch(/^### `rowonce plan .+`$[\s\S]+^ {6}to buy +2$[\s\S]+^Exit code 0\.$/m);
  });

  /** The script with the environment that the runner gives it. @param command a script in the place of the program. */
  function act(inputs: Readonly<Record<string, string>>, command?: string) {
    const bin = join(folder, 'bin');
    mkdirSync(bin, { recursive: true });
    rmSync(join(bin, 'rowonce'), { force: true });
    if (command === undefined) symlinkSync(PROGRAM, join(bin, 'rowonce'));
    else writeFileSync(join(bin, 'rowonce'), command, { mode: 0o755 });
    const list = join(folder, 'list.csv');
    writeFileSync(list, LIST);
    mkdirSync(join(folder, 'config'), { recursive: true });
    writeFileSync(join(folder, 'config', 'accounts.yaml'), 'accounts: {}\n');
    chmodSync(join(folder, 'config', 'accounts.yaml'), 0o644);
    const summary = join(folder, 'summary.md');
    const { status, stdout, stderr } = spawnSync('bash', [join(ROOT, ACTION, 'rowonce.sh')], {
      encoding: 'utf8',
      cwd: folder,
      env: {
        PATH: [dirname(process.execPath), bin, process.env.PATH].join(delimiter),
        HOME: folder,
        ROWONCE_SANDBOX: '--rate 2000/s',
        RUNNER_TEMP: folder,
        GITHUB_STEP_SUMMARY: summary,
        JOB: writeJob('job.yaml'),
        LIST: list,
        OUTPUT: '',
        STORE: '',
        KEYS: '',
        CONFIG: join(folder, 'config'),
        ...inputs,
      },
    });
    const written = spawnSync('cat', [summary], { encoding: 'utf8' }).stdout;
    return { status, stdout, stderr, summary: written };
  }
});
