/**
 * The script of a careful user: `node checkpoint.ts URL LIST OUTPUT STORE`. Each row is written down before its request leaves and
 * again with its answer, both on the disk before the script goes on, so that a script that is started again asks only for the others.
 */
import Database from 'better-sqlite3';
import PQueue from 'p-queue';
import { AT_ONCE, type Found, rowsOf, Sheet, Vendor } from './work.ts';

const [url = '', list = '', output = '', store = ''] = process.argv.slice(2);
const db = new Database(store);
db.pragma('journal_mode = WAL');
db.pragma('synchronous = FULL');
db.exec('CREATE TABLE IF NOT EXISTS rows (id INTEGER PRIMARY KEY, asked_at INTEGER NOT NULL, answer TEXT)');
const known = db.prepare<[number], { readonly answer: string | null }>(
  'SELECT answer FROM rows WHERE id = ?',
);
const ask = db.prepare('INSERT OR REPLACE INTO rows (id, asked_at) VALUES (?, ?)');
const answered = db.prepare('UPDATE rows SET answer = ? WHERE id = ?');

const vendor = new Vendor(url);
const sheet = new Sheet(output);
const queue = new PQueue({ concurrency: AT_ONCE });
let id = 0;
for await (const row of rowsOf(list)) {
  id += 1;
  const own = id;
  const before = known.get(own)?.answer ?? undefined;
  if (before !== undefined) {
    sheet.write(row, JSON.parse(before) as Found);
    continue;
  }
  await queue.onSizeLessThan(AT_ONCE);
  queue.add(async () => {
    ask.run(own, Date.now());
    const found = await vendor.ask(row);
    answered.run(JSON.stringify(found), own);
    sheet.write(row, found);
  });
}
await queue.onIdle();
await sheet.end();
await vendor.close();
db.close();
