import { readdirSync, readFileSync } from 'node:fs';

/** Where the processor time of a process goes, thread by thread, as the kernel counts it. Times are microseconds. */
export interface Threads {
  /** Of the main thread: on a core, ready but without one, and waiting for the disk. */
  readonly main: { readonly onCore: number; readonly ready: number; readonly onDisk: number };
  /** On a core, by what the threads are for. */
  readonly others: ReadonlyMap<string, number>;
}

/** What ends between two looks is counted up to the first of them. */
const LOOK_MS = 20;

const OF_PROGRAM = 'threads that the program starts: csv-parse';

/** By the name that Node and V8 give to their threads. One that has no name yet has that of the thread that started it. */
const PURPOSES: Readonly<Record<string, string>> = {
  V8Worker: 'threads of V8: garbage, compiling',
  'libuv-worker': 'threads of libuv: files',
  'v8:ProfEvntProc': 'the profile itself',
  WorkerThread: OF_PROGRAM,
  MainThread: OF_PROGRAM,
};

interface Times {
  readonly purpose: string;
  readonly onCore: number;
  readonly ready: number;
}

/** Watches the threads of a process from `begin` until it has ended. */
export class ThreadWatch {
  readonly #threads = new Map<string, Times>();
  #pid = '';
  #timer: NodeJS.Timeout | undefined;
  #beganMs = 0;
  #lastMs = 0;
  #looks = 0;
  #looksOnDisk = 0;

  begin(pid: number): void {
    this.#pid = String(pid);
    this.#beganMs = performance.now();
    this.#timer = setInterval(() => this.#look(), LOOK_MS);
  }

  end(): Threads {
    clearInterval(this.#timer);
    const { onCore = 0, ready = 0 } = this.#threads.get(this.#pid) ?? {};
    const wall = (this.#lastMs - this.#beganMs) * 1000;
    const others = new Map<string, number>();
    for (const [thread, { purpose, onCore: own }] of this.#threads)
      if (thread !== this.#pid) others.set(purpose, (others.get(purpose) ?? 0) + own);
    const onDisk = this.#looks === 0 ? 0 : (this.#looksOnDisk / this.#looks) * wall;
    return { main: { onCore, ready, onDisk }, others };
  }

  #look(): void {
    const folder = `/proc/${this.#pid}`;
    try {
      const stat = readFileSync(`${folder}/stat`, 'utf8');
      const state = stat.charAt(stat.lastIndexOf(')') + 2);
      // The process has ended, and is counted no further.
      if (state === 'Z') return;
      for (const thread of readdirSync(`${folder}/task`))
        this.#threads.set(thread, timesOf(`${folder}/task/${thread}`));
      this.#looks += 1;
      // "Uninterruptible" is how the kernel waits for a disk, and for little else.
      if (state === 'D') this.#looksOnDisk += 1;
      this.#lastMs = performance.now();
    } catch {
      // A thread or the whole process has ended meanwhile.
    }
  }
}

function timesOf(folder: string): Times {
  const name = readFileSync(`${folder}/comm`, 'utf8').trim();
  const [onCore = 0, ready = 0] = readFileSync(`${folder}/schedstat`, 'utf8').split(' ').map(Number);
  return { purpose: PURPOSES[name] ?? `threads called ${name}`, onCore: onCore / 1000, ready: ready / 1000 };
}
