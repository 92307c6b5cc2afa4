/**
 * Goal: whatever Node the user's shell finds, the program runs with one that is new enough, or says in one sentence what is missing.
 * What is started is what was built, and never what others could have put in its place.
 * Method: the real `bin.js` under the Node of the tests and, where the machine has one, under an older Node.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { PROGRAM } from './rowonce.ts';

const hasNewerNode = existsSync(join(PROGRAM, '..', '..', 'node_modules', '.bin', 'node'));

/** A Node on the path that is too old for the program and new enough for `bin.js`. */
const olderNode = (process.env.PATH ?? '')
  .split(delimiter)
  .map((folder) => join(folder, 'node'))
  .filter((path) => existsSync(path))
  .find((path) => Number(/^v(\d+)/.exec(execFileSync(path, ['--version'], { encoding: 'utf8' }))?.[1]) < 22);

let folder: string;
/** What a failed test would leave behind. */
const groups: number[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rowonce-bin-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
  for (const pid of groups.splice(0)) endGroup(pid);
});

/** The package as npm installs it, with a main that shows what it was called with. */
function installed(): string {
  const root = join(folder, 'node_modules', 'rowonce');
  const main = join('cli', 'shell', 'main');
  for (const each of ['dist', join('src', dirname(main))]) mkdirSync(join(root, each), { recursive: true });
  writeFileSync(join(root, 'package.json'), '{"type":"module"}');
  // Node does not strip types under node_modules, so this file must never be chosen.
  writeFileSync(join(root, 'src', `${main}.ts`), 'export const main: number = 1;');
  writeFileSync(join(root, 'dist', 'main.js'), 'export const main = (argv) => console.log("dist", ...argv);');
  for (const each of ['bin.js', 'needed-node.js'])
    copyFileSync(join(dirname(PROGRAM), each), join(root, 'src', each));
  return join(root, 'src', 'bin.js');
}

test('an installed package runs what was built', () => {
  const { status, stdout } = spawnSync(process.execPath, [installed(), 'status', 'last'], {
    encoding: 'utf8',
  });
  expect({ status, stdout }).toEqual({ status: 0, stdout: 'dist status last\n' });
});

test.skipIf(process.platform === 'win32')(
  'compiled code is kept for the next start, and not where others could put code of theirs',
  () => {
    const caches = mkdtempSync(join(folder, 'caches-'));
    const start = (): string => {
      const env = { PATH: process.env.PATH, HOME: folder, XDG_CACHE_HOME: caches };
      return spawnSync(process.execPath, [PROGRAM, '--version'], { encoding: 'utf8', env }).stderr;
    };
    const cache = join(caches, 'rowonce');
    mkdirSync(cache);
    for (const mode of [0o777, 0o775]) {
      chmodSync(cache, mode);
      expect(start()).toBe(
        `Compiled code in ${cache} is not used, because other users can write there: remove the folder.\n`,
      );
      expect(readdirSync(cache)).toEqual([]);
    }
    chmodSync(cache, 0o755);
    expect(start()).toBe('');
    expect(statSync(cache).mode & 0o777).toBe(0o700);
    expect(readdirSync(cache)).toHaveLength(1);
  },
);

describe.skipIf(olderNode === undefined)('under an older Node (skipped when the path has none)', () => {
  const older = olderNode ?? '';

  test('an installed package says what it needs, in one sentence, and ends with 2', () => {
    const { status, stdout, stderr } = spawnSync(older, [installed(), 'status'], { encoding: 'utf8' });
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(
      /^Rowonce needs Node 22\.19 or newer and this is Node \d+\.\d+\.\d+: install it .*\.\n$/,
    );
  });

  test.skipIf(!hasNewerNode)(
    'a checkout that brings its own Node hands over to it, with arguments, standard input, output and the exit code',
    () => {
      const env = { PATH: process.env.PATH, ROWONCE_CONFIG: folder };
      const add = 'accounts add --name a --vendor provider --base-url https://a.example --key-stdin';
      const added = spawnSync(older, [PROGRAM, ...add.split(' ')], {
        encoding: 'utf8',
        input: 's3cr3t\n',
        env,
      });
      expect(added).toMatchObject({
        status: 0,
        stdout: `Added account a to ${join(folder, 'accounts.yaml')}.\n`,
      });
      expect(readFileSync(join(folder, 'accounts.yaml'), 'utf8')).toContain('key: s3cr3t\n');
      expect(spawnSync(older, [PROGRAM, 'acounts'], { encoding: 'utf8', env })).toMatchObject({
        status: 2,
        stdout: '',
      });
    },
  );
});

function endGroup(leader: number): void {
  try {
    process.kill(-leader, 'SIGKILL');
  } catch {
    // Nothing is left of it, as it should be.
  }
}
