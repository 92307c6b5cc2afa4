import { closeSync, fdatasyncSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { cpus, loadavg, totalmem } from 'node:os';
import { join } from 'node:path';
import { canPin, median } from './cost.ts';

/** What figures depend on beside the program. */
export interface Machine {
  readonly cores: number;
  readonly processor: string;
  readonly memoryGiB: number;
  readonly platform: string;
  /** Work that others gave the machine as the measuring began: processes that ran or waited, on average over a minute. */
  readonly load: number;
  readonly versions: Readonly<Record<string, string>>;
  readonly fdatasyncMs: number;
  readonly canPin: boolean;
}

const LIBRARIES = ['better-sqlite3', 'undici', 'csv-parse', 'csv-stringify', 'p-queue'];

/** @param folder where stores will be: what is measured is its disk. */
export function describeMachine(folder: string): Machine {
  const versions: Record<string, string> = { node: process.versions.node };
  for (const name of LIBRARIES) versions[name] = versionOf(name);
  return {
    cores: cpus().length,
    processor: cpus()[0]?.model.trim() ?? 'unknown',
    memoryGiB: Math.round(totalmem() / 1024 ** 3),
    platform: process.platform,
    load: Number(loadavg()[0]?.toFixed(1)),
    versions,
    fdatasyncMs: Number(fdatasyncMs(folder).toFixed(3)),
    canPin,
  };
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
  const { cores, processor, memoryGiB, versions, fdatasyncMs, load } = machine;
  const libraries = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  const pinning = machine.canPin
    ? 'vendor and contestants share all cores, but where they are pinned: there the vendor has one and the contestant another'
    : 'nothing is pinned, because there is no taskset';
  return [
    `${cores} × ${processor}, ${memoryGiB} GiB, ${machine.platform}; load ${load} before it began`,
    libraries.join(', '),
    `fdatasync ${fdatasyncMs.toFixed(2)} ms in the folder of the stores; ${pinning}`,
  ].join('\n');
}
