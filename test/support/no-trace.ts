import { tmpdir } from 'node:os';
import { afterAll, beforeAll, expect, vi } from 'vitest';

/**
 * Files that share a process must find it as the one before them did: what a file left altered would make another one
 * pass or fail by their order. A file that has to alter its process is listed in `vitest.config.ts`, and has its own.
 */

const ofProcess = () => ({
  environment: { ...process.env },
  folder: process.cwd(),
  umask: process.umask(),
  temporary: tmpdir(),
  zone: new Date(0).getTimezoneOffset(),
});

let found: ReturnType<typeof ofProcess>;

beforeAll(() => {
  found = ofProcess();
});

afterAll(() => {
  // What was altered by `stubEnv` is known, and put back.
  vi.unstubAllEnvs();
  expect(ofProcess()).toEqual(found);
});
