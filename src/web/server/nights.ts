import { Hono } from 'hono';
import { NightRequest, type Nights } from '../api.ts';
import { bodyOf, HttpRefusal } from './answers.ts';
import type { Server } from './server.ts';

/** Jobs with a schedule, for which `serve` was started. `POST /api/nightly` runs one of them now. */
export function nightRoutes({ sweeps }: Server): Hono {
  return new Hono()
    .get('/nights', (context) => context.json({ nights: sweeps.views() } satisfies Nights))
    .put('/nights/:job', async (context) => {
      const { paused } = await bodyOf(context, NightRequest);
      if (!(await sweeps.setPaused(context.req.param('job'), paused)))
        throw new HttpRefusal(404, 'There is no such night.', 'See all nights.');
      return context.json({ nights: sweeps.views() } satisfies Nights);
    });
}
