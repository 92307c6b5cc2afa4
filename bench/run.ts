/**
 * The speed and memory promises, measured again: `npm run bench [files|known|learning|memory|plan|rate|resume|speed|statements …]`.
 * Prints one table a bench, with the machine. Nothing here is a test: a figure is read by a person, beside the other figures of one run.
 * `npm run bench speed` takes flags, each with a default: `-- --only MEASURE --rows N --runs N --quick --json FILE`.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { measureFiles } from './files.ts';
import { measureKnown } from './known.ts';
import { measureLearning } from './learning.ts';
import { measureMemory } from './memory.ts';
import { measurePlan } from './plan.ts';
import { measureRate } from './rate.ts';
import { measureResume } from './resume.ts';
import { measureSpeed } from './speed.ts';
import { measureStatements } from './statements.ts';

const { values, positionals: wanted } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string' },
    rows: { type: 'string' },
    runs: { type: 'string', default: '5' },
    quick: { type: 'boolean', default: false },
    json: { type: 'string', default: join(tmpdir(), 'rowonce-speed.json') },
  },
});

const speed = (): Promise<readonly string[]> => {
  const { only, rows, runs, quick, json } = values;
  return measureSpeed({
    only,
    rows: rows === undefined ? undefined : Number(rows),
    runs: Number(runs),
    quick,
    json,
  });
};

const benches: Readonly<Record<string, () => Promise<readonly string[]>>> = {
  files: measureFiles,
  known: measureKnown,
  learning: measureLearning,
  memory: measureMemory,
  plan: measurePlan,
  rate: measureRate,
  resume: measureResume,
  speed,
  statements: measureStatements,
};

// What is known of the stores of a bench is nothing that whoever measures wants to keep.
const state = mkdtempSync(join(tmpdir(), 'rowonce-state-'));
process.env.XDG_STATE_HOME = state;
process.once('exit', () => rmSync(state, { recursive: true, force: true }));

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
