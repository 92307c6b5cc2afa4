/** A world that is played: a user's folder, the vendor that the accounts lead to, and the processes that are started in it. */
import fs from 'node:fs';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { Disk } from './disk.ts';
import type { Answer, Network, Question, Way } from './network.ts';
import { type Fault, Gone, type Mishap, running, SimulatedProcess } from './process.ts';
import { type Random, randomFrom, Schedule } from './schedule.ts';
import { Vendor } from './vendor.ts';
import { play, type World, wallMs } from './world.ts';

type CommandLine = typeof import('../../src/cli/main.ts').runCommandLine;

/** In memory, where the system has such a folder. */
const ROOT = join(fs.existsSync('/dev/shm') ? '/dev/shm' : '/tmp', `rowonce-simulate-${process.pid}`);
process.once('exit', () => fs.rmSync(ROOT, { recursive: true, force: true }));

export interface Ended {
  /** Undefined: it was killed. */
  readonly exitCode: number | undefined;
  readonly how: 'ended' | 'killed' | 'hung';
  readonly stdout: string;
  readonly stderr: string;
  readonly passages: number;
}

const ENVIRONMENT = { CI: 'true', DATA_KEY: 'data-key' };

const FIRST_DAY_MS = Date.UTC(2026, 10, 20, 2);

export class Stage implements World, Network {
  readonly folder = join(ROOT, 'home');
  readonly schedule: Schedule;
  readonly random: Random;
  readonly disk = new Disk();
  readonly vendor: Vendor;
  /** Every request that left a process, with its time. */
  readonly sent: string[] = [];
  startMs = FIRST_DAY_MS;
  readonly #chance: Random;
  readonly #processes = new Map<number, SimulatedProcess>();
  readonly #runCommandLine: CommandLine;
  crashes = 0;
  readonly #told: string[] = [];
  onCommit: (path: string) => void = () => {};

  constructor(seed: number, runCommandLine: CommandLine) {
    this.schedule = new Schedule(randomFrom(seed));
    this.random = randomFrom(seed + 1);
    this.#chance = randomFrom(seed + 2);
    this.vendor = new Vendor(seed);
    this.#runCommandLine = runCommandLine;
    fs.rmSync(ROOT, { recursive: true, force: true });
    fs.mkdirSync(join(this.folder, 'config'), { recursive: true, mode: 0o700 });
    const { folder: home } = this;
    Object.assign(process.env, ENVIRONMENT, {
      ...{ HOME: home, XDG_STATE_HOME: join(home, 'state') },
      ...{ ROWONCE_CONFIG: join(home, 'config'), ROWONCE_STORE: join(home, 'store') },
    });
    process.chdir(home);
    play(this);
  }

  /** Something happened; it is told of a world that fails. */
  tell(line: string): void {
    this.#told.push(`${new Date(wallMs(this)).toISOString()} ${line}`);
  }

  get network(): Network {
    return this;
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  write(name: string, content: string): void {
    fs.rmSync(this.path(name), { force: true });
    fs.writeFileSync(this.path(name), content, { mode: 0o600 });
  }

  committed(path: string): void {
    this.onCommit(path);
  }

  kill(pid: number, name: NodeJS.Signals | 0 = 'SIGTERM'): true {
    const process = this.#processes.get(pid);
    if (process === undefined || process.isGone)
      throw Object.assign(new Error('kill ESRCH'), { code: 'ESRCH' });
    if (name !== 0) process.signal(name);
    return true;
  }

  // ------------------------------------------------------------------------------------------------ the network

  way(): Way {
    const drawn = this.#chance();
    const cut = drawn < 0.02 ? 'going' : drawn < 0.04 ? 'answer' : drawn < 0.06 ? 'body' : undefined;
    const way = { outMs: 5 + this.#chance() * 100, backMs: 5 + this.#chance() * 300 };
    return cut === undefined ? way : { ...way, cut };
  }

  left({ path, body }: Question): void {
    this.sent.push(`${path} ${body} @${this.schedule.nowMs}`);
  }

  arrive(question: Question): Answer {
    return this.vendor.answer(question, wallMs(this));
  }

  // ------------------------------------------------------------------------------------------------ processes

  /** Plays one command to its end. */
  async command(words: readonly string[], faults: readonly Fault[] = []): Promise<Ended> {
    const pid = 1000 + this.#processes.size;
    const process = new SimulatedProcess(pid, faults, (struck, mishap) => this.#strike(struck, mishap));
    this.#processes.set(pid, process);
    const stdout = new Text(process);
    const stderr = new Text(process);
    const streams = { stdin: Readable.from([]), stdout, stderr, env: globalThis.process.env };
    let exitCode: number | undefined;
    let isOver = false;
    const start = async (): Promise<void> => {
      const ended = await this.#runCommandLine(words, streams);
      if (process.isGone) return;
      exitCode = ended;
      isOver = true;
    };
    running.run(process, start).catch(() => {});
    const hasEnded = await this.schedule.until(() => isOver || process.isGone);
    process.end();
    this.#processes.delete(pid);
    const how = isOver || process.exitCode !== undefined ? 'ended' : hasEnded ? 'killed' : 'hung';
    return {
      exitCode: exitCode ?? process.exitCode,
      how,
      stdout: stdout.text,
      stderr: stderr.text,
      passages: process.passages,
    };
  }

  #strike(struck: SimulatedProcess, mishap: Mishap): void {
    this.tell(`${mishap.kind} at passage ${struck.passages}`);
    if (mishap.kind === 'kill' || mishap.kind === 'power') this.crashes += 1;
    switch (mishap.kind) {
      case 'kill':
        struck.end();
        break;
      case 'power':
        for (const process of this.#processes.values()) process.end();
        this.disk.lose(this.#chance);
        break;
      case 'sleep':
        this.schedule.skip(mishap.ms);
        break;
      case 'clock':
        this.startMs += mishap.ms;
        break;
      case 'signal':
        struck.signal(mishap.name);
    }
  }

  /** @returns what happened. */
  close(): readonly string[] {
    play(undefined);
    return this.#told;
  }
}

const SOURCES = join(import.meta.dirname, '..', '..', 'src');

/** Loads all of the program before the first world, so that no world is played while a module is loaded. */
export async function loadProgram(): Promise<CommandLine> {
  const own = fs.globSync(
    '{cli,client,commands,core,files,job,ledger,lib,objects,operations,plan,run}/**/*.ts',
    {
      cwd: SOURCES,
    },
  );
  for (const path of own.sort()) await import(join(SOURCES, path));
  // Code of a process that is gone ends wherever it stands, which is nobody's concern.
  process.on('unhandledRejection', (error) => {
    if (!(error instanceof Gone)) throw error;
  });
  return (await import('../../src/cli/main.ts')).runCommandLine;
}

/** What a process writes to one of its streams. */
class Text extends Writable {
  readonly #process: SimulatedProcess;
  text = '';

  constructor(process: SimulatedProcess) {
    super();
    this.#process = process;
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    if (!this.#process.isGone) this.text += chunk.toString();
    done();
  }
}
