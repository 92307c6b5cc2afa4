/**
 * Goal: a file that we write is whole or absent, whoever writes beside us; and what stands
 * in its place and is not as we wrote it is never replaced, not even when it comes at the last moment.
 * Method: real files. The other writer is what happens inside the callbacks of a write: after its temporary file is
 * begun, and between the last look at the place and the rename.
 */
import { spawnSync } from 'node:child_process';
import {
  type FileHandle,
  mkdir,
  open,
  readdir,
  readFile,
  readlink,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { type OwnFile, removeStale, writeOwnFile } from '../../../src/files/output/own-files.ts';
import { replaceFile } from '../../../src/lib/atomic-file.ts';
import { temporaryFolder } from '../../ledger/stores/places.ts';

const OURS = 'what we wrote';
const THEIRS = 'an afternoon of notes';

/** A folder, and a book of what we wrote in it. */
class Place {
  readonly folder: string;
  readonly said: string[] = [];
  readonly #book = new Map<string, readonly string[]>();

  constructor(folder: string) {
    this.folder = folder;
  }

  static open(): Place {
    return new Place(temporaryFolder());
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  read(name: string): Promise<string> {
    return readFile(this.path(name), 'utf8');
  }

  names(): Promise<string[]> {
    return readdir(this.folder);
  }

  /** @param meanwhile happens between the last look at the place and the rename, once. */
  ownership(meanwhile: () => Promise<void> = async () => {}) {
    let once: typeof meanwhile | undefined = meanwhile;
    return {
      isOurs: async (path: string, sha256: string) => this.#book.get(path)?.includes(sha256) === true,
      noteWritten: async (path: string, sha256s: readonly string[]) => {
        this.#book.set(path, sha256s);
        await once?.();
        once = undefined;
      },
      say: (sentence: string) => void this.said.push(sentence),
    };
  }

  write(content: string, more: Partial<OwnFile> = {}, meanwhile?: () => Promise<void>): Promise<string> {
    const path = this.path('out.csv');
    return writeOwnFile({ path, chunks: [content], ...more }, this.ownership(meanwhile));
  }
}

/** The content of a file, during whose writing something happens. */
async function* during(content: string, happens: () => Promise<unknown>): AsyncIterable<Buffer> {
  yield Buffer.from(content.slice(0, 3));
  await happens();
  yield Buffer.from(content.slice(3));
}

describe('what stands there and is not as we wrote it', () => {
  test.for([
    ['where nothing stood', async () => {}],
    ['over ours', (place: Place) => place.write(OURS)],
  ] as const)(
    'what is not as we wrote it is kept also when it is written at the last moment, %s',
    async ([_, before]) => {
      const place = Place.open();
      await before(place);
      const path = await place.write('new', {}, () => writeFile(place.path('out.csv'), THEIRS));
      expect(path).toBe(place.path('out (2).csv'));
      expect(await place.read('out.csv')).toBe(THEIRS);
      expect(await place.read('out (2).csv')).toBe('new');
    },
  );

  test('what is not as we wrote it and is put away makes room: ours has its own name again, and not a second one', async () => {
    const place = Place.open();
    await writeFile(place.path('out.csv'), THEIRS);
    await place.write(OURS);
    await rm(place.path('out.csv'));
    const written = await place.write('newer');
    await removeStale(place.path('out.csv'), place.ownership(), written);
    expect(await place.names()).toEqual(['out.csv']);
  });
});

describe('a link', () => {
  test('a link stays, and nothing is written through it, also when it leads to what we wrote ourselves', async () => {
    const place = Place.open();
    await mkdir(place.path('elsewhere'));
    const real = place.path('elsewhere/real.csv');
    await place.write(OURS, { path: real });
    await symlink(real, place.path('out.csv'));
    expect(await place.write('newer')).toBe(place.path('out (2).csv'));
    expect(place.said).toEqual([
      `${place.path('out.csv')} is a link to ${real}, and Rowonce does not write through links, so it is kept.`,
    ]);
    await removeStale(place.path('out.csv'), place.ownership(), place.path('out (2).csv'));
    expect([await readFile(real, 'utf8'), await readlink(place.path('out.csv'))]).toEqual([OURS, real]);
    expect(await readdir(place.path('elsewhere'))).toEqual(['real.csv']);
  });
});

test('a file is on the disk before it takes its place, and then its name, so that a loss of power leaves the old one or the new one', async () => {
  const place = await Place.open();
  await place.write(OURS);
  const probe = await open(place.path('out.csv'));
  const handles: Pick<FileHandle, 'sync'> = Object.getPrototypeOf(probe);
  await probe.close();
  const stood: string[] = [];
  const watching = vi.spyOn(handles, 'sync').mockImplementation(async () => {
    stood.push(await place.read('out.csv'));
  });
  onTestFinished(() => watching.mockRestore());
  await place.write('new');
  expect(stood).toEqual([OURS, 'new']);
});

describe('two writers of one file', () => {
  test('what a killed process left is removed, what a living one is writing is not, nor that of another machine', async () => {
    const place = Place.open();
    let [own = '', dead, elsewhere] = ['', '', ''];
    const chunks = during(OURS, async () => {
      [own = ''] = await place.names();
      const gone = spawnSync(process.execPath, ['--version']).pid;
      dead = own.replace(`-${process.pid}-`, `-${gone}-`);
      elsewhere = dead.replace(/^\.rowonce-\w{8}/, '.rowonce-00000000');
      await mkdir(place.path('other'));
      for (const name of [own, dead, elsewhere]) await writeFile(place.path(`other/${name}`), 'half of');
      await replaceFile(place.path('other/out.csv'), 0o600, [OURS]);
    });
    await replaceFile(place.path('out.csv'), 0o600, chunks);
    expect(own).toMatch(/^\.rowonce-\w{8}-\d+-\w{12}\.tmp$/);
    expect(await readdir(place.path('other'))).toEqual([own, elsewhere, 'out.csv'].sort());
  });
});
