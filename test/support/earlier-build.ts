import Database from 'better-sqlite3';
import { callKeyOf } from '../../src/core/call-key.ts';
import { keptKey } from '../../src/ledger/context.ts';

/** As if an earlier build had asked by another host than today's, and had marked its batches as such a build did. */
export function asEarlierBuild(path: string, today: string, before: string): void {
  const db = new Database(path);
  const secret = db.prepare("SELECT value FROM meta WHERE name = 'secret'").pluck().get() as string;
  // The tables refuse that an attempt becomes another call.
  const triggers = db
    .prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'attempts'")
    .all() as readonly { name: string; sql: string }[];
  for (const { name } of triggers) db.exec(`DROP TRIGGER ${name}`);
  const attempts = db
    .prepare(
      'SELECT c.id, c.operation, c.asked, a.identity FROM attempts c JOIN accounts a ON a.id = c.account',
    )
    .all() as readonly { id: number; operation: string; asked: string; identity: string }[];
  for (const { id, operation, asked, identity } of attempts) {
    if (!asked.includes(today)) continue;
    const was = asked.replace(today, before);
    const key = callKeyOf(identity, { operation, ...JSON.parse(was) });
    db.prepare('UPDATE attempts SET asked = ?, key = ? WHERE id = ?').run(was, keptKey(secret, key), id);
  }
  for (const { sql } of triggers) db.exec(sql);
  db.exec(`UPDATE batches SET facts = json_remove(facts, '$.settings.by_kind')`);
  db.close();
}
