/**
 * Goal: in bash, zsh, fish and PowerShell the Tab key offers what may be typed: commands, options, operations, job files, accounts
 * and batches; and names of files where only those may follow.
 * Method: real shells that load the printed script and complete as they do for the key, with `rowonce` on the path;
 * shells that the machine does not have are skipped. What is offered in detail is asked as those scripts ask.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { proof } from '../combinations.ts';
import { PROGRAM, rowonce } from './rowonce.ts';
import { typed } from './typed.ts';

const folder = mkdtempSync(join(tmpdir(), 'rowonce-completion-'));
afterAll(() => rmSync(folder, { recursive: true }));

const env = {
  // The Node that runs the tests first, then what is found as `rowonce`.
  PATH: [dirname(process.execPath), join(folder, 'bin'), process.env.PATH].join(delimiter),
  HOME: folder,
  ROWONCE_CONFIG: join(folder, 'config'),
  ROWONCE_STORE: join(folder, 'store'),
  ROWONCE_SANDBOX: '--rate 2000/s',
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? '',
};

const OPERATIONS = readdirSync(join(PROGRAM, '..', 'operations'))
  .filter((file) => file.endsWith('.ts'))
  .map((file) => file.slice(0, -3));

const LEADS = join(folder, 'lists', 'leads.csv');

let batch: string;

/** A folder as a user has one: accounts, jobs, files, and a batch in the store. */
beforeAll(async () => {
  for (const each of ['bin', 'config', 'jobs', 'lists']) mkdirSync(join(folder, each));
  symlinkSync(PROGRAM, join(folder, 'bin', 'rowonce'));
  writeFileSync(join(folder, 'jobs', 'team.yaml'), 'operation: onboard\n');
  writeFileSync(join(folder, 'saved.yml'), 'operation: onboard\n');
  writeFileSync(join(folder, 'lists', 'leads.csv'), 'ABN\n51824753556\n');
  const account = 'vendor: provider\n    base_url: http://127.0.0.1:9\n    key: k';
  writeFileSync(join(folder, 'config', 'accounts.yaml'), `accounts:\n  acme-data:\n    ${account}\n`, {
    mode: 0o600,
  });
  const words = ['run', 'enrich-company', 'lists/leads.csv', '--account', 'sandbox-provider', '--json'];
  const { stdout } = await rowonce(words, { env, cwd: folder });
  batch = JSON.parse(stdout).batch;
  for (const shell of ['bash', 'zsh', 'fish', 'powershell']) {
    const file = shell === 'powershell' ? 'script.powershell.ps1' : `script.${shell}`;
    writeFileSync(join(folder, file), (await rowonce(['completion', shell])).stdout);
  }
});

/** What the words that are typed so far are completed to; the last one is being typed. */
type Complete = (...words: readonly string[]) => readonly string[];

function runs(shell: string): boolean {
  return spawnSync(shell, ['-c', 'exit 0']).status === 0;
}

function printedBy(shell: string, args: readonly string[]): readonly string[] {
  const stdout = execFileSync(shell, args, { env, cwd: folder, encoding: 'utf8' });
  return stdout
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .sort();
}

/** As the Tab key does: the function that is registered for the command fills COMPREPLY, else files are completed. */
const inBash: Complete = (...words) =>
  printedBy('bash', [
    '--norc',
    '-c',
    `source script.bash
     complete -p rowonce | grep -q -- '-o default' || exit 1
     COMP_WORDS=(rowonce "$@"); COMP_CWORD=$#
     "$(complete -p rowonce | sed 's/.*-F \\([^ ]*\\) .*/\\1/')" rowonce
     if ((\${#COMPREPLY[@]})); then printf '%s\\n' "\${COMPREPLY[@]}"; else compgen -f -- "\${COMP_WORDS[COMP_CWORD]}" || true; fi`,
    'bash',
    ...words,
  ]);

/** zsh completes only in its line editor, so what it would hand to that is printed instead. */
const inZsh: Complete = (...words) =>
  printedBy('zsh', [
    '-f',
    '-c',
    `compdef() { registered=$1 }
     compadd() { shift; print -l -- \${(M)@:#\${words[CURRENT]}*} }
     _files() { print -l -- \${words[CURRENT]}*(N) }
     source ./script.zsh
     words=(rowonce "$@"); CURRENT=$#words
     $registered`,
    'zsh',
    ...words,
  ]);

const inFish: Complete = (...words) =>
  printedBy('fish', [
    '--no-config',
    '-c',
    `source script.fish; complete -C '${['rowonce', ...words].join(' ')}'`,
  ]);

/** PowerShell is asked for what its own editor would ask for. */
const inPowerShell: Complete = (...words) => {
  const line = ['rowonce', ...words].join(' ');
  const asks = `(TabExpansion2 '${line}' ${line.length}).CompletionMatches.CompletionText -replace '^\\.[\\\\/]', ''`;
  return printedBy('pwsh', ['-NoProfile', '-Command', `. ./script.powershell.ps1; ${asks}`]);
};

const SHELLS: readonly (readonly [string, Complete])[] = [
  ['bash', inBash],
  ['zsh', inZsh],
  ['fish', inFish],
  ['pwsh', inPowerShell],
];

