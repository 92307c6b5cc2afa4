/**
 * The terminal transcripts of a page: its ```console blocks, in which a line that begins with "$ " is a command and
 * what follows is what it prints. The pages are one session: their commands run in order, in one folder.
 */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';

const CHECKOUT = join(import.meta.dirname, '..', '..');

/** How a page calls the folder in which the reader has the checkout. */
const SHOWN_HOME = '/home/you';

/** How a checkout calls the program. The pages show what an installed one prints, and say once how a checkout says it. */
const IN_CHECKOUT = /npx rowonce/g;

/** The embedded vendors as they are by themselves; `npm start` has others, so that a reader can watch. */
const SANDBOX = '--rate 100/s --latency 20ms';

/** What differs from run to run, and the word that stands for it while two texts are compared. */
const VOLATILE: readonly (readonly [RegExp, string])[] = [
  [/\b\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d\.\d{3}Z)?/g, 'TIME'],
  [/\b(?=\d*[a-f])[0-9a-f]{8}\b|\b\d{8}\b/g, 'BATCH'],
  [/\b\d+ (?:ms|s|min)\b(?: \d+ s\b)?/g, 'DURATION'],
  [/"id":"[\da-f-]+"/g, '"id":"ID"'],
  [/^( {2}id {13})[\da-f-]+$/gm, '$1ID'],
  [/"seconds":[\d.]+/g, '"seconds":SECONDS'],
  // Whether a request was still on its way when a run stopped.
  [/^Stopping: .*\n/gm, ''],
  // What the rest costs, and asks, depends on which rows a budget reached.
  [/-o capped\.csv --budget \d+$/gm, '-o capped.csv --budget CREDITS'],
  // Whether a random row of a sample has a cell to correct.
  [/^Attention .*sampled\.needs-attention\.csv\n/gm, ''],
  // A busy machine is asked to slow down, and asks again.
  [/^(Requests +)\d+ in/gm, '$1REQUESTS in'],
  // How far a run had got when it was killed, and after ten seconds, which a busy machine may take.
  [/^(?:\d+ % · .*rows|Preparing: ).*\n/gm, ''],
  [/continues: \d+ of/g, 'continues: ROWS of'],
];

export interface Exchange {
  readonly command: string;
  readonly printed: string;
}

const BLOCK = /^```console\n(?<body>[\s\S]*?)^```$/gm;

export function exchangesOf(page: string): readonly Exchange[] {
  return [...page.matchAll(BLOCK)].flatMap(({ groups }) => exchangesIn(groups?.body ?? ''));
}

function exchangesIn(block: string): readonly Exchange[] {
  const [, ...parts] = `\n${block}`.split(/^\$ /m);
  return parts.map((part) => {
    const [command = '', ...printed] = part.split('\n');
    return { command, printed: printed.join('\n').trimEnd() };
  });
}

/** The text with everything volatile masked. */
export function masked(text: string): string {
  return VOLATILE.reduce((left, [pattern, word]) => left.replaceAll(pattern, word), text);
}

export interface Checkout {
  readonly folder: string;
  /** Runs a command there and gives what it prints. */
  type(command: string): string;
  close(): void;
}

/** A reader's checkout, which is there until it is closed. */
export function openCheckout(): Checkout {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'rowonce-docs-')));
  const folder = checkoutIn(home);
  return {
    folder,
    type: (command) =>
      typed(command, home, folder).replaceAll(home, SHOWN_HOME).replaceAll(IN_CHECKOUT, 'rowonce').trimEnd(),
    close: () => rmSync(home, { recursive: true }),
  };
}

/** Works in a reader's checkout, which is gone afterwards. */
export function inCheckout<T>(work: (type: Checkout['type'], folder: string) => T): T {
  const checkout = openCheckout();
  try {
    return work(checkout.type, checkout.folder);
  } finally {
    checkout.close();
  }
}

/** Named one by one, because a developer's own outputs lie beside them. */
const FIXTURES = [
  ...['leads.csv', 'people.csv', 'contacts-to-fill.csv', 'accounts-to-find.csv', 'team.csv', 'leavers.csv'],
  'npm-start.env',
];

/** A copy of what a reader works with; the program itself is the one of this checkout. */
function checkoutIn(home: string): string {
  const folder = join(home, 'rowonce');
  mkdirSync(folder, { recursive: true });
  cpSync(join(CHECKOUT, 'jobs'), join(folder, 'jobs'), { recursive: true });
  mkdirSync(join(folder, 'fixtures'));
  for (const file of FIXTURES) {
    copyFileSync(join(CHECKOUT, 'fixtures', file), join(folder, 'fixtures', file));
  }
  copyFileSync(join(CHECKOUT, 'package.json'), join(folder, 'package.json'));
  for (const path of ['src', 'node_modules']) symlinkSync(join(CHECKOUT, path), join(folder, path));
  writeProgram(home);
  return folder;
}

/** `rowonce` on the path, as where the package is installed. */
function writeProgram(home: string): void {
  const path = join(home, 'bin', 'rowonce');
  mkdirSync(dirname(path));
  // What a shell says of a program that was killed is not for the page, as the real one says nothing.
  const lines = ['exec 3>&2 2>/dev/null', `(exec '${process.execPath}' src/bin.js "$@" 2>&3)`, 'exit $?'];
  writeFileSync(path, `#!/bin/sh\n${lines.join('\n')}\n`);
  chmodSync(path, 0o755);
}

/** Both streams into one file, in the order in which they were written, as a terminal shows them. */
function typed(command: string, home: string, folder: string): string {
  const path = join(home, 'printed');
  const file = openSync(path, 'w');
  const search = [join(home, 'bin'), dirname(process.execPath), process.env.PATH ?? ''];
  spawnSync('sh', ['-c', command], {
    cwd: folder,
    stdio: ['ignore', file, file],
    env: {
      PATH: search.join(delimiter),
      HOME: home,
      ...(command === 'npm start' ? {} : { ROWONCE_SANDBOX: SANDBOX }),
      // Each reader has a home of their own, in which nothing is compiled yet.
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      npm_config_loglevel: 'error',
      npm_config_update_notifier: 'false',
    },
  });
  closeSync(file);
  return readFileSync(path, 'utf8');
}

/** The page with what its commands really print. Lines that differ in nothing but volatile parts stay as they are. */
export function corrected(page: string, exchanges: readonly Exchange[]): string {
  const left = [...exchanges];
  return page.replaceAll(BLOCK, (_, body: string) => {
    const blocks = exchangesIn(body).map((old) => {
      const { command = '', printed = '' } = left.shift() ?? {};
      const lines = old.printed.split('\n');
      const kept = printed.split('\n').map((line, at) => {
        const before = lines[at] ?? '';
        return masked(before) === masked(line) ? before : line;
      });
      return `$ ${command}\n${kept.join('\n')}`.trimEnd();
    });
    return `\`\`\`console\n${blocks.join('\n')}\n\`\`\``;
  });
}
