import { expect } from 'vitest';
import { typedAt } from '../cli/typed.ts';
import type { Server } from '../ledger/stores/postgres-server.ts';

/** Makes a database as its owner does: `store init`, and what that prints, so that others may work on it under `WORKER`. */
export async function layOutOn(server: Server, database: string): Promise<void> {
  await server.createDatabase(database);
  const { code, stdout, stderr } = await typedAt(['store', 'init', server.url(database)]);
  expect(code, stderr).toBe(0);
  await server.query(database, stdout);
}

export const WORKER = 'rowonce_worker';
