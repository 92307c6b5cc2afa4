import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { runCommandLine } from '../../src/cli/shell/main.ts';
import { type Random, randomFrom } from '../../src/sandbox/random.ts';
import { type Deed, type FlipStore, inputOf, PAGE_BYTES, writeAccounts } from './flip-store.ts';
import { Vendor } from './vendor.ts';

/**
 * One bit of a store is flipped and a command is typed: it is to say that the store is damaged, or to do what it would
 * have done without the flip. The commands run in this process, over a vendor in another with a book of its own.
 */

export const VERDICTS = ['harmless', 'detected', 'bought', 'wrong', 'bug', 'other stop'] as const;
export type Verdict = (typeof VERDICTS)[number];

export interface Flip {
  readonly store: FlipStore;
  readonly deed: Deed;
  readonly file: string;
  readonly byte: number;
  readonly bit: number;
}

export interface Trial {
  readonly flip: Flip;
  readonly verdict: Verdict;
  /** What was said, for a finding. */
  readonly said: string;
}

/** What a command left behind. */
interface Seen {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly files: ReadonlyMap<string, string>;
  readonly requests: number;
}

export class FlipLab implements AsyncDisposable {
  readonly #base: string;
  readonly #folder: string;
  readonly #vendor: Vendor;
  readonly #sound = new Map<Deed, Seen>();

  private constructor(base: string, folder: string, vendor: Vendor) {
    this.#base = base;
    this.#folder = folder;
    this.#vendor = vendor;
  }

  /** @param base where the stores and lists were made. @param folder of the lab's own. */
  static async open(base: string, folder: string): Promise<FlipLab> {
    mkdirSync(folder, { recursive: true });
    const vendor = await Vendor.start(folder, { ownProcess: true });
    writeAccounts(folder, vendor.url);
    process.env.ROWONCE_CONFIG = join(folder, 'config');
    process.env.XDG_STATE_HOME = join(folder, 'state');
    delete process.env.ROWONCE_STORE;
    return new FlipLab(base, folder, vendor);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#vendor.stop();
  }

