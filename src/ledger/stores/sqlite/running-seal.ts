import { rmSync } from 'node:fs';
import type { StoreFolder } from './folder.ts';
import { FULL_LOG_FRAMES, LogFrames, type LogPlace } from './log-frames.ts';
import type { PageSums } from './page-sums.ts';
import { type Sealed, stampForSeal, sumsOf, writeSeal } from './seal.ts';
import { mostSince, type Reached, SinceWriter } from './seal-since.ts';

/**
 * Keeps the seal of a ledger that is written to, so that the next start finds one also after a kill. The pages in the log need none,
 * because SQLite has its own sums of them. Before the log can begin anew, the sums of its pages are written down.
 *
 * A crash between a commit and what is noted of it costs the next start a full check and nothing else. So does a file here that cannot
 * be written, and whatever another program writes to the ledger meanwhile: then there is no seal any more.
 */
export class RunningSeal {
  readonly #folder: StoreFolder;
  #frames: LogFrames;
  readonly #checkedAtMs: number;
  readonly #isAlone: () => boolean;
  #sums: PageSums;
  #commits: number;
  /** The newest sum of each page that was not written down since. */
  #unwritten = new Map<number, number>();
  /** The place that was written down last. */
  #place: LogPlace | undefined;
  #since: SinceWriter | undefined;
  /** False once the ledger may have something that was not written by this process, or is not known of. */
  #isSure = true;

  /**
   * @param sealed all pages of the ledger as they are now.
   * @param isAlone whether nobody else has written to the ledger since it was first looked at.
   */
  constructor(
    folder: StoreFolder,
    { commits, sums, checkedAtMs, place }: Omit<Sealed, 'stamp'>,
    isAlone: () => boolean,
  ) {
    this.#folder = folder;
    this.#isAlone = isAlone;
    this.#sums = sums;
    this.#checkedAtMs = checkedAtMs;
    this.#commits = commits;
    this.#frames = new LogFrames(folder.log, false, place);
    this.#trying(() => this.#writeWhole());
  }

  /** To be called after every commit. @param commits how many the ledger counts by then. */
  committed(commits: number): void {
    this.#trying(() => {
      this.#commits = commits;
      this.#read(1);
      // Of a log that is not noted nobody could tell later who has begun it.
      const isNoted = this.#frames.place?.salts === this.#place?.salts;
      if (!isNoted || this.#frames.length >= FULL_LOG_FRAMES) this.#writeDown();
    });
  }

  /** To be called after so many commits that the ledger does not count, and before the log is emptied. */
  uncounted(commits: number): void {
    this.#trying(() => {
      this.#read(commits);
      this.#writeDown();
    });
  }

  /** To be called before all pages are written anew. A kill meanwhile leaves no seal, or one could count that as a commit of ours. */
  rewriting(): void {
    this.#trying(() => this.#remove());
  }

  /** To be called when that is done. */
  async rewritten(): Promise<void> {
    if (!this.#isSure) return;
    const { sums, place } = await sumsOf(this.#folder);
    this.#sums = sums;
    this.#frames.close();
    this.#frames = new LogFrames(this.#folder.log, false, place);
    this.#trying(() => this.#writeWhole());
  }

  /** To be called when nothing is written any more, and before the connection is closed. @param isSound whether no damage was found meanwhile. */
  end(isSound: boolean): void {
    this.#trying(() => {
      if (isSound && this.#isSure) this.#writeWhole();
      else this.#remove();
      this.#closeSince();
      rmSync(this.#folder.sealedSince, { force: true });
      this.#frames.close();
    });
  }

  /** Reads what was committed. @param expected how many commits are this process's own. */
  #read(expected: number): void {
    if (!this.#isSure) return;
    const before = this.#unwritten.size;
    const { commits, isAnew } = this.#frames.read((page, sum) => this.#unwritten.set(page, sum));
    // Only another program empties the log before it is full, and nobody knows what else was in it.
    if (commits !== expected || (isAnew && before > 0) || !this.#isAlone()) this.#giveUp();
  }

  #writeDown(): void {
    if (!this.#isSure || this.#unwritten.size === 0) return;
    const written = this.#unwritten;
    for (const [page, sum] of written) this.#sums.set(page, sum);
    this.#unwritten = new Map();
    this.#since?.add(written, this.#reached());
    if ((this.#since?.size ?? 0) > mostSince(this.#sums)) this.#writeWhole();
  }

  #writeWhole(): void {
    if (!this.#isSure) return;
    const stamp = stampForSeal(this.#folder);
    // Asked behind the stamp, so that what another program writes is either known of or alters that.
    if (!this.#isAlone()) {
      this.#giveUp();
      return;
    }
    const sealed = { sums: this.#sums, checkedAtMs: this.#checkedAtMs, stamp, ...this.#reached() };
    const sum = writeSeal(this.#folder, sealed);
    this.#closeSince();
    this.#since = new SinceWriter(this.#folder.sealedSince, sum);
  }

  #reached(): Reached {
    this.#place = this.#frames.place;
    return { commits: this.#commits, place: this.#place };
  }

  #giveUp(): void {
    this.#isSure = false;
    this.#unwritten = new Map();
    this.#remove();
  }

  #remove(): void {
    this.#closeSince();
    rmSync(this.#folder.seal, { force: true });
    rmSync(this.#folder.sealedSince, { force: true });
  }

  #closeSince(): void {
    const since = this.#since;
    this.#since = undefined;
    since?.close();
  }

  /** No run ends because of its seal. */
  #trying(work: () => void): void {
    try {
      work();
    } catch {
      this.#isSure = false;
    }
  }
}
