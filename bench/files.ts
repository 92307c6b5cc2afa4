import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { abn, finish, inFolder, PROGRAM } from './program.ts';

/**
 * Memory must not grow with the file, however it is encoded: the peak of describing it and of copying it, at
 * ten million rows against that at a hundred thousand. Nothing is sent, so what grows is the reading or the writing.
 */

const ROWS = [100_000, 10_000_000];

const COPY = join(import.meta.dirname, 'copy-file.ts');

/** What costs the least and what costs the most to read. */
const KINDS = [
  { name: 'UTF-8', file: 'plain.csv', delimiter: ',', encoding: 'utf8' },
  { name: 'Windows-1252', file: 'windows.csv', delimiter: ';', encoding: 'latin1' },
] as const;

type Kind = (typeof KINDS)[number];

export function measureFiles(): Promise<readonly string[]> {
  return inFolder(async (folder) => {
    const lines: string[] = [];
    for (const kind of KINDS) {
      const list = join(folder, kind.file);
      const peaks: { plan: number; copy: number }[] = [];
      for (const rows of ROWS) {
        await writeTable(list, rows, kind);
        const plan = await measured([PROGRAM, 'plan', list]);
        const copy = await measured([COPY, list, `${list}.copy`]);
        peaks.push({ plan: plan.peakMiB, copy: copy.peakMiB });
        lines.push(`${kind.name}, ${rows} rows: plan FILE ${words(plan)}; copy ${words(copy)}`);
      }
      const ratio = (step: 'plan' | 'copy'): string =>
        ((peaks[1]?.[step] ?? 0) / (peaks[0]?.[step] ?? 1)).toFixed(2);
      lines.push(`${kind.name}: peak ratio ${ratio('plan')} and ${ratio('copy')} (goal: at most 1.2)`);
    }
    return lines;
  });
}

type Measured = Awaited<ReturnType<typeof finish>>;

async function measured(words: readonly string[]): Promise<Measured> {
  const run = await finish(spawn(process.execPath, words, { stdio: ['ignore', 'ignore', 'inherit'] }));
  if (run.exitCode !== 0) throw new Error(`${words.join(' ')} ended with ${run.exitCode}`);
  return run;
}

const words = ({ peakMiB, seconds }: Measured): string =>
  `${peakMiB.toFixed(0)} MiB, ${seconds.toFixed(1)} s`;

async function writeTable(path: string, rows: number, { delimiter, encoding }: Kind): Promise<void> {
  const into = createWriteStream(path);
  const lineOf = (cells: readonly string[]): Buffer => Buffer.from(`${cells.join(delimiter)}\n`, encoding);
  into.write(lineOf(['ABN', 'Name', 'Street', 'Town']));
  for (let row = 0; row < rows; row += 1) {
    const line = lineOf([
      abn(row),
      `Café ${row} Pty Ltd`,
      `"${row % 900} High Street, Level ${row % 30}"`,
      'Sydney',
    ]);
    if (!into.write(line)) await once(into, 'drain');
  }
  into.end();
  await finished(into);
}