describe.each(SHELLS)('in %s (skipped where it is not installed) the key offers', (shell, complete) => {
  const offered = test.skipIf(!runs(shell));

  offered('an operation or a job file', () => {
    expect(complete('run', '')).toEqual([...OPERATIONS, 'jobs/team.yaml', 'saved.yml'].sort());
  });

  offered('an option, where the command has such a one', () => {
    expect(complete('run', 'enrich-company', 'leads.csv', '--bu')).toEqual(['--budget']);
  });

  offered('an account', () => {
    expect(complete('run', 'enrich-company', '--account', 'ac')).toEqual(['acme-data']);
  });

  offered('a file, where one is wanted', () => {
    expect(complete('run', 'enrich-company', '--budget', '5', 'lists/leads.c')).toEqual(['lists/leads.csv']);
  });
});

describe('the words that may follow', () => {
  const offered = async (...words: readonly string[]): Promise<readonly string[]> => {
    const { code, stdout, stderr } = await typed(['completion', 'bash', '--', ...words]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return stdout.split('\n').filter((line) => line !== '');
  };

  beforeAll(() => {
    vi.stubEnv('ROWONCE_CONFIG', env.ROWONCE_CONFIG);
    vi.stubEnv('ROWONCE_STORE', env.ROWONCE_STORE);
  });
  afterAll(() => vi.unstubAllEnvs());

  test.each([
    ['a command', ['se'], ['serve', 'settle']],
    ['an option before any command', ['--qu'], ['--quiet']],
    ['a command within a command', ['accounts', 'te'], ['test']],
    ['nothing after a command that does not exist', ['acounts', ''], []],
    ['one of several operations', ['plan', 'enrich-'], ['enrich-company', 'enrich-person']],
    ['no option of another command', ['undo', 'last', '--bu'], []],
    ['an option of all commands', ['undo', 'last', '--js'], ['--json']],
    ['an account to be tested', ['accounts', 'test', 'acme'], ['acme-data']],
    ['a word of a list that an option takes', ['sandbox', '--rate-kind', 'b'], ['bucket']],
    ['a word of a list that a file is read by', ['run', '--encoding', 'utf-16'], ['utf-16le', 'utf-16be']],
    ['a word of a list that an argument takes', ['completion', 'b'], ['bash']],
    ['what follows an option with its value', ['--store', 'x', 'accounts', 're'], ['remove']],
    ['an input of the operation', ['run', 'enrich-company', 'lists/leads.csv', '--column', 'ab'], ['abn=']],
    ['a column of the file', ['run', 'enrich-company', LEADS, '--column', 'abn', '=', 'A'], ['ABN']],
    [
      'a field of answers so far',
      ['run', 'enrich-company', LEADS, '--account', 'sandbox-provider', '--add', 'town', '=', 'location.ci'],
      ['location.city'],
    ],
    ['the next of a waterfall', ['plan', 'enrich-company', LEADS, '--waterfall', 'abn,dom'], ['abn,domain']],
    ['a role', ['plan', 'onboard', LEADS, '--role', 'Read only', '=', 'v'], ['viewer']],
    [
      'no column of a file that is not there',
      ['run', 'enrich-company', 'x.csv', '--column', 'abn', '=', ''],
      [],
    ],
    ['nothing for a value that is the user’s own', ['run', '--budget', ''], []],
    ['nothing after the last argument', ['cancel', 'last', ''], []],
  ])('%s', async (_what, words, expected) => {
    expect(await offered(...words)).toEqual(expected);
  });

  test('are those of PowerShell too, whose script marks the word that is being typed', async () => {
    const asked = async (...words: readonly string[]): Promise<readonly string[]> =>
      (await typed(['completion', 'powershell', '--', ...words])).stdout.trim().split('\n');
    expect(await asked('=se')).toEqual(['serve', 'settle']);
    expect(await asked('status', '=')).toEqual(['last', batch]);
    expect(await asked('run', 'enrich-company', LEADS, '--column', '=abn=A')).toEqual(['abn=ABN']);
    expect(await asked('plan', 'enrich-company', LEADS, '--waterfall', '=abn,dom')).toEqual(['abn,domain']);
  });

  proof('a batch of the store, and of the store that is named', async () => {
    expect(await offered('status', '')).toEqual(['last', batch]);
    expect(await offered('settle', batch.slice(0, 3))).toEqual([batch]);
    vi.stubEnv('ROWONCE_STORE', join(folder, 'nothing'));
    expect(await offered('status', '')).toEqual([]);
    expect(await offered('undo', '--store', env.ROWONCE_STORE, '')).toEqual(['last', batch]);
  });

  test('are none and no complaint where the accounts cannot be read', async () => {
    vi.stubEnv('ROWONCE_CONFIG', '/dev/null');
    expect(await offered('accounts', 'test', '')).toEqual(['sandbox-provider', 'sandbox-service']);
    const broken = mkdtempSync(join(folder, 'broken-'));
    writeFileSync(join(broken, 'accounts.yaml'), 'acounts: {}\n', { mode: 0o600 });
    vi.stubEnv('ROWONCE_CONFIG', broken);
    expect(await offered('accounts', 'test', '')).toEqual([]);
  });
});
