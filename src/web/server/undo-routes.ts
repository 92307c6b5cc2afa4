import { hash } from 'node:crypto';
import { Hono } from 'hono';
import { stop } from '../../core/errors.ts';
import type { FoundBatch } from '../../run/open-ledger.ts';
import { UndoQuery, UndoRequest, UndoView } from '../api.ts';
import { bodyOf, queryOf } from './answers.ts';
import { batchOf } from './batch-routes.ts';
import { askChild } from './children.ts';
import type { Server } from './server.ts';

/** Takes back what a batch changed: first the plan, then the undo of what was shown. */
export function undoRoutes(server: Server): Hono {
  return new Hono()
    .get('/batches/:id/undo', async (context) => {
      const { row } = queryOf(context, UndoQuery);
      return context.json(await planOf(server, await batchOf(context, server), row));
    })
    .post('/batches/:id/undo', async (context) => {
      const { plan: shown, row } = await bodyOf(context, UndoRequest);
      const found = await batchOf(context, server);
      const { plan } = await planOf(server, found, row);
      if (plan !== shown)
        throw stop('plan', 'What the undo would send has changed since it was shown.', 'Check the new plan.');
      const { batch, location } = found;
      const words = [
        ...['undo', batch.id, ...ofRow(row)],
        ...['--yes', '--attention-ok', '--wait', '10m', '--store', location],
      ];
      return context.json(server.work.start({ kind: 'undo', words, store: location, about: batch.id }));
    });
}

const Printed = UndoView.omit({ plan: true, sandbox: true });

/** Of a row that removed somebody: only that person is invited again. */
const ofRow = (row: number | undefined): readonly string[] =>
  row === undefined ? [] : ['--invite-again', String(row)];

async function planOf(
  { program }: Server,
  { batch, location }: FoundBatch,
  row: number | undefined,
): Promise<UndoView> {
  const words = ['undo', batch.id, '--plan', ...ofRow(row), '--store', location];
  const printed = Printed.parse(await askChild(program, words));
  const plan = hash('sha256', JSON.stringify(printed), 'hex');
  return { ...printed, sandbox: batch.sandbox, plan };
}
