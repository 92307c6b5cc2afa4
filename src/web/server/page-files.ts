import { readdir, readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { stop } from '../../core/errors.ts';
import { pageFolder } from '../../core/families.ts';

/** The page itself: few files, built beside the program, which are held in memory. */
export interface PageFile {
  readonly body: Buffer<ArrayBuffer>;
  readonly type: string;
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** The files by their path in the address. @throws StopError `usage` when the page was not built. */
export async function loadPage(): Promise<ReadonlyMap<string, PageFile>> {
  const load = async (name: string): Promise<[string, PageFile]> => {
    const body = Buffer.from(await readFile(new URL(name, pageFolder())));
    return [name === 'index.html' ? '/' : `/${name}`, { body, type: TYPES[extname(name)] ?? '' }];
  };
  try {
    const names = await readdir(pageFolder());
    return new Map(await Promise.all(names.filter((name) => extname(name) in TYPES).map(load)));
  } catch {
    throw stop(
      'usage',
      'The page has not been built yet.',
      'Run "npm run build", then the same command again.',
    );
  }
}
