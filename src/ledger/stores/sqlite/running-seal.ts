import { rmSync } from 'node:fs';
import type { StoreFolder } from './folder.ts';
import { LogFrames } from './log-frames.ts';
import { type Sealed, sumsOf, writeSeal } from './seal.ts';
import { type Reached, SinceWriter } from './seal-since.ts';

/**
 * With so many frames SQLite moves its log into the ledger, and the next commit may begin the log anew. It is SQLite's default, which
 * no setting of ours lowers.
 */
const LOG_FRAMES = 1000;

/** When so much follows a seal, and so much for each byte of it, it is written as a whole again. */
const MOST_SINCE_BYTES = 1 << 20;
const MOST_SINCE = 2;

/**
 * Keeps the seal of a ledger that is written to, so that the next start finds one also after a kill. The pages in the log need none,
 * because SQLite has its own sums of them. Before the log can begin anew, the sums of its pages are written down.
 *
 * A crash between a commit and what is noted of it, or a file here that cannot be written, costs the next start a full check and
 * nothing else.
 */
export class RunningSeal {
  readonly #folder: StoreFolder;
  readonly #frames: LogFrames;
  readonly #sealed: Pick<Sealed, 'sums' | 'checkedAtMs'>;
  #commits: number;
  /** Where the newest frame begins of each page that was not written down since. */
  #unwritten = new Map<number, number>();
  #since: SinceWriter | undefined;
  /** Whether the sums of all pages are known that were written. */
  #isComplete = true;
  /** Whether nobody else has written to the ledger. */
  #isOurs = true;

  /** @param sealed all pages of the ledger as they are now. */
  constructor(folder: StoreFolder, { commits, ...sealed }: Omit<Sealed, 'place'>) {
    this.#folder = folder;
    this.#sealed = sealed;
    this.#commits = commits;
    this.#frames = new LogFrames(folder.log);
    this.#trying(() => {
      this.#frames.read(() => {});
      this.#writeWhole();
    });
  }

  /** To be called after every commit. @param commits how many the ledger counts by then. */
  committed(commits: number): void {
    this.#trying(() => {
      this.#commits = commits;
      if (this.#read() === 1) {
        if (this.#frames.length >= LOG_FRAMES) this.#writeUnwritten();
        return;
      }
      // What another program has written may be wrong, so it is checked in full.
      this.#isOurs = false;
      this.giveUp();
    });
  }

  /** To be called before the log is emptied, and after commits that the ledger does not count. */
  writeDown(): void {
    this.#trying(() => {
      this.#read();
      this.#writeUnwritten();
    });
  }

  /** It is called before all pages are rewritten, so that their sums are to be taken anew. */
  giveUp(): void {
    this.#isComplete = false;
    this.#since?.close();
    this.#since = undefined;
  }

  /** To be called when nothing is written any more. @param isSound whether no damage was found meanwhile. */
  async end(isSound: boolean): Promise<void> {
    const { seal, sealedSince } = this.#folder;
    const sums = this.#isComplete || !isSound ? this.#sealed.sums : await sumsOf(this.#folder);
    this.giveUp();
    this.#frames.close();
    this.#trying(() => {
      if (isSound && this.#isOurs) writeSeal(this.#folder, { ...this.#sealed, sums, ...this.#reached() });
      else rmSync(seal, { force: true });
      rmSync(sealedSince, { force: true });
    });
  }

  #reached(): Reached {
    return { commits: this.#commits, place: this.#frames.place };
  }

  /** @returns how many commits were found; 1 where none is looked for any more. */
  #read(): number {
    if (!this.#isComplete) return 1;
    const before = this.#unwritten.size;
    const { commits, isAnew } = this.#frames.read((page, frame) => this.#unwritten.set(page, frame));
    if (isAnew && before > 0) this.giveUp();
    return commits;
  }

  #writeUnwritten(): void {
    if (!this.#isComplete || this.#unwritten.size === 0) return;
    const { sums } = this.#sealed;
    const written = new Map<number, number>();
    for (const [page, frame] of this.#unwritten) {
      const sum = this.#frames.sumOf(frame);
      written.set(page, sum);
      sums.set(page, sum);
    }
    this.#unwritten = new Map();
    this.#since?.add(written, this.#reached());
    const most = Math.max(MOST_SINCE_BYTES, MOST_SINCE * sums.bytes.length);
    if ((this.#since?.size ?? 0) > most) this.#writeWhole();
  }

  #writeWhole(): void {
    const sum = writeSeal(this.#folder, { ...this.#sealed, ...this.#reached() });
    this.#since?.close();
    this.#since = new SinceWriter(this.#folder.sealedSince, sum);
  }

  #trying(work: () => void): void {
    try {
      work();
    } catch (error) {
      if (!(error instanceof Error && 'syscall' in error)) throw error;
      this.giveUp();
    }
  }
}
