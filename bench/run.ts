/**
 * The speed and memory promises, measured again: `npm run bench [speed|peers|memory|page|statements|parts|walk|lines]`, which prints one table a
 * bench, with the machine. `npm run bench speed -- --help` has the promises of speed, `npm run bench peers -- --help` what else somebody
 * would use for a list, and `npm run bench statements` what a list asks of SQLite.
 * Nothing here is a test: a figure is read by a person, beside the other figures of one run.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { countLines } from './lines.ts';
import { measureMemory } from './memory.ts';
import { measurePage } from './page.ts';
import { judgingBesideParsing } from './parts.ts';
import { measurePeers } from './peers.ts';
import { measureSpeed } from './speed.ts';
import { measureStatements } from './statements.ts';
import { measureWalk } from './walk.ts';

const benches: Readonly<Record<string, (flags: readonly string[]) => Promise<readonly string[]>>> = {
  speed: measureSpeed,
  peers: measurePeers,
  memory: measureMemory,
  page: measurePage,
  statements: measureStatements,
  parts: async () => judgingBesideParsing(),
  walk: measureWalk,
  lines: async () => countLines(),
};

// What is known of the stores of a bench is nothing that whoever measures wants to keep.
const state = mkdtempSync(join(tmpdir(), 'rowonce-state-'));
process.env.XDG_STATE_HOME = state;
process.once('exit', () => rmSync(state, { recursive: true, force: true }));

const [name, ...flags] = process.argv.slice(2);
if (name !== undefined && !(name in benches)) {
  console.error(`There is no bench "${name}"; known are: ${Object.keys(benches).join(', ')}.`);
  process.exit(2);
}
const gib = (totalmem() / 1024 ** 3).toFixed(0);
console.log(`${cpus().length} × ${cpus()[0]?.model.trim()}, ${gib} GiB, Node ${process.versions.node}`);
for (const [each, measure] of Object.entries(benches)) {
  // Speed takes a day, and peers have to be installed, so that both are measured by their names alone.
  if (name === undefined ? each === 'speed' || each === 'peers' : name !== each) continue;
  console.log(`\n${each}`);
  for (const line of await measure(flags)) console.log(line);
}
