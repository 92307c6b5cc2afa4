import { closeSync, fstatSync, ftruncateSync, openSync, readSync, writeFileSync } from 'node:fs';
import { messageOf, stop } from '../core/errors.ts';

/** The last line end is searched backwards in blocks of this size. */
const TAIL_BYTES = 64 * 1024;
const LINE_END = 0x0a;

/**
 * Every line begins with this. The sandbox did not write a file whose last, unfinished line begins otherwise.
 */
const LINE_START = '{"at":"';

/**
 * A file to which whole lines are appended, each in one write that has reached the kernel when it returns, so
 * that killing the process cannot lose it. A crash in the middle of a write leaves a torn last line, which
 * `mend` removes, because the request of that line was never answered.
 */
export class LineFile {
  readonly #descriptor: number;
  /** Bytes up to and including the last line end, when the file was opened. */
  readonly wholeBytes: number;

  /**
   * Makes the file, readable by its owner only, when there is none, and changes nothing in one that exists. A
   * StopError (usage) when it cannot be opened or is not a file of ours.
   */
  constructor(path: string) {
    try {
      this.#descriptor = openSync(path, 'a+', 0o600);
    } catch (error) {
      const fact = `${path} cannot be opened for writing: ${messageOf(error)}.`;
      throw stop('usage', fact, 'Name a file in a folder that you may write to.');
    }
    this.wholeBytes = endOfLastWholeLine(this.#descriptor);
    if (this.#tornTailIsOurs()) return;
    this.close();
    const fact = `${path} ends with text that the sandbox did not write.`;
    throw stop('usage', fact, 'Name another file, or one that does not exist.');
  }

  /** Takes a torn last line away and never a whole one, not even one that came after the file was opened. */
  mend(): void {
    const wholeBytes = endOfLastWholeLine(this.#descriptor);
    if (fstatSync(this.#descriptor).size > wholeBytes) ftruncateSync(this.#descriptor, wholeBytes);
  }

  append<Line extends { readonly at: string }>(line: Line): void {
    writeFileSync(this.#descriptor, `${JSON.stringify(line)}\n`);
  }

  close(): void {
    closeSync(this.#descriptor);
  }

  #tornTailIsOurs(): boolean {
    const start = Buffer.alloc(LINE_START.length);
    const readBytes = readSync(this.#descriptor, start, 0, start.length, this.wholeBytes);
    return LINE_START.startsWith(start.toString('latin1', 0, readBytes));
  }
}

/** Bytes up to and including the last line end; 0 when there is none. */
function endOfLastWholeLine(descriptor: number): number {
  const buffer = Buffer.alloc(TAIL_BYTES);
  let endByte = fstatSync(descriptor).size;
  while (endByte > 0) {
    const startByte = Math.max(0, endByte - TAIL_BYTES);
    const readBytes = readSync(descriptor, buffer, 0, endByte - startByte, startByte);
    const found = buffer.subarray(0, readBytes).lastIndexOf(LINE_END);
    if (found >= 0) return startByte + found + 1;
    endByte = startByte;
  }
  return 0;
}
