/**
 * Goal: whatever Node the user's shell finds, the program runs with one that is new enough, lives and dies as the
 * process that was started does, or says in one sentence what is missing. What is started is what was built, and
 * never what was built of other sources. It starts fast.
 * Method: the real `bin.js` under the Node of the tests and, where the machine has one, under an older Node; signals
 * are sent to the process that the user would signal, and the sandbox's socket shows whether the program still lives.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FILES_OF_A_RUN } from '../ceilings/ceilings.ts';
import { PROGRAM } from './rowonce.ts';

/** A Node on the path that is too old for the program and new enough for `bin.js`. */
const olderNode = (process.env.PATH ?? '')
  .split(delimiter)
  .map((folder) => join(folder, 'node'))
  .filter((path) => existsSync(path))
  .find((path) => Number(/^v(\d+)/.exec(execFileSync(path, ['--version'], { encoding: 'utf8' }))?.[1]) < 22);

const hasNewerNode = existsSync(join(PROGRAM, '..', '..', 'node_modules', '.bin', 'node'));

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
  copyFileSync(PROGRAM, join(root, 'src', 'bin.js'));
  return join(root, 'src', 'bin.js');
}

const CHECKOUT = join(PROGRAM, '..', '..');

/** The folder of the build that a start of this checkout runs. */
function presentBuild(root = CHECKOUT): string {
  const { build } = JSON.parse(readFileSync(join(root, 'dist', 'built-from.json'), 'utf8'));
  return join(root, 'dist', build);
}

test('an installed package runs what was built', () => {
  const { status, stdout } = spawnSync(process.execPath, [installed(), 'status', 'last'], {
    encoding: 'utf8',
  });
  expect({ status, stdout }).toEqual({ status: 0, stdout: 'dist status last\n' });
});

test('a checkout that was not built says what to do', () => {
  const root = join(folder, 'checkout');
  for (const each of ['src', 'package.json'])
    cpSync(join(CHECKOUT, each), join(root, each), { recursive: true, preserveTimestamps: true });
  symlinkSync(join(CHECKOUT, 'node_modules'), join(root, 'node_modules'));
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, 'src/bin.js'), '--version'], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, HOME: folder },
  });
  expect({ status, stdout, stderr }).toEqual({
    status: 2,
    stdout: '',
    stderr: 'The program was not built yet: run "npm run build", then the same command again.\n',
  });
});

