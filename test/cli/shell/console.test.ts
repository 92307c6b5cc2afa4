/**
 * Goal: results on stdout, words on stderr, colours only where they are wanted, one object under --json, and a key
 * that is typed never appears.
 * Method: streams that say whether they are a terminal, and typing into them.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { openTerminal, type Terminal, type TerminalOptions } from '../../../src/cli/console.ts';
import { reportEnd } from '../../../src/cli/main.ts';
import { withNext } from '../../../src/commands/shared/spending.ts';
import { agreeing, type StopDetail, StopError } from '../../../src/core/errors.ts';
import { present } from '../../../src/core/objects.ts';
import { stopShown } from '../../../src/core/stop-object.ts';
import type { StopCode } from '../../../src/core/stops.ts';
import { resumedBy } from '../../../src/lib/command-line.ts';

interface Setting extends Partial<TerminalOptions> {
  readonly stdin?: boolean;
  readonly stdout?: boolean;
  readonly stderr?: boolean;
  readonly env?: Readonly<Record<string, string>>;
}

/** In columns. */
const WIDTH = 20;

const ALL_TERMINAL = { stdin: true, stdout: true, stderr: true };

function open(setting: Setting = {}) {
  const stream = (isTTY = false) =>
    Object.assign(new PassThrough(), { isTTY, columns: WIDTH, setRawMode: () => {} });
  const [stdin, stdout, stderr] = [stream(setting.stdin), stream(setting.stdout), stream(setting.stderr)];
  const options = {
    json: setting.json ?? false,
    quiet: setting.quiet ?? false,
    noColor: setting.noColor ?? false,
  };
  const terminal: Terminal = openTerminal(options, { stdin, stdout, stderr, env: setting.env ?? {} });
  const read = (from: PassThrough): string => String(from.read() ?? '');
  return { terminal, stdin, out: () => read(stdout), err: () => read(stderr) };
}

/** A line that is red where there are colours. */
const LINE = '- red';
const RED = `\u001b[31m${LINE}\u001b[39m`;

test('a fact that ends with a sentence of a vendor gets no second full stop', () => {
  const { terminal, err } = open();
  terminal.fail(stopShown({ code: 'key', message: 'status 401, "Revoked."', next: 'Do.' }));
  expect(err()).toBe('status 401, "Revoked."\nDo.\n');
});

describe('a stop after which the same command goes on', () => {
  /** Every stop that the page on errors lists, with its exit code. */
  const listed = readFileSync(join(import.meta.dirname, '../../../docs/errors.md'), 'utf8').matchAll(
    /^### (?<code>\w+)\n\nExit code (?<exit>\d+)\./gm,
  );
  const stops = [...listed].map(({ groups = {} }) => [groups.code as StopCode, Number(groups.exit)] as const);
  const GOES_ON = [4, 75, 77, 130, 143];
  const COMMAND = 'npx rowonce run people.yaml "my list.csv" --budget 9';
  const lastLine = (err: string): string | undefined => err.trimEnd().split('\n').at(-1);

  test.each(stops)(
    '%s, before it has begun: the last line is the command, which --json has with all else',
    async (code, exit) => {
      const choices = code === 'consent' ? [agreeing('do it')] : undefined;
      const whole = { code, message: 'Fact.', next: 'Do.', plan: 'p1', ...present({ choices }) };
      const work = Promise.reject(new StopError({ ...whole, leastBudget: 7 } as StopDetail));
      const stopped = await resumedBy(() => COMMAND, work).catch((error) => error as StopError);
      const { terminal, out, err } = open({ json: true, quiet: true });
      terminal.fail(stopShown(stopped.detail), stopped.leastBudget);
      const goesOn = GOES_ON.includes(exit);
      expect(lastLine(err())).toBe(goesOn ? COMMAND : 'Do.');
      const more = present({ next_command: goesOn ? COMMAND : undefined });
      expect(JSON.parse(out())).toEqual({
        stopped: { ...whole, resume_at: null, ...more, ...present({ answers: choices && ['yes'] }) },
        budget_to_finish: 7,
      });
    },
  );

  test.each(stops)('%s, after some of the work: the end of the report says the same', (code) => {
    const stopped = stopShown({ code, message: 'Fact.', next: 'Do.', choices: [agreeing('do it')] });
    const { terminal, out, err } = open({ json: true, quiet: true });
    reportEnd(terminal, { object: withNext({ rows: 3, stopped }, COMMAND), advice: ['What is in doubt: …'] });
    expect(lastLine(err())).toBe(COMMAND);
    expect(JSON.parse(out())).toMatchObject({
      rows: 3,
      stopped: { code, next_command: COMMAND, answers: ['yes'] },
    });
  });
});

describe('colours', () => {
  const cases: readonly (readonly [string, Setting, string, string])[] = [
    ['on a terminal', ALL_TERMINAL, RED, RED],
    ['in pipes: none', {}, LINE, LINE],
    ['only where the terminal is', { stderr: true }, LINE, RED],
    ['not with NO_COLOR', { ...ALL_TERMINAL, env: { NO_COLOR: '1' } }, LINE, LINE],
    ['an empty NO_COLOR says nothing', { ...ALL_TERMINAL, env: { NO_COLOR: '' } }, RED, RED],
    ['in pipes with FORCE_COLOR', { env: { FORCE_COLOR: '1' } }, RED, RED],
    ['FORCE_COLOR=0 forbids', { ...ALL_TERMINAL, env: { FORCE_COLOR: '0' } }, LINE, LINE],
    ['NO_COLOR wins over FORCE_COLOR', { env: { NO_COLOR: '1', FORCE_COLOR: '1' } }, LINE, LINE],
    ['not with --no-color', { ...ALL_TERMINAL, noColor: true }, LINE, LINE],
    ['--no-color wins over FORCE_COLOR', { noColor: true, env: { FORCE_COLOR: '1' } }, LINE, LINE],
    ['not on a terminal that is dumb', { ...ALL_TERMINAL, env: { TERM: 'dumb' } }, LINE, LINE],
  ];
  test.each(cases)('%s', (_what, setting, stdout, stderr) => {
    const { terminal, out, err } = open(setting);
    terminal.print(LINE);
    terminal.say(LINE);
    expect([out(), err()]).toEqual([`${stdout}\n`, `${stderr}\n`]);
  });
});

describe('asking', () => {
  test('the answer that is typed', async () => {
    const { terminal, stdin, err } = open(ALL_TERMINAL);
    const answer = terminal.ask('Name? ');
    stdin.write('data\r');
    expect(await answer).toBe('data');
    expect(err()).toContain('Name? ');
  });

  test('a hidden answer is never shown', async () => {
    const { terminal, stdin, err } = open(ALL_TERMINAL);
    const answer = terminal.ask('Key? ', { hidden: true });
    for (const character of 's3cr3t') stdin.write(character);
    stdin.write('\r');
    expect(await answer).toBe('s3cr3t');
    expect(err()).toBe('Key? \n');
  });

  test('Ctrl-C at a question stops the program', async () => {
    const { terminal, stdin } = open(ALL_TERMINAL);
    const answer = terminal.ask('Key? ', { hidden: true });
    stdin.write('\u0003');
    await expect(answer).rejects.toMatchObject({ code: 'interrupted', exitCode: 130 });
  });

  test.each([{ stdin: true }, { stderr: true }, {}])(
    'nobody can answer without a terminal on both ends: %j',
    async (setting) => {
      const { terminal, err } = open(setting);
      expect(terminal.interactive).toBe(false);
      expect(await terminal.ask('Name? ')).toBeUndefined();
      expect(err()).toBe('');
    },
  );
});
