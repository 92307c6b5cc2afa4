/**
 * The file system: Node's own calls on a folder in memory. Each may be the last one of its process, and what was not synced may be lost
 * with the power.
 */
import real from 'node:fs';
import { resolve } from 'node:path';
import { Readable } from 'node:stream';
import { closeIdle } from '../databases.ts';
import { inWorld, pass, passLater } from '../world.ts';

export * from 'node:fs';

const disk = () => inWorld()?.world.disk;

/** Databases answer for what they have synced themselves. Whoever opens and closes such a file drops the locks that SQLite has on it. */
const isOurs = (path: unknown): path is string =>
  typeof path === 'string' && !/\.(?:db|lock)(?:-\w+)?$/.test(path);

/** Names of files are about to change. Connections that wait for a process must not outlive the database that they lead to. */
function renames(...paths: readonly string[]): void {
  if (!paths.every((path) => isOurs(resolve(path)))) closeIdle();
}

const PROGRAM = resolve(import.meta.dirname, '..', '..', '..', 'src');

/** Files of the program itself, by their folders. Each command looks for its own, and no world changes them. */
const ownFiles = new Map<string, string[]>();

/** Which file an open one is. */
const opened = new Map<number, string>();
const leaving = new Map<number, () => void>();

const looking =
  <Args extends unknown[], Found>(call: (...args: Args) => Found) =>
  (...args: Args): Found =>
    pass(() => call(...args));

export const existsSync = looking(real.existsSync);
export const realpathSync = looking(real.realpathSync.native as (path: string) => string);
export const readdirSync = looking((path: string, ...options: never[]) => {
  const found = ownFiles.get(path) ?? (real.readdirSync as (...all: unknown[]) => string[])(path, ...options);
  if (path.startsWith(PROGRAM)) ownFiles.set(path, found);
  return found;
});
export const readFileSync = looking(real.readFileSync as never);
export const statSync = looking(real.statSync as never);
export const lstatSync = looking(real.lstatSync as never);
export const fstatSync = looking(real.fstatSync as never);
export const statfsSync = looking(real.statfsSync as never);
export const readlinkSync = looking(real.readlinkSync as never);
export const readSync = looking(real.readSync as never);
export const chmodSync = looking(real.chmodSync);
export const mkdirSync = looking(real.mkdirSync as never);
export const mkdtempSync = looking(real.mkdtempSync as never);
export const accessSync = looking(real.accessSync);

const isWriting = (flags: unknown): boolean =>
  typeof flags === 'string' ? /[wa+]/.test(flags) : typeof flags === 'number' && (flags & 3) !== 0;

export function openSync(path: string, flags: string | number = 'r', mode?: number): number {
  return pass(() => {
    const at = resolve(path);
    if (isWriting(flags) && isOurs(at)) {
      if (!real.existsSync(at)) disk()?.names(at);
      disk()?.writes(at);
    }
    const fd = real.openSync(path, flags, mode);
    opened.set(fd, at);
    const left = inWorld()?.process.atEnd(() => closed(fd));
    if (left !== undefined) leaving.set(fd, left);
    return fd;
  });
}

function closed(fd: number): void {
  opened.delete(fd);
  leaving.delete(fd);
  real.closeSync(fd);
}

export const closeSync = looking((fd: number) => {
  leaving.get(fd)?.();
  closed(fd);
});

const changed = (fd: number): void => {
  const path = opened.get(fd);
  if (isOurs(path)) disk()?.writes(path);
};

export function writeSync(fd: number, ...rest: never[]): number {
  return pass(() => {
    changed(fd);
    return (real.writeSync as (...all: unknown[]) => number)(fd, ...rest);
  });
}

export const ftruncateSync = looking((fd: number, length?: number) => {
  changed(fd);
  real.ftruncateSync(fd, length);
});

export const fsyncSync = looking((fd: number) => disk()?.synced(opened.get(fd) ?? ''));

export function writeFileSync(path: string | number, data: string | Buffer, options?: never): void {
  pass(() => {
    if (typeof path === 'number') changed(path);
    else if (isOurs(resolve(path))) {
      if (!real.existsSync(path)) disk()?.names(resolve(path));
      disk()?.writes(resolve(path));
    }
    real.writeFileSync(path, data, options);
  });
}

export const appendFileSync = looking((path: string | number, data: string | Buffer) => {
  if (typeof path === 'number') changed(path);
  else if (isOurs(resolve(path))) disk()?.writes(resolve(path));
  real.appendFileSync(path, data);
});

export const renameSync = looking((from: string, to: string) => {
  renames(from, to);
  if (isOurs(resolve(to))) disk()?.moves(resolve(from), resolve(to));
  real.renameSync(from, to);
});

export const linkSync = looking((from: string, to: string) => {
  renames(from, to);
  if (isOurs(resolve(to)) && !real.existsSync(to)) disk()?.names(resolve(to));
  real.linkSync(from, to);
});

export const unlinkSync = looking((path: string) => {
  renames(path);
  if (isOurs(resolve(path))) disk()?.names(resolve(path));
  real.unlinkSync(path);
});

export const rmSync = looking((path: string, options?: real.RmOptions) => {
  const isThere = real.existsSync(path);
  if (options?.recursive === true) closeIdle();
  else renames(path);
  if (isThere && isOurs(resolve(path)) && options?.recursive !== true) disk()?.names(resolve(path));
  if (isThere || options?.force !== true) real.rmSync(path, options);
});

export const copyFileSync = looking((from: string, to: string, mode?: number) => {
  renames(from, to);
  if (!real.existsSync(to)) disk()?.names(resolve(to));
  disk()?.writes(resolve(to));
  real.copyFileSync(from, to, mode);
});

/** The bytes of an open file, piece by piece, up to that one. */
export async function* pieces(
  fd: number,
  size = 65_536,
  end = Number.POSITIVE_INFINITY,
): AsyncGenerator<Buffer> {
  for (let at = 0; at <= end; ) {
    const buffer = Buffer.alloc(Math.min(size, end - at + 1));
    const bytesRead = await passLater(() =>
      (readSync as (...all: unknown[]) => number)(fd, buffer, 0, buffer.length, at),
    );
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
    at += bytesRead;
  }
}

async function* wholeFile(path: string, size?: number): AsyncGenerator<Buffer> {
  const fd = await passLater(() => openSync(path));
  yield* pieces(fd, size);
  await passLater(() => closeSync(fd));
}

export const createReadStream = (
  path: string,
  { highWaterMark }: { highWaterMark?: number } = {},
): Readable => Readable.from(wholeFile(path, highWaterMark));