describe('starting fast', () => {
  /** What Node keeps of a start with nothing kept yet: one file for each that was loaded. */
  function kept(words: readonly string[], env: Readonly<Record<string, string>> = {}): readonly string[] {
    const caches = mkdtempSync(join(folder, 'caches-'));
    const { status, stderr } = spawnSync(process.execPath, [PROGRAM, ...words], {
      encoding: 'utf8',
      env: { PATH: process.env.PATH, HOME: folder, ROWONCE_CONFIG: folder, XDG_CACHE_HOME: caches, ...env },
    });
    expect(stderr).toBe('');
    expect(status).toBe(0);
    const entries = readdirSync(caches, { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map(({ parentPath }) => relative(caches, parentPath));
  }

  /** Every file that a start loads, by its address. */
  function loaded(words: readonly string[]): readonly string[] {
    const list = join(folder, 'loaded');
    const hook = `import { registerHooks } from 'node:module'; import { appendFileSync } from 'node:fs';
      registerHooks({ load(url, context, next) { appendFileSync(${JSON.stringify(list)}, url + '\\n'); return next(url, context); } });`;
    const preload = `data:text/javascript,${encodeURIComponent(hook)}`;
    spawnSync(process.execPath, ['--import', preload, PROGRAM, ...words], {
      env: { PATH: process.env.PATH, HOME: folder },
    });
    return readFileSync(list, 'utf8').trimEnd().split('\n');
  }

  test('what was compiled is kept for the next start, in the folder of the user for such files', () => {
    const files = kept(['accounts', 'list', '--quiet']);
    expect(files.length).toBeGreaterThan(5);
    for (const file of files) expect(file).toMatch(/^rowonce\b/);
  });

  test.skipIf(process.platform === 'win32')('and not where others could put code of theirs', () => {
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
  });

  const built = pathToFileURL(join(presentBuild(), '/')).href;

  /** What a start loads of the program, each by its name without the mark of its content, and the libraries by theirs. */
  function parts(words: readonly string[]): readonly string[] {
    const names = loaded(words).flatMap((url) => {
      const library = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1];
      const own = url.startsWith(built) ? url.slice(built.length) : undefined;
      return library ?? own?.replace(/^core\/(.*)-[\w-]{8}\.js$/, '$1') ?? [];
    });
    return [...new Set(names)];
  }

  test('a run loads few files, and no more formats than its own; a look at it loads no client, no format and no job', () => {
    const [list, store] = [join(folder, 'list.csv'), join(folder, 'store')];
    writeFileSync(list, 'ABN,Charity_Website,Contact_Email\n53004085616,,\n33051775556,,\n');
    const job = join(PROGRAM, '..', '..', 'jobs', 'enrich-companies.yaml');
    const run = parts(['run', job, list, '--store', store, '--yes', '--limit', '1']);
    expect(run).toContain('undici');
    expect(run.filter((part) => /xlsx|saxes|yauzl|yazl|^pg/.test(part))).toEqual([]);
    expect(run.length).toBeLessThanOrEqual(FILES_OF_A_RUN);
    rmSync(join(folder, 'loaded'));

    const seen = parts(['status', '--store', store]);
    expect(seen).toContain('look');
    expect(
      seen.filter((part) => /^(?:run|zod|yaml|undici|csv-parse|p-queue|bottleneck)$/.test(part)),
    ).toEqual([]);
  });
});

describe.skipIf(olderNode === undefined)('under an older Node (skipped when the path has none)', () => {
  const older = olderNode ?? '';

  test('an installed package says what it needs, in one sentence, and ends with 2', () => {
    const { status, stdout, stderr } = spawnSync(older, [installed(), 'status'], { encoding: 'utf8' });
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(
      /^Rowonce needs Node 22\.19 or newer and this is Node \d+\.\d+\.\d+: install it .*\.\n$/,
    );
  });

  describe.skipIf(!hasNewerNode)('a checkout that brings its own Node hands over to it', () => {
    test('with arguments, standard input, output and the exit code', () => {
      const env = { PATH: process.env.PATH, ROWONCE_CONFIG: folder };
      const add = [
        'accounts',
        'add',
        '--name',
        'a',
        '--vendor',
        'provider',
        '--base-url',
        'https://a.example',
        '--key-stdin',
      ];
      const added = spawnSync(older, [PROGRAM, ...add], { encoding: 'utf8', input: 's3cr3t\n', env });
      expect(added).toMatchObject({
        status: 0,
        stdout: `Added account a to ${join(folder, 'accounts.yaml')}.\n`,
      });
      expect(readFileSync(join(folder, 'accounts.yaml'), 'utf8')).toContain('key: s3cr3t\n');
      expect(spawnSync(older, [PROGRAM, 'acounts'], { encoding: 'utf8', env })).toMatchObject({
        status: 2,
        stdout: '',
      });
    });

    /** A session of its own, so that there is no terminal and a signal reaches the one process that it is sent to. */
    async function sandbox() {
      const child = spawn(older, [PROGRAM, 'sandbox', '--port', '0'], {
        detached: true,
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      if (child.pid !== undefined) groups.push(child.pid);
      const [line] = await once(child.stdout, 'data');
      const port = Number(/:(\d+)\s*$/.exec(String(line))?.[1]);
      expect(await listens(port)).toBe(true);
      return { child, port };
    }

    test.skipIf(process.platform !== 'linux')(
      'a program that is killed looks killed from outside',
      async () => {
        const { child } = await sandbox();
        const children = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8')
          .trim()
          .split(' ');
        process.kill(Number(children[0]), 'SIGKILL');
        expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
      },
    );
  });
});

function endGroup(leader: number): void {
  try {
    process.kill(-leader, 'SIGKILL');
  } catch {
    // Nothing is left of it, as it should be.
  }
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.on('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}
