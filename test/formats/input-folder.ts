import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** Writes input files into a folder of the running test's own, which goes when the test ends. */
export async function inputFolder(): Promise<(content: string | Buffer, name?: string) => Promise<string>> {
  const folder = await mkdtemp(join(tmpdir(), 'rowonce-csv-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return async (content, name = 'input.csv') => {
    const path = join(folder, name);
    await writeFile(path, content);
    return path;
  };
}
