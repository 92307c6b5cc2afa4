/**
 * The speed and memory promises, measured again: `npm run bench [files|known|learning|memory|plan|rate|resume …]`. Prints one table a
 * bench, with the machine. Nothing here is a test: a figure is read by a person, beside the other figures of one run.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { measureFiles } from './files.ts';
import { measureKnown } from './known.ts';
import { measureLearning } from './learning.ts';
import { measureMemory } from './memory.ts';
import { measurePlan } from './plan.ts';
import { measureRate } from './rate.ts';
import { measureResume } from './resume.ts';

const benches: Readonly<Record<string, () => Promise<readonly string[]>>> = {
  files: measureFiles,
  known: measureKnown,
  learning: measureLearning,
  memory: measureMemory,
  plan: measurePlan,
  rate: measureRate,
  resume: measureResume,
};

// What is known of the stores of a bench is nothing that whoever measures wants to keep.
const state = mkdtempSync(join(tmpdir(), 'rowonce-state-'));
process.env.XDG_STATE_HOME = state;
process.once('exit', () => rmSync(state, { recursive: true, force: true }));

const wanted = process.argv.slice(2);
const chosen = wanted.length === 0 ? Object.keys(benches) : wanted;
const gib = (totalmem() / 1024 ** 3).toFixed(0);
console.log(`${cpus().length} × ${cpus()[0]?.model.trim()}, ${gib} GiB, Node ${process.versions.node}`);
for (const name of chosen) {
  const bench = benches[name];
  if (bench === undefined) {
    console.error(`There is no bench "${name}"; known are: ${Object.keys(benches).join(', ')}.`);
    process.exit(2);
  }
  console.log(`\n${name}`);
  for (const line of await bench()) console.log(line);
}
