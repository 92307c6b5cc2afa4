import { Hono } from 'hono';
import type { Server } from '../server/server.ts';
import { accountRoutes } from './account-routes.ts';
import { actionRoutes } from './actions.ts';
import { batchRoutes } from './batch.ts';
import { readingRoutes } from './lists.ts';
import { planRoutes } from './plans.ts';
import { rowRoutes } from './row-routes.ts';

/** Routes that only the old page uses. This folder goes when that page goes. */
export function oldPageRoutes(server: Server): Hono {
  return new Hono()
    .route('/', batchRoutes(server))
    .route('/', actionRoutes(server))
    .route('/', readingRoutes(server))
    .route('/', planRoutes(server))
    .route('/', rowRoutes(server))
    .route('/', accountRoutes(server));
}
