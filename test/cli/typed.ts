import { PassThrough, Writable } from 'node:stream';
import { runCommandLine } from '../../src/cli/shell/main.ts';
import type { Ended } from './rowonce.ts';

/**
 * A command typed in this process: the same frame, arguments and streams as the program's, without the time that it takes
 * to start. Where accounts and store are is told by the environment of the process, so it is for one desk a file.
 */

export interface Typing {
  /** What somebody types who sits in front of a terminal; left out: there is none. */
  readonly answer?: string;
}

export async function typed(words: readonly string[], { answer }: Typing = {}): Promise<Ended> {
  const isTTY = answer !== undefined;
  const [stdout, stderr] = [new Written(false), new Written(isTTY)];
  const stdin = Object.assign(new PassThrough(), { isTTY });
  if (answer === undefined) stdin.end();
  else stdin.write(`${answer}\n`);
  const code = await runCommandLine(words, { stdin, stdout, stderr, env: { NO_COLOR: '1' } });
  return { code, stdout: stdout.text, stderr: stderr.text };
}

class Written extends Writable {
  text = '';
  readonly isTTY: boolean;

  constructor(isTTY: boolean) {
    super();
    this.isTTY = isTTY;
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.text += chunk.toString();
    done();
  }
}
