import { readdir, readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { stop } from '../../core/errors.ts';
import { pageFolder } from '../../core/families.ts';
import { commandLine } from '../../lib/command-line.ts';

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
    const file = await readFile(new URL(name, pageFolder()));
    const type = TYPES[extname(name)] ?? '';
    if (name !== 'index.html') return [`/${name}`, { body: Buffer.from(file), type }];
    const html = file.toString().replaceAll('%program%', escapedHtml(commandLine([])));
    return ['/', { body: Buffer.from(html), type }];
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

export function escapedHtml(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
