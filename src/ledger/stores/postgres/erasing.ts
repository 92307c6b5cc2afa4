import { besideFolder } from '../../../core/paths.ts';
import type { Cleaning, Eraser, ErasureTarget } from '../../eraser.ts';
import { type Erasing, removeFiles } from '../../rules/found.ts';
import type { StoreOptions } from '../../store.ts';
import { connect, type Database, oneCell } from './connection.ts';
import { refuseCopied } from './copies.ts';
import { erase } from './emptying.ts';
import { erasureOf } from './erasable.ts';
import { erasureKeyOf, keepErasureKey } from './erasure-key.ts';
import { standStill } from './lock.ts';
import { requireNewest } from './lost-commits.ts';
import { postgresLedger } from './postgres-ledger.ts';
import { hasLedger, nothingThere } from './schema-laid-out.ts';

/** Opens a ledger to erase from it. What lies beside a ledger in a folder, such as the book of a sandbox, is in a folder of this user. */
export async function erasing<T>(
  location: string,
  options: StoreOptions,
  work: (eraser: Eraser) => Promise<T>,
): Promise<T> {
  const database = await connect(location);
  try {
    if (!(await hasLedger(database))) throw nothingThere(database);
    const owner = await otherOwner(database);
    const standing =
      options.dryRun === true || owner !== undefined ? undefined : await standStill(database, options);
    try {
      await refuseCopied(database, false);
      await requireNewest(database, options);
      const secret = await erasureKeyOf(database);
      const { clock, command, operator } = options;
      const act = () => (operator === undefined ? undefined : { operator, atMs: clock.wallMs() });
      const ledger = postgresLedger(database, { clock, command, worker: 0, standing }, secret);
      return await work({
        folder: besideFolder(location),
        ledger,
        find: async (target) => ({ ...(await find(database, { target, known: secret, act })), owner }),
      });
    } finally {
      await standing?.end();
    }
  } finally {
    await database.close();
  }
}

interface Finding {
  readonly target: ErasureTarget;
  readonly known: Buffer | undefined;
  readonly act: () => Erasing<unknown>['by'];
}

async function find(database: Database, { target, known, act }: Finding): ReturnType<Eraser['find']> {
  const { found, report } = await database.snapshot((sql) => erasureOf(sql, target));
  return {
    ...report,
    // What a server has room for, it says when it writes, and takes all of it back.
    requireRoom() {},
    async erase(files, atMs) {
      const secret = target.kind === 'person' ? (known ?? keepErasureKey()) : undefined;
      await database.write((sql) => erase(sql, { target, found, atMs, secret, by: act() }));
      removeFiles(files);
      return cleaned(database);
    },
  };
}

const TABLES = [
  ...['calls', 'entries', 'rows', 'planned', 'subjects', 'changes', 'batches', 'pieces', 'files', 'reads'],
  ...['pauses', 'accounts', 'acts', 'listed', 'orders', 'workers', 'paces'],
];

/** Who has to erase where this role may not. Emptied rows are written anew as well, which only the owner of the tables may do. */
const otherOwner = (database: Database): Promise<string | undefined> =>
  oneCell(
    database,
    `SELECT pg_get_userbyid(relowner) FROM pg_class WHERE oid = 'rowonce.entries'::regclass AND NOT pg_has_role(relowner, 'USAGE')`,
  );

/** Former versions of rows go. The write-ahead log of the server, its archive and backups are its owner's. */
async function cleaned(database: Database): Promise<Cleaning> {
  for (const table of TABLES) await database.script(`VACUUM FULL ${table}`);
  return { isDue: false };
}
