/**
 * Goal: whatever is typed, the answer is a fact and what to do, an exit code of the list, and under --json one object.
 * Method: the real command, typed in this process; a reader that leaves meets the real program. Where a fault must be made up,
 * the frame on streams of our own.
 */
import { once } from 'node:events';
import { PassThrough, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { runCommandLine } from '../../src/cli/main.ts';
import { describeProgram } from '../../src/cli/program.ts';
import { startRowonce } from './rowonce.ts';
import { typedAt } from './typed.ts';

const NOWHERE = { ROWONCE_CONFIG: '/nonexistent' };

describe('help', () => {
  test('help lists every command with its summary', async () => {
    const { code, stdout, stderr } = await typedAt(['--help']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const oneLine = stdout.replace(/\s+/g, ' ');
    for (const command of (await describeProgram()).commands) {
      expect(oneLine).toContain(`${command.name()} ${command.summary()}`);
    }
  });

  test('help of every command, and of every command within it, ends with an example and lists the common options', async () => {
    for (const command of (await describeProgram()).commands) {
      for (const names of [
        [command.name()],
        ...command.commands.map((each) => [command.name(), each.name()]),
      ]) {
        const { code, stdout } = await typedAt([...names, '--help']);
        expect(code).toBe(0);
        const shown = names.join(' ');
        expect(stdout).toMatch(new RegExp(`\\nExample:\\n {2}.*rowonce ${shown}\\b.*\\n$`));
        const lines = stdout.slice(0, stdout.indexOf('\nExample:')).split('\n');
        expect(lines.length, shown).toBeLessThanOrEqual(56);
        for (const line of lines) expect(line.length, line).toBeLessThanOrEqual(100);
        for (const option of ['--json', '--quiet', '--no-color', '--store <location>', '--as <name>'])
          expect(stdout).toContain(option);
      }
    }
  });

  test('--version is one line, --json one object', async () => {
    expect((await typedAt(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect(JSON.parse((await typedAt(['--version', '--json'])).stdout)).toEqual({
      version: expect.stringMatching(/^\d/),
    });
    expect(JSON.parse((await typedAt(['accounts', '--help', '--json'])).stdout).help).toMatch(
      /^Usage: rowonce accounts/,
    );
  });
});

describe('a wrong command line is exit 2, a fact and what to do', () => {
  test.each([
    [['acounts'], "Unknown command 'acounts'.\nDid you mean accounts?\nnpx rowonce accounts\n"],
    [
      ['accounts', 'add', 'sk_live_9fQxZt0'],
      "Too many arguments for 'add'. Expected 0 arguments but got 1.\nSee the help.\nnpx rowonce accounts --help\n",
    ],
    [['login', 'sk_live_9fQxZt0'], "Unknown command 'login'.\nSee the help.\nnpx rowonce --help\n"],
    [
      ['plan', 'a.csv', '--column', 'domain'],
      '--column domain is not a pair.\nGive it as --column domain=Website.\n',
    ],
    [
      ['plan', 'a.csv', '--column', 'abn=A', '--column', 'abn=B'],
      '--column abn=B gives abn twice.\nGive it once.\n',
    ],
    [['plan', 'a.csv', '--sheet', ''], '--sheet is empty.\nSee the help.\nnpx rowonce plan --help\n'],
    [
      ['accounts', 'remove'],
      "Missing required argument 'name'.\nSee the help.\nnpx rowonce accounts --help\n",
    ],
    [
      ['accounts', 'add', '--name'],
      "Option '--name <name>' argument missing.\nSee the help.\nnpx rowonce accounts --help\n",
    ],
  ])('%j', async (args, stderr) => {
    expect(await typedAt(args)).toEqual({ code: 2, stdout: '', stderr });
    const json = await typedAt([...args, '--json']);
    if (args.includes('--name')) return;
    expect(json.code).toBe(2);
    const [message, next, command] = stderr.split('\n');
    const { next_command: line, ...stopped } = JSON.parse(json.stdout).stopped;
    expect(stopped).toEqual({ code: 'usage', message, next, resume_at: null });
    expect((line ?? '').replace(/ --json$/, '')).toBe(command);
  });

  test('no command at all shows the help as well', async () => {
    const { code, stdout, stderr } = await typedAt([]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(
      /^Usage: rowonce[\s\S]*No command was given\.\nName a command.\nnpx rowonce --help\n$/,
    );
  });
});

test('what stops a command is said under --quiet too, and under --json as the only object', async () => {
  const quiet = await typedAt(['accounts', 'remove', 'x', '--quiet'], { env: NOWHERE });
  expect(quiet).toMatchObject({ code: 2, stdout: '' });
  expect(quiet.stderr).toMatch(/^There is no account "x" in \/nonexistent\/accounts\.yaml\.\n/);
  const json = await typedAt(['accounts', 'remove', 'x', '--json'], { env: NOWHERE });
  expect(JSON.parse(json.stdout).stopped.code).toBe('account');
});

test('a reader of our output that leaves early is no error', async () => {
  const child = startRowonce(['accounts', 'list'], { env: NOWHERE });
  child.stdout?.destroy();
  const [[code], stderr] = await Promise.all([once(child, 'close'), text(child.stderr ?? new PassThrough())]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: 'No account in /nonexistent/accounts.yaml.\n' });
});

describe('a bug of ours', () => {
  /** A screen that breaks on the first line is something that the program does not expect. */
  async function bugOn(env: Record<string, string>, args: readonly string[] = []) {
    let broken = true;
    const written = { stdout: '', stderr: '' };
    const stdout = new Writable();
    stdout.write = ((chunk: string) => {
      if (broken) {
        broken = false;
        throw new Error('the screen is broken');
      }
      written.stdout += chunk;
      return true;
    }) as Writable['write'];
    const stderr = new Writable({
      write(chunk, _encoding, done) {
        written.stderr += chunk;
        done();
      },
    });
    const code = await runCommandLine(['accounts', 'list', ...args], {
      stdin: new PassThrough(),
      stdout,
      stderr,
      env,
    });
    return { code, ...written };
  }

  test('a bug of ours is exit 1 and one line, with what to do', async () => {
    const { code, stderr } = await bugOn({});
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /\nthe screen is broken\.\nThis is a bug of Rowonce: please report it with the output .* ROWONCE_DEBUG=1\.\n$/,
    );
    expect(stderr).not.toMatch(/\n {4}at /);
  });
});
