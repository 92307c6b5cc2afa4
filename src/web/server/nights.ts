import { resolve } from 'node:path';
import type { HttpBindings } from '@hono/node-server';
import { Hono } from 'hono';
import { loadAccounts } from '../../client/account/account.ts';
import { describedOperation } from '../../core/described.ts';
import { type CreditPrice, moneyFor } from '../../core/money.ts';
import { present } from '../../core/objects.ts';
import { accountsPath } from '../../core/paths.ts';
import { stepNames } from '../../core/steps.ts';
import { isAlive } from '../../lib/alive.ts';
import { checkInput } from '../../lib/yaml/schema-problem.ts';
import type { SpentAtObject } from '../../objects/log-object.ts';
import type { NightEndObject } from '../../objects/run-object.ts';
import { unlessStopped } from '../../run/known-account.ts';
import { nightEnds } from '../../run/night-ends.ts';
import { type Inboxed, InboxQuery, type ListJob, NewNight, NightRequest, type Nights } from '../api.ts';
import { bodyOf } from './answers.ts';
import { keptLists } from './list-files.ts';
import type { Server } from './server.ts';

/** Jobs with a schedule: those for which `serve` was started, and those that were made on the page. */
export function nightRoutes(server: Server): Hono {
  const { sweeps } = server;
  return new Hono()
    .get('/nights', async (context) => context.json(await nightsNow(server)))
    .post('/nights', async (context) => context.json(await sweeps.make(await bodyOf(context, NewNight))))
    .put('/nights/:job', async (context) => {
      await sweeps.change(context.req.param('job'), await bodyOf(context, NightRequest));
      return context.json(await nightsNow(server));
    })
    .put('/nights/:job/files', async (context) => {
      const { name } = checkInput(context.req.path, InboxQuery, context.req.query());
      const { incoming } = context.env as HttpBindings;
      const inboxed = { name: await sweeps.put(context.req.param('job'), name, incoming) };
      return context.json(inboxed satisfies Inboxed, 201);
    })
    .delete('/nights/:job', async (context) => {
      await sweeps.remove(context.req.param('job'));
      return context.json(await nightsNow(server));
    });
}

async function nightsNow(server: Server): Promise<Nights> {
  // What is wrong in the accounts file is said where an account is needed.
  const accounts = await unlessStopped(loadAccounts());
  const lists = (await keptLists(server)).flatMap(({ id, name, job, mends }) => {
    const operation = job.operation ?? operationsIn(job.operations);
    return operation === undefined || isOfService(operation)
      ? []
      : [{ list: id, name, operation, mends: mends.length }];
  });
  const { path: accounts_file = accountsPath(), inboxes = new Map<string, string>() } = accounts ?? {};
  const prices = new Map(accounts?.configured.map(({ name, price }) => [name, price]));
  const ended = (await nightEnds(server.store)).map((end, at) => {
    return { ...end, running: isUnderWay(end, at), spent: spentIn(end, prices) };
  });
  return {
    nights: server.sweeps.views().map((night) => {
      return { ...night, ended: ended.filter(({ jobs }) => jobs.includes(night.path)) };
    }),
    ended,
    time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    lists,
    inboxes: [...inboxes].map(([name, folder]) => ({ name, folder: resolve(accounts_file, '..', folder) })),
    accounts_file,
  };
}

/** What a night has paid each account, over all files. */
function spentIn(
  { sweep }: NightEndObject,
  prices: ReadonlyMap<string, CreditPrice | undefined>,
): readonly SpentAtObject[] {
  const parts = (sweep?.files ?? []).flatMap(({ accounts = [], credits: { exact } }) =>
    accounts.map((part) => ({ ...part, exact })),
  );
  return [...Map.groupBy(parts, ({ account }) => account)].map(([account, paid]) => {
    const spent = paid.reduce((sum, part) => sum + part.spent, 0);
    const cost = moneyFor([{ credits: spent, price: prices.get(account) }]);
    return { account, spent, exact: paid.every(({ exact }) => exact), requests: 0, ...present({ cost }) };
  });
}

/** Of two that have not ended the older one was killed, because one process spends from a store. */
const isUnderWay = ({ pid }: NightEndObject, at: number): boolean =>
  at === 0 && pid !== undefined && pid !== process.pid && isAlive(pid);

const operationsIn = (operations: ListJob['operations']): string | undefined =>
  operations && (Array.isArray(operations) ? operations : Object.keys(operations)).join(',');

/** A service has people and projects, and no one sees at night what becomes of them. */
const isOfService = (operation: string): boolean =>
  stepNames(operation).some((name) => describedOperation(name)?.vendor === 'service');
