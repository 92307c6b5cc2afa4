import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
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

/** File systems count time in steps. Until the next one begins, nothing tells a change from what was there before. */
export async function nextTick(path: string): Promise<void> {
  const { ctimeNs } = await stat(path, { bigint: true });
  const probe = `${path}.probe`;
  do await writeFile(probe, '');
  while ((await stat(probe, { bigint: true })).ctimeNs <= ctimeNs);
  await rm(probe);
}
