import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { inputOf, material } from './inputs.ts';
import { judged, openSheet } from './judge.ts';
import { Tally } from './tally.ts';

/**
 * `npm run fuzz -- --inputs 1000000 --seed 1`: scratched files for every reader. Each must be read whole and come back whole or be
 * refused with a reason, within a second. `--ending .xlsx` tries one reader, `--from N` begins with the N-th input of the seed, so
 * that several can run side by side, `--keep FOLDER` keeps the inputs that broke a promise. One that hangs is within the thousand
 * behind the last line. Exit code 1 when a promise was broken.
 */

/** Of a list of any length, enough to see what it is about. */
const LINES_SHOWN = 20;

const INPUTS_PER_LINE = 1_000;

/** A file system in memory where there is one: an input is some ten files that are written and read. */
const FOLDER = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

const { values } = parseArgs({
  options: {
    inputs: { type: 'string', default: '10000' },
    from: { type: 'string', default: '0' },
    seed: { type: 'string', default: '1' },
    ending: { type: 'string' },
    keep: { type: 'string' },
  },
});

await fuzz(wholeNumber('from', values.from), wholeNumber('inputs', values.inputs));

function wholeNumber(name: string, text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new Error(`--${name} ${text} is not a whole number.`);
}

async function fuzz(first: number, inputs: number): Promise<void> {
  const from = await material(values.ending);
  const folder = await mkdtemp(join(FOLDER, 'rowonce-fuzz-'));
  const tally = new Tally();
  const begun = performance.now();
  for (let n = first; n < first + inputs; n += 1) {
    const input = inputOf(from, values.seed, n);
    const before = process.cpuUsage();
    const verdict = await judged(input, folder, openSheet);
    const { user, system } = process.cpuUsage(before);
    tally.add(n, verdict, (user + system) / 1_000);
    if (verdict.kind === 'broken') console.error(`input ${n}: ${verdict.why}`);
    if (verdict.kind === 'broken' && values.keep !== undefined) {
      await mkdir(values.keep, { recursive: true });
      await writeFile(join(values.keep, `${n}-${input.name}`), input.bytes);
      await writeFile(join(values.keep, `${n}.json`), JSON.stringify(input.read));
    }
    if (tally.inputs % INPUTS_PER_LINE === 0)
      console.error(`${tally.inputs} of ${inputs} inputs, ${tally.broken.length} broke a promise`);
  }
  await rm(folder, { recursive: true });
  for (const line of table(tally, (performance.now() - begun) / 1000)) console.log(line);
  process.exitCode = tally.broken.length > 0 ? 1 : 0;
}

function table(tally: Tally, seconds: number): readonly string[] {
  const refused = [...tally.refused].sort(([, a], [, b]) => b - a);
  const line = (name: string, value: string | number): string => `${name.padEnd(39)} ${value}`;
  return [
    line('seed', values.seed),
    line('inputs', tally.inputs),
    line('read whole, copied and read again', tally.read),
    line('rows of these', tally.rows),
    line(
      'refused with a reason',
      refused.reduce((sum, [, count]) => sum + count, 0),
    ),
    ...refused.slice(0, LINES_SHOWN).map(([words, count]) => `  ${String(count).padStart(8)}  ${words}`),
    line('slowest, ms of the processor', `${tally.slowest.ms.toFixed(0)} (input ${tally.slowest.n})`),
    line('seconds', seconds.toFixed(0)),
    line('broke a promise', tally.broken.length),
  ];
}
