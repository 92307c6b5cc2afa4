import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type FlipStore, makeFlipStores } from './flip-store.ts';
import { flipNumbered, type Trial, VERDICTS } from './flip-trial.ts';
import type { Task } from './flip-worker.ts';
import type { TableLine } from './kill-drive.ts';
import { Workplace } from './workplace.ts';

/**
 * `npm run faults -- --flips 10000`: bits of a store are flipped at random, each in a copy of its own, and a command is
 * typed over it. Each flip is to be noticed, in the words for damage, or to change nothing. A process that crashes or
 * hangs is a finding and is replaced.
 */

/** Of each of the larger lists: enough for trees of two levels. */
const ROWS = 150;

const HANGS_AFTER_MS = 60_000;
const PROGRESS_EVERY_MS = 10_000;

export interface FlipSettings {
  readonly flips: number;
  readonly seed: number;
  readonly lanes: number;
  /** The first number; to try a finding again, together with `flips: 1`. */
  readonly from: number;
}

type Ending = Trial['verdict'] | 'crash' | 'hang';

export interface FlipResult {
  readonly table: readonly TableLine[];
  readonly isKept: boolean;
}

export async function flipBits({ flips, seed, lanes, from }: FlipSettings): Promise<FlipResult> {
  await using place = await Workplace.open({ matchRate: 0.8 });
  const stores = await makeFlipStores(place, ROWS);
  const endings = new Map<string, number>();
  let next = from;
  let done = 0;
  const show = setInterval(() => console.error(`${done} of ${flips} flips`), PROGRESS_EVERY_MS);
  const lane = async (number: number): Promise<void> => {
    const task = { base: place.folder, folder: place.path(`lane-${number}`), stores, seed };
    let worker = await startWorker(task);
    while (next < from + flips) {
      const flip = next;
      next += 1;
      const { ending, said } = await tried(worker, flip);
      done += 1;
      const { store, deed, file, byte, bit } = flipNumbered(flip, seed, stores);
      for (const kind of ['all', `${store.name} ${file}`]) count(endings, `${kind}: ${ending}`);
      if (ending === 'harmless' || ending === 'detected') continue;
      console.error(
        `flip ${flip}: ${ending}, ${store.name} ${file} byte ${byte} bit ${bit}, ${deed.name}: ${said}`,
      );
      keep(store, flip);
      if (ending !== 'crash' && ending !== 'hang') continue;
      worker.kill('SIGKILL');
      worker = await startWorker(task);
    }
    worker.disconnect();
    await once(worker, 'exit');
  };
  try {
    await Promise.all(Array.from({ length: lanes }, (_, number) => lane(number)));
  } finally {
    clearInterval(show);
  }
  return { table: tableOf(endings), isKept: isKept(endings) };
}

async function startWorker(task: Task): Promise<ChildProcess> {
  rmSync(task.folder, { recursive: true, force: true });
  const worker = fork(join(import.meta.dirname, 'flip-worker.ts'), [JSON.stringify(task)]);
  await once(worker, 'message');
  return worker;
}

async function tried(worker: ChildProcess, flip: number): Promise<{ ending: Ending; said: string }> {
  const over = new AbortController();
  const { signal } = over;
  const answer = once(worker, 'message', { signal }).then(([trial]: Trial[]) => trial);
  const crash = once(worker, 'exit', { signal }).then(([code, why]) => `${code ?? why}`);
  const hang = delay(HANGS_AFTER_MS, undefined, { signal });
  worker.send(flip);
  try {
    const first = await Promise.race([answer, crash, hang]);
    if (first === undefined) return { ending: 'hang', said: '' };
    return typeof first === 'string'
      ? { ending: 'crash', said: first }
      : { ending: first.verdict, said: first.said };
  } finally {
    over.abort();
    await Promise.allSettled([answer, crash, hang]);
  }
}

/** The store as it was before the flip, for whoever looks into a finding. */
function keep({ folder, name }: FlipStore, flip: number): void {
  const kept = `${folder}-of-flip-${flip}`.replace(/^.*\//, join(process.cwd(), 'node_modules/.cache/'));
  cpSync(folder, kept, { recursive: true });
  console.error(`the ${name} store before the flip: ${kept}`);
}

function count(endings: Map<string, number>, name: string): void {
  endings.set(name, (endings.get(name) ?? 0) + 1);
}

const ENDINGS: readonly Ending[] = [...VERDICTS, 'crash', 'hang'];

function tableOf(endings: ReadonlyMap<string, number>): readonly TableLine[] {
  const kinds = [...new Set([...endings.keys()].map((name) => name.split(': ')[0] ?? ''))];
  return kinds.map((kind) => [
    kind,
    ENDINGS.map((ending) => [endings.get(`${kind}: ${ending}`) ?? 0, ending] as const)
      .filter(([times, ending]) => times > 0 || (kind === 'all' && ending !== 'crash'))
      .map(([times, ending]) => `${times} ${ending}`)
      .join(', '),
  ]);
}

function isKept(endings: ReadonlyMap<string, number>): boolean {
  return ENDINGS.every(
    (ending) => ending === 'harmless' || ending === 'detected' || !endings.has(`all: ${ending}`),
  );
}