  /** What the deed does over the store as it is. */
  async #soundly(store: FlipStore, deed: Deed): Promise<Seen> {
    const known = this.#sound.get(deed);
    if (known !== undefined) return known;
    this.#fresh(store);
    const seen = await this.#do(deed);
    if (seen.requests > 0 || seen.code === 1) {
      throw new Error(`${store.name}, ${deed.name}: ${seen.requests} requests, ${seen.code}: ${seen.stderr}`);
    }
    this.#sound.set(deed, seen);
    return seen;
  }

  async try(flip: Flip): Promise<Trial> {
    const sound = await this.#soundly(flip.store, flip.deed);
    this.#fresh(flip.store);
    const path = join(this.#store, flip.file);
    const bytes = readFileSync(path);
    bytes[flip.byte] = (bytes[flip.byte] ?? 0) ^ (1 << flip.bit);
    writeFileSync(path, bytes);
    const seen = await this.#do(flip.deed);
    const verdict = verdictOn(seen, sound);
    const said = `exit ${seen.code}, ${seen.requests} requests: ${seen.stderr.trim()}${differenceOf(seen, sound)}`;
    return { flip, verdict, said };
  }

  get #store(): string {
    return join(this.#folder, 'store');
  }

  #fresh(store: FlipStore): void {
    for (const name of ['store', 'out', 'state'])
      rmSync(join(this.#folder, name), { recursive: true, force: true });
    mkdirSync(join(this.#folder, 'out'));
    cpSync(store.folder, this.#store, { recursive: true });
  }

  async #do({ words }: Deed): Promise<Seen> {
    const { requests: before } = await this.#vendor.book();
    const [stdout, stderr] = [new Kept(), new Kept()];
    const out = join(this.#folder, 'out', 'out.csv');
    const more = ['run', 'export'].includes(words[0] ?? '') ? ['-o', out] : [];
    const code = await runCommandLine([...inputOf(this.#base, words), '--store', this.#store, ...more], {
      stdin: Readable.from([]),
      stdout,
      stderr,
      env: {},
    });
    const { requests } = await this.#vendor.book();
    return {
      code,
      stdout: stdout.text,
      stderr: stderr.text,
      files: this.#written(),
      requests: requests - before,
    };
  }

  /** The report has the day on which it was written in it. */
  #written(): ReadonlyMap<string, string> {
    const folder = join(this.#folder, 'out');
    const names = readdirSync(folder).filter((name) => !name.endsWith('.html'));
    return new Map(names.sort().map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
  }
}

class Kept extends Writable {
  text = '';

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString();
    done();
  }
}

function verdictOn(seen: Seen, sound: Seen): Verdict {
  if (seen.requests > 0) return 'bought';
  if (seen.code === 1) return 'bug';
  if (seen.code === 2 && /store_damaged/.test(seen.stdout) && / is damaged: /.test(seen.stderr))
    return 'detected';
  if (seen.code !== sound.code) return 'other stop';
  const isSame =
    JSON.stringify([...seen.files]) === JSON.stringify([...sound.files]) &&
    factsIn(seen.stdout) === factsIn(sound.stdout);
  return isSame ? 'harmless' : 'wrong';
}

/** What a command prints as JSON, without what is measured or named anew each time. */
function factsIn(stdout: string): string {
  return stdout.replace(/"(seconds|created_at|id|batch|command)":("[^"]*"|[^,}]+)/g, '');
}

/** The first line that is not as it was over the sound store. */
function differenceOf(seen: Seen, sound: Seen): string {
  const linesOf = ({ stdout, files }: Seen): string[] =>
    [factsIn(stdout), ...files.values()].join('\n').split('\n');
  const lines = linesOf(sound);
  const at = linesOf(seen).findIndex((line, index) => line !== lines[index]);
  return at === -1 ? '' : `\n  is: ${linesOf(seen)[at]}\n  was: ${lines[at]}`;
}

/** Flips are numbered, so that each can be tried again: the stores of two drives have other numbers in them, though. */
export function flipNumbered(number: number, seed: number, stores: readonly FlipStore[]): Flip {
  const random = randomFrom('flips', seed, number);
  const store = oneOf(stores, random);
  const deed = oneOf(store.deeds, random);
  return { store, deed, ...placeIn(store, random), bit: random.integer(0, 7) };
}

/**
 * One time in eight in a small file beside the ledger, or in the log of a killed run; else in the ledger: half of the times
 * in a page of some table or index, each as often as any other, because what is small is as important, and where rows and
 * their order stand more often than elsewhere.
 */
function placeIn({ folder, pages }: FlipStore, random: Random): Pick<Flip, 'file' | 'byte'> {
  if (random.fraction() < 0.125) {
    const sizeOf = (name: string): number =>
      statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0;
    const beside = ['watermark', 'seal', 'seal-since', 'ledger.db-wal'].filter((name) => sizeOf(name) > 0);
    const file = oneOf(beside, random);
    return { file, byte: random.integer(0, sizeOf(file) - 1) };
  }
  if (random.fraction() < 0.5) {
    const { size } = statSync(join(folder, 'ledger.db'));
    return { file: 'ledger.db', byte: random.integer(0, size - 1) };
  }
  const page = oneOf(oneOf(pages, random), random) - 1;
  const [from, to] = oneOf(
    [
      [0, 63],
      [PAGE_BYTES - 512, PAGE_BYTES - 1],
      [0, PAGE_BYTES - 1],
    ] as const,
    random,
  );
  return { file: 'ledger.db', byte: page * PAGE_BYTES + random.integer(from, to) };
}

function oneOf<T>(items: readonly T[], random: Random): T {
  const item = items[random.integer(0, items.length - 1)];
  if (item === undefined) throw new Error('there is nothing to choose from');
  return item;
}
