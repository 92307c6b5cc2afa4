import { closeSync, fdatasyncSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { cpus, loadavg, totalmem } from 'node:os';
import { join } from 'node:path';
import { median } from './cost.ts';

/** What figures depend on beside the program. */
export interface Machine {
  readonly cores: number;
  readonly processor: string;
  readonly memoryGiB: number;
  readonly platform: string;
  readonly versions: Readonly<Record<string, string>>;
}

/** How busy others keep the machine. Where it is much, or a commit waits long, only ratios of processor time say something. */
export interface Business {
  /** Processes that ran or waited, on average over the last minute. */
  readonly load: number;
  /** How long the disk takes to keep a page. */
  readonly fdatasyncMs: number;
}

const LIBRARIES = ['better-sqlite3', 'undici', 'csv-parse', 'csv-stringify', 'p-queue'];

export function describeMachine(): Machine {
  const versions: Record<string, string> = { node: process.versions.node };
  for (const name of LIBRARIES) versions[name] = versionOf(name);
  return {
    cores: cpus().length,
    processor: cpus()[0]?.model.trim() ?? 'unknown',
    memoryGiB: Math.round(totalmem() / 1024 ** 3),
    platform: process.platform,
    versions,
  };
}

/** @param folder where the stores are: what is measured is its disk. */
export function businessOf(folder: string): Business {
  return { load: Number(loadavg()[0]?.toFixed(1)), fdatasyncMs: Number(fdatasyncMs(folder).toFixed(3)) };
}

/** How long the cores had nothing to do, all of them together, since the machine started. */
export function idleSeconds(): number {
  return cpus().reduce((total, { times }) => total + times.idle / 1000, 0);
}

/** Some libraries do not let their manifest be imported, so it is read beside what is. */
function versionOf(name: string): string {
  const found = createRequire(import.meta.url)
    .resolve.paths(name)
    ?.flatMap((folder) => {
      try {
        const { version } = JSON.parse(readFileSync(join(folder, name, 'package.json'), 'utf8'));
        return [String(version)];
      } catch {
        return [];
      }
    });
  return found?.[0] ?? 'absent';
}

const SYNCS = 200;

/** How long the disk takes to keep a page that is appended, as a commit has it. */
function fdatasyncMs(folder: string): number {
  const path = join(folder, 'fdatasync');
  const file = openSync(path, 'w');
  const page = Buffer.alloc(4096, 1);
  const times: number[] = [];
  for (let sync = 0; sync < SYNCS; sync += 1) {
    writeSync(file, page);
    const started = performance.now();
    fdatasyncSync(file);
    times.push(performance.now() - started);
  }
  closeSync(file);
  rmSync(path);
  return median(times);
}

export function machineWords(machine: Machine): string {
  const { cores, processor, memoryGiB, versions } = machine;
  const libraries = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  return `${cores} × ${processor}, ${memoryGiB} GiB, ${machine.platform}; ${libraries.join(', ')}`;
}

export function businessWords({ load, fdatasyncMs }: Business): string {
  return `load ${load}, fdatasync ${fdatasyncMs.toFixed(2)} ms`;
}
