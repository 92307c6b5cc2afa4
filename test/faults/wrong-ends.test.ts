import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { domainsOf, Workplace } from './workplace.ts';

/*
 * Goal: a disk that stops taking writes ends a run in words that say so, and nothing is bought twice when it is mended.
 * Method: a store on a real file system that the kernel turns read-only under the run, as it does when the disk fails. A full disk:
 * `ledger/stores/full-disk.test.ts`; streams that nobody reads: `cli/shell/console.test.ts`.
 */

const ROWS = 20;
describe('a file system that turns read-only', () => {
  const STOPPED = { code: 'store', next: expect.stringContaining('mounted for writing') };

  test('under a run: nothing more is sent, nothing is bought twice, and the same command goes on', async ({
    skip,
  }) => {
    await using workplace = await Workplace.open({ latencyMs: 200, concurrency: 2 });
    using disk = Disk.mount(workplace);
    if (disk === undefined) return skip('mounting a file system needs root on Linux');
    workplace.writeList(domainsOf('read-only', ROWS));
    const order = { store: 'disk/store' };
    const program = workplace.start(order);
    await program.until(() => workplace.vendor.requests().length >= 4);
    disk.turnReadOnly();
    const { code, report, stderr } = await program.ended;
    expect(code, stderr).toBe(2);
    expect(report?.stopped).toMatchObject(STOPPED);
    expect(stderr).not.toContain('bug');
    const { requests } = await workplace.vendor.book();
    expect(requests).toBeLessThan(ROWS);

    expect(await workplace.runHere(order)).toMatchObject({ code: 2, report: { stopped: STOPPED } });
    expect((await workplace.vendor.book()).requests).toBe(requests);
    disk.repair();
    const again = await workplace.runHere(order);
    expect([0, 3], again.stderr).toContain(again.code);
    expect((await workplace.vendor.book()).charged_twice).toEqual([]);
    expect((await workplace.vendor.book()).requests).toBe(ROWS);
  });
});

/** A small disk at `disk` in the workplace; undefined where mounting one is not allowed. */
class Disk implements Disposable {
  readonly #image: string;
  readonly #folder: string;

  private constructor(workplace: Workplace) {
    this.#image = workplace.path('disk.img');
    this.#folder = workplace.path('disk');
  }

  static mount(workplace: Workplace): Disk | undefined {
    if (process.platform !== 'linux' || process.getuid?.() !== 0) return undefined;
    const disk = new Disk(workplace);
    writeFileSync(disk.#image, Buffer.alloc(DISK_BYTES));
    mkdirSync(disk.#folder);
    if (spawnSync('mkfs.ext4', ['-q', '-F', disk.#image]).status !== 0) return undefined;
    return disk.#mount('loop') ? disk : undefined;
  }

  /** As the kernel does when the disk fails. */
  turnReadOnly(): void {
    expect(this.#mount('remount,abort')).toBe(true);
  }

  repair(): void {
    this[Symbol.dispose]();
    expect(this.#mount('loop')).toBe(true);
  }

  [Symbol.dispose](): void {
    spawnSync('umount', ['-l', this.#folder]);
  }

  #mount(options: string): boolean {
    return spawnSync('mount', ['-o', options, this.#image, this.#folder]).status === 0;
  }
}

const DISK_BYTES = 16 * 1024 * 1024;
