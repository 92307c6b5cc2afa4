/** A world that is played: a user's folder, the vendor that the accounts lead to, and the processes that are started in it. */
import fs from 'node:fs';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import type Database from 'better-sqlite3';
import { closeIdle } from './databases.ts';
import { Disk } from './disk.ts';
import {
  type Answer,
  type Asked,
  calm,
  type Network,
  type Question,
  type Way,
  Ways,
  type Weather,
} from './network.ts';
import { type Fault, type Mishap, running, SimulatedProcess } from './process.ts';
import { type Halt, type Random, randomFrom, Schedule } from './schedule.ts';
import { type Charge, Vendor } from './vendor.ts';
import { play, type World } from './world.ts';

type CommandLine = typeof import('../../src/cli/main.ts').runCommandLine;
type Streams = Parameters<CommandLine>[1];
/** @returns its exit code. */
type Work = (streams: Streams) => Promise<number>;

/** In memory, where the system has such a folder. Its name is always as long, because what is written of it is. */
export const ROOT = fs.mkdtempSync(
  join(fs.existsSync('/dev/shm') ? '/dev/shm' : '/tmp', 'rowonce-simulate-'),
);
process.once('exit', () => fs.rmSync(ROOT, { recursive: true, force: true }));
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => process.exit(1));

export interface Ended {
  /** Undefined: it was killed. */
  readonly exitCode: number | undefined;
  /** `hung`: nothing could go on any more. `endless`: it went on and on. */
  readonly how: 'ended' | 'killed' | 'hung' | 'endless';
  readonly stdout: string;
  readonly stderr: string;
  readonly passages: number;
}

/** A command that was started. */
export class Started {
  readonly process: SimulatedProcess;
  readonly stdout: Text;
  readonly stderr: Text;

  constructor(process: SimulatedProcess) {
    this.process = process;
    this.stdout = new Text(process);
    this.stderr = new Text(process);
  }

  /** How it ended; one that did not is no more. */
  ended(halt: Halt): Ended {
    const { process } = this;
    const { isGone, exitCode, passages } = process;
    process.end();
    const open = halt === 'endless' ? 'endless' : 'hung';
    const how = !isGone ? open : exitCode === undefined ? 'killed' : 'ended';
    return { exitCode, how, stdout: this.stdout.text, stderr: this.stderr.text, passages };
  }
}

const ENVIRONMENT = { CI: 'true', DATA_KEY: 'data-key' };

let commands = 0;

/** So many events come at most while commands go on together: 9,000 are the most that a world was seen to have. */
const MOST_EVENTS = 20_000;

export const FIRST_DAY_MS = Date.UTC(2026, 10, 20, 2);

export class Stage implements World, Network {
  readonly seed: number;
  readonly folder = join(ROOT, 'home');
  readonly schedule: Schedule;
  readonly random: Random;
  readonly disk = new Disk();
  readonly vendor: Vendor;
  /** Others who are asked, by their origins. */
  readonly vendors = new Map<string, Asked>();
  weather: Weather = calm;
  /** Every request that left a process, with its time. */
  readonly sent: string[] = [];
  /** Every exchange that was begun, and what of the way kept its answer back. */
  readonly exchanges: { readonly key: string; readonly mishap: string | undefined }[] = [];
  startMs = FIRST_DAY_MS;
  readonly #chance: Random;
  readonly #ways: Ways;
  readonly #processes = new Map<number, SimulatedProcess>();
  readonly #runCommandLine: CommandLine;
  #started = 0;
  crashes = 0;
  /** How many mishaps there were, crashes among them. */
  mishaps = 0;
  /** Through doors, of all processes. */
  passages = 0;
  /** What happened. */
  readonly told: string[] = [];
  /** After each commit of a database, with the connection that has committed. */
  onCommit: (path: string, database: Database.Database) => void = () => {};
  /** As each request leaves. */
  onLeft: (question: Question) => void = () => {};
  /** After the end of each process. */
  onEnd: () => void = () => {};
  /** What happens to the next command that the page starts. */
  nextFaults: readonly Fault[] = [];
  /** The first promise that was seen broken while a process ran, whose own code must not catch it. */
  #broken: unknown;

