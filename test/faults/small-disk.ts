import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A file system of its own for the tables of a database, which is filled up and emptied again. */
export class SmallDisk implements Disposable {
  readonly folder: string;
  readonly #mounted: string;

  private constructor(mounted: string, folder: string) {
    this.#mounted = mounted;
    this.folder = folder;
  }

  /** @param owned by whom the server is run. @throws where nobody may mount one: that takes root on Linux. */
  static mount(mebibytes: number, { ownedAs }: { readonly ownedAs: string }): SmallDisk {
    const mounted = mkdtempSync(join(tmpdir(), 'rowonce-disk-'));
    const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m`, 'tmpfs', mounted]);
    if (status !== 0) throw new Error('mounting a small file system needs root on Linux');
    chmodSync(mounted, 0o711);
    const folder = mkdtempSync(join(mounted, 'tables-'));
    const { uid, gid } = statSync(ownedAs);
    chownSync(folder, uid, gid);
    return new SmallDisk(mounted, folder);
  }

  fill(): void {
    spawnSync('sh', ['-c', 'cat /dev/zero > filler'], { cwd: this.#mounted });
  }

  empty(): void {
    rmSync(join(this.#mounted, 'filler'), { force: true });
  }

  [Symbol.dispose](): void {
    spawnSync('umount', ['-l', this.#mounted]);
    rmSync(this.#mounted, { recursive: true, force: true });
  }
}
