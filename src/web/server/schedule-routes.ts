import { Hono } from 'hono';
import type { ScheduleList } from '../api.ts';
import type { Schedules } from './schedules.ts';

export function scheduleRoutes(schedules: Schedules): Hono {
  return new Hono()
    .get('/schedules', (context) =>
      context.json({
        time_zone: schedules.timeZone,
        schedules: [...schedules.list()],
      } satisfies ScheduleList),
    )
    .post('/schedules/:number/run', (context) =>
      context.json(schedules.run(Number(context.req.param('number')))),
    );
}
