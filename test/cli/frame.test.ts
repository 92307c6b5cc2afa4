/**
 * Goal: whatever is typed, the answer is a fact and what to do, an exit code of the list, and under --json one object.
 * Method: the real command, typed in this process; a reader that leaves meets the real program. Where a fault must be made up,
 * the frame on streams of our own.
 */
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { runCommandLine } from '../../src/cli/main.ts';
import { describeProgram } from '../support/program.ts';
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

test('a bug of ours is exit 1 and one line, with what to do', async () => {
  // A screen that breaks is something that the program does not expect.
  const write = (): never => {
    throw new Error('the screen is broken');
  };
  const [stdout, stderr] = [Object.assign(new PassThrough(), { write }), new PassThrough()];
  const streams = { stdin: new PassThrough(), stdout, stderr, env: {} };
  expect(await runCommandLine(['accounts', 'list'], streams)).toBe(1);
  const said = String(stderr.read());
  expect(said).toMatch(
    /\nthe screen is broken\.\nThis is a bug of Rowonce: please report it with the output .* ROWONCE_DEBUG=1\.\n$/,
  );
  expect(said).not.toMatch(/\n {4}at /);
});
