/**
 * Goal: a job or a dialect that others can write is refused before a word of it is believed, and one that only the user,
 * or whoever rules the machine, can write is not.
 * Method: the rule over made-up owners and modes; real files for what the program reads.
 */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { loadJob } from '../../src/job/job.ts';
import { distrustOf, type Self } from '../../src/lib/file-trust.ts';

const ME: Self = { uid: 1000, gid: 1000, alsoTrusted: [] };

describe('who may have written a file', () => {
  test.each([
    [{ uid: 1000, gid: 1000, mode: 0o100644 }, ME],
    // A group of each user's own, with which many systems make files.
    [{ uid: 1000, gid: 1000, mode: 0o100664 }, ME],
    // A group that only reads.
    [{ uid: 1000, gid: 50, mode: 0o100644 }, ME],
    [{ uid: 0, gid: 0, mode: 0o100664 }, ME],
    // A checkout that root works in: its owner can alter the program as well.
    [
      { uid: 1000, gid: 1000, mode: 0o100664 },
      { uid: 0, gid: 0, alsoTrusted: [1000] },
    ],
    [{ uid: 1000, gid: 1000, mode: 0o010600 }, ME],
  ])('%o is believed', (stats, self) => {
    expect(distrustOf('job.yaml', stats, self)).toBeUndefined();
  });

  test.each([
    [
      { uid: 1000, gid: 1000, mode: 0o100666 },
      'everybody can write to it (mode 0666)',
      'chmod go-w job.yaml',
    ],
    [
      { uid: 1000, gid: 50, mode: 0o100664 },
      'the group with number 50 can write to it',
      'chmod g-w job.yaml',
    ],
    [{ uid: 0, gid: 50, mode: 0o100664 }, 'the group with number 50 can write to it', 'chmod g-w job.yaml'],
    [{ uid: 1001, gid: 1001, mode: 0o100644 }, 'it belongs to another user (number 1001)', 'chown 1000'],
  ])('%o is refused', (stats, fact, next) => {
    const distrust = distrustOf('job.yaml', stats, ME);
    expect(distrust?.fact).toContain(fact);
    expect(String(distrust?.next)).toContain(next);
  });
});

describe.skipIf(process.platform === 'win32')('a file that everybody can write', () => {
  const open = (name: string, content: string): string => {
    const folder = mkdtempSync(join(tmpdir(), 'rowonce-trust-'));
    const path = join(folder, name);
    writeFileSync(path, content);
    chmodSync(path, 0o646);
    onTestFinished(() => rmSync(folder, { recursive: true }));
    return path;
  };

  test('an open file is no job, until its owner has closed it', async () => {
    const path = open('job.yaml', 'operation: enrich-company');
    await expect(loadJob(path)).rejects.toMatchObject({
      code: 'job',
      message: `${path}: everybody can write to it (mode 0646)`,
      next: `Check it, because others may have changed it, then run chmod go-w ${path}`,
    });
    chmodSync(path, 0o644);
    expect((await loadJob(path)).operation.name).toBe('enrich-company');
  });
});