  constructor(seed: number, runCommandLine: CommandLine) {
    this.seed = seed;
    this.schedule = new Schedule(randomFrom(seed));
    this.random = randomFrom(seed + 1);
    this.#chance = randomFrom(seed + 2);
    this.vendor = new Vendor(seed);
    this.#ways = new Ways(seed);
    this.#runCommandLine = runCommandLine;
    closeIdle();
    fs.rmSync(ROOT, { recursive: true, force: true });
    fs.mkdirSync(join(this.folder, 'config'), { recursive: true, mode: 0o700 });
    const { folder: home } = this;
    Object.assign(process.env, ENVIRONMENT, {
      HOME: home,
      XDG_STATE_HOME: join(home, 'state'),
      ROWONCE_CONFIG: join(home, 'config'),
      ROWONCE_STORE: join(home, 'store'),
    });
    process.chdir(home);
    play(this);
  }

  /** Something happened; it is told of a world that fails. */
  tell(line: string): void {
    this.told.push(`${new Date(this.trueMs).toISOString()} ${line}`);
  }

  /** All who sell data. */
  get sellers(): readonly Vendor[] {
    return [this.vendor, ...[...this.vendors.values()].filter((asked) => asked instanceof Vendor)];
  }

  /** What any of them has charged. */
  get charges(): readonly Charge[] {
    return this.sellers.flatMap(({ charges }) => charges);
  }

  get network(): Network {
    return this;
  }

  /** The time as the rest of the world has it, whatever the clock of this machine says. */
  get trueMs(): number {
    return Math.round(FIRST_DAY_MS + this.schedule.nowMs);
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  write(name: string, content: string): void {
    fs.rmSync(this.path(name), { force: true });
    fs.writeFileSync(this.path(name), content, { mode: 0o600 });
  }

  committed(database: Database.Database): void {
    this.#watched(() => this.onCommit(database.name, database));
  }

  #watched(look: () => void): void {
    try {
      look();
    } catch (error) {
      this.#broken ??= error;
    }
  }

  kill(pid: number, name: NodeJS.Signals | 0 = 'SIGTERM'): true {
    const process = this.#processes.get(pid);
    if (process === undefined || process.isGone)
      throw Object.assign(new Error('kill ESRCH'), { code: 'ESRCH' });
    if (name !== 0) process.signal(name);
    return true;
  }

  // ------------------------------------------------------------------------------------------------ the network

  way(question: Question): Way {
    const way = this.#ways.next(this.weather, question);
    const mishap = way.unmade ?? way.cut;
    if (question.method === 'POST') this.exchanges.push({ key: `${question.path} ${question.body}`, mishap });
    this.tell(`${question.method} ${question.path} ${question.body}${mishap ? ` (${mishap})` : ''}`);
    return way;
  }

  left(question: Question): void {
    const { path, body } = question;
    this.sent.push(`${path} ${body} @${this.schedule.nowMs}`);
    this.#watched(() => this.onLeft(question));
  }

  arrive(question: Question): Answer {
    const asked = this.vendors.get(question.origin) ?? this.vendor;
    const answer = asked.answer(question, this.trueMs);
    this.tell(`  ${question.path} ${question.body} is answered ${answer.status} ${answer.body}`);
    return answer;
  }

  // ------------------------------------------------------------------------------------------------ processes

  /** Plays one command to its end. */
  async command(words: readonly string[], faults: readonly Fault[] = []): Promise<Ended> {
    const [ended] = await this.play([this.start(words, faults)]);
    return ended as Ended;
  }

  /** Starts a command so many ms from now. It goes on while `play` or `rest` lets time pass. */
  start(words: readonly string[], faults: readonly Fault[] = this.#faultsOfNext(), afterMs = 0): Started {
    return this.#begin((streams) => this.#runCommandLine(words, streams), faults, afterMs);
  }

