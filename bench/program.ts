import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Runs the real program for a measurement, before a vendor of its own, in a folder of its own. */

export const PROGRAM = join(import.meta.dirname, '../src/bin.js');

/** Requests that every contestant has under way side by side. */
export const AT_ONCE = 64;

export async function inFolder<T>(measure: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'rowonce-bench-'));
  try {
    return await measure(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A number that passes the checksum: the two leading digits are what makes the weighted sum divide by 89. */
export function abn(serial: number): string {
  const rest = String(100_000_000 + serial);
  const weights = [1, 3, 5, 7, 9, 11, 13, 15, 17, 19].slice(1);
  const sum = [...rest].reduce((total, digit, at) => total + Number(digit) * (weights[at] ?? 0), 0);
  for (let lead = 10; lead <= 99; lead += 1) {
    const first = Math.floor(lead / 10) - 1;
    if ((first * 10 + (lead % 10) * 1 + sum) % 89 === 0) return `${lead}${rest}`;
  }
  return abn(serial + 500_000_000);
}

export interface Vendor {
  readonly url: string;
  stop(): void;
}

/** Starts a program that prints where it listens, and ends when its standard input does. */
export async function startServer([program = '', ...words]: readonly string[]): Promise<Vendor> {
  const child = spawn(program, words, { stdio: ['pipe', 'pipe', 'inherit'] });
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      const found = /listening on (\S+)/.exec(text)?.[1];
      if (found !== undefined) resolve(found);
    });
    child.once('exit', () => reject(new Error('the vendor ended before it listened')));
  });
  return { url, stop: () => child.kill() };
}

/** Connects an account `data` to that vendor, for runs in this folder. */
export async function connect(
  folder: string,
  url: string,
  concurrency: number,
  // More than any machine sends: without a limit the run would begin slowly, to find out what the vendor allows.
  per_second = 100_000,
): Promise<NodeJS.ProcessEnv> {
  const limits = { concurrency, per_second };
  const account = { vendor: 'provider', id: 'bench', base_url: url, key: 'bench', limits };
  await writeFile(join(folder, 'accounts.yaml'), JSON.stringify({ accounts: { data: account } }), {
    mode: 0o600,
  });
  return { ...process.env, ROWONCE_CONFIG: folder, ROWONCE_STORE: join(folder, 'store') };
}

export interface Run {
  readonly seconds: number;
  /** The largest resident set that the kernel saw, MiB. */
  readonly peakMiB: number;
  readonly exitCode: number | null;
}

/** The peak is the kernel's own figure, read while the process still exists. */
export async function finish(child: ChildProcess): Promise<Run> {
  const started = performance.now();
  let peakMiB = 0;
  const watch = setInterval(async () => {
    peakMiB = Math.max(peakMiB, await peakOf(child.pid));
  }, 100);
  const exitCode = await new Promise<number | null>((resolve) => child.once('exit', resolve));
  clearInterval(watch);
  return { seconds: (performance.now() - started) / 1000, peakMiB, exitCode };
}

async function peakOf(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1024;
}
