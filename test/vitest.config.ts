import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ['**/*.test.ts'],
    setupFiles: ['./same-every-time.ts'],
    // Node keeps there what it compiled, so that the thousands of programs that are started need not compile again.
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, '..', 'node_modules', '.cache', 'compiled') },
    // Real processes, sockets and disks: generous limits, so that a slow machine is not a failure.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // A file waits for programs and vendors a quarter of its time, so three share two cores well; more would only make
    // kills and timings less like a user's.
    maxWorkers: 3,
  },
});
