/** The same calls for who waits: each is done at a moment that the schedule draws. */
import real from 'node:fs';
import { Readable } from 'node:stream';
import { pass, passLater } from '../world.ts';
import * as doors from './fs.ts';

export * from 'node:fs/promises';

type Call = (...args: never[]) => unknown;

/** The doors count the passage, so what is waited for is done through them. */
const later =
  (call: Call) =>
  (...args: never[]): Promise<unknown> =>
    passLater(() => call(...args));

export const stat = later(doors.statSync);
export const lstat = later(doors.lstatSync);
export const statfs = later(doors.statfsSync);
export const readdir = later(doors.readdirSync);
export const readFile = later(doors.readFileSync);
export const readlink = later(doors.readlinkSync);
export const realpath = later(doors.realpathSync);
export const access = later(doors.accessSync);
export const mkdir = later(doors.mkdirSync);
export const mkdtemp = later(doors.mkdtempSync);
export const chmod = later(doors.chmodSync);
export const rm = later(doors.rmSync);
export const unlink = later(doors.unlinkSync);
export const rename = later(doors.renameSync);
export const link = later(doors.linkSync);
export const copyFile = later(doors.copyFileSync);
export const writeFile = later(doors.writeFileSync);
export const appendFile = later(doors.appendFileSync);

interface StreamOptions {
  readonly end?: number;
  readonly encoding?: BufferEncoding;
  readonly autoClose?: boolean;
}

/** What the program uses of Node's `FileHandle`. */
class Handle {
  readonly fd: number;

  constructor(fd: number) {
    this.fd = fd;
  }

  async read(buffer: Buffer, offset = 0, length = buffer.length, position: number | null = null) {
    const bytesRead = (await passLater(() =>
      (doors.readSync as Call)(...([this.fd, buffer, offset, length, position] as never[])),
    )) as number;
    return { bytesRead, buffer };
  }

  async write(data: Buffer | string, ...rest: unknown[]) {
    const bytesWritten = await passLater(() => doors.writeSync(this.fd, ...([data, ...rest] as never[])));
    return { bytesWritten, buffer: data };
  }

  readFile(options?: unknown): Promise<unknown> {
    return passLater(() => (doors.readFileSync as Call)(...([this.fd, options] as never[])));
  }

  async writeFile(data: Buffer | string): Promise<void> {
    await passLater(() => doors.writeFileSync(this.fd, data));
  }

  async appendFile(data: Buffer | string): Promise<void> {
    await passLater(() => doors.appendFileSync(this.fd, data));
  }

  stat(options?: unknown): Promise<unknown> {
    return passLater(() => (doors.fstatSync as Call)(...([this.fd, options] as never[])));
  }

  async chmod(mode: number): Promise<void> {
    await passLater(() => pass(() => real.fchmodSync(this.fd, mode)));
  }

  async sync(): Promise<void> {
    await passLater(() => doors.fsyncSync(this.fd));
  }

  datasync(): Promise<void> {
    return this.sync();
  }

  async truncate(length?: number): Promise<void> {
    await passLater(() => doors.ftruncateSync(this.fd, length));
  }

  async close(): Promise<void> {
    await passLater(() => doors.closeSync(this.fd));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  createReadStream({ end, encoding, autoClose = true }: StreamOptions = {}): Readable {
    const text = encoding === undefined ? {} : { encoding, objectMode: false };
    return Readable.from(this.#pieces(autoClose, end), text);
  }

  async *#pieces(autoClose: boolean, end?: number): AsyncGenerator<Buffer> {
    yield* doors.pieces(this.fd, undefined, end);
    if (autoClose) await this.close();
  }
}

export async function open(path: string, flags?: string | number, mode?: number): Promise<Handle> {
  return new Handle(await passLater(() => doors.openSync(path, flags, mode)));
}