  /** Plays a process to its end. @param work its exit code. */
  async process(work: Work): Promise<Ended> {
    const [ended] = await this.play([this.#begin(work, [], 0)]);
    return ended as Ended;
  }

  #faultsOfNext(): readonly Fault[] {
    const faults = this.nextFaults;
    this.nextFaults = [];
    return faults;
  }

  #begin(work: Work, faults: readonly Fault[], afterMs: number): Started {
    this.#started += 1;
    const pid = 1000 + this.#started;
    commands += 1;
    // What a new process would look for by its path it looks for here, too.
    globalThis.process.env.PATH = `/${commands}`;
    const process = new SimulatedProcess(pid, faults, (struck, mishap) => this.#strike(struck, mishap));
    const started = new Started(process);
    const begin = (): void => {
      this.#processes.set(pid, process);
      running.run(process, () => this.#work(work, started)).catch((error) => process.fail(error));
    };
    if (afterMs > 0) this.schedule.after(afterMs, begin);
    else begin();
    return started;
  }

  async #work(work: Work, started: Started): Promise<void> {
    const { process, stdout, stderr } = started;
    const streams = { stdin: Readable.from([]), stdout, stderr, env: globalThis.process.env };
    const exitCode = await work(streams);
    if (process.isGone) return;
    process.exitCode = exitCode;
    process.end();
  }

  /** Goes on until all of them have ended, nothing can go on any more, or too much has. */
  async play(all: readonly Started[]): Promise<readonly Ended[]> {
    const haveEnded = (): boolean => all.every(({ process }) => process.isGone);
    const halt = await this.schedule.until(() => haveEnded() || this.#broken !== undefined, MOST_EVENTS);
    const ended = all.map((started) => started.ended(halt));
    // Those that they have started are among them.
    for (const process of this.#processes.values()) {
      process.end();
      this.passages += process.passages;
      this.#broken ??= process.failure;
    }
    this.#processes.clear();
    this.#watched(() => this.onEnd());
    if (this.#broken !== undefined) throw this.#broken;
    return ended;
  }

  /** No one types anything for so long. What is still on its way arrives. */
  async rest(ms: number): Promise<void> {
    let isOver = false;
    this.schedule.after(ms, () => {
      isOver = true;
    });
    await this.schedule.until(() => isOver);
  }

  #strike(struck: SimulatedProcess, mishap: Mishap): void {
    this.tell(`${mishap.kind} at passage ${struck.passages}`);
    this.mishaps += 1;
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
        // Whoever was asked to stop has not had this time.
        for (const process of this.#processes.values())
          if (process.stoppedAtMs !== undefined) process.stoppedAtMs += mishap.ms;
        break;
      case 'clock':
        this.startMs += mishap.ms;
        break;
      case 'signal':
        struck.stoppedAtMs ??= this.schedule.nowMs;
        struck.signal(mishap.name);
    }
  }

  close(): void {
    play(undefined);
  }
}

/** What the program imports of others only where it is needed. */
const IMPORTED = /\bimport\('([^.'][^']*)'\)/g;

const SOURCES = join(import.meta.dirname, '..', '..', 'src');

/** Loads all of the program before the first world, so that no world is played while a module is loaded. */
export async function loadProgram(): Promise<CommandLine> {
  const own = fs.globSync(
    '{cli,client,commands,core,files,job,ledger,lib,objects,operations,plan,run,web/server}/**/*.ts',
    {
      cwd: SOURCES,
    },
  );
  for (const path of own.sort()) {
    await import(join(SOURCES, path));
    const text = fs.readFileSync(join(SOURCES, path), 'utf8');
    for (const [, name = ''] of text.matchAll(IMPORTED)) await import(name);
  }
  // Once for all worlds, so that no process of one can die in the midst of it.
  await (await import('../../src/core/families.ts')).describeOperations();
  process.on('unhandledRejection', (error) => {
    const own = running.getStore();
    if (own === undefined) throw error;
    own.fail(error);
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
