/**
 * The speed and memory promises, measured again: `npm run bench [files|page|rate|statements …]`, which prints one table a bench,
 * with the machine. `npm run bench speed -- --help` has the promises of speed, and `npm run bench statements` what a list asks of SQLite.
 * Nothing here is a test: a figure is read by a person, beside the other figures of one run.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { measureFiles } from './files.ts';
import { measurePage } from './page.ts';
import { measureRate } from './rate.ts';
import { measureSpeed } from './speed.ts';
import { measureStatements } from './statements.ts';

const benches: Readonly<Record<string, () => Promise<readonly string[]>>> = {
  files: measureFiles,
  page: measurePage,
  rate: measureRate,
  statements: measureStatements,
};

// What is known of the stores of a bench is nothing that whoever measures wants to keep.
const state = mkdtempSync(join(tmpdir(), 'rowonce-state-'));
process.env.XDG_STATE_HOME = state;
process.once('exit', () => rmSync(state, { recursive: true, force: true }));

const [first, ...flags] = process.argv.slice(2);
if (first === 'speed') print(await measureSpeed(flags));
else await measureNamed(process.argv.slice(2));

function print(lines: readonly string[]): void {
  for (const line of lines) console.log(line);
}

async function measureNamed(names: readonly string[]): Promise<void> {
  const unknown = names.find((name) => !(name in benches));
  if (unknown !== undefined) {
    console.error(`There is no bench "${unknown}"; known are: speed, ${Object.keys(benches).join(', ')}.`);
    process.exit(2);
  }
  const gib = (totalmem() / 1024 ** 3).toFixed(0);
  console.log(`${cpus().length} × ${cpus()[0]?.model.trim()}, ${gib} GiB, Node ${process.versions.node}`);
  for (const [name, measure] of Object.entries(benches)) {
    if (names.length > 0 && !names.includes(name)) continue;
    console.log(`\n${name}`);
    print(await measure());
  }
}
