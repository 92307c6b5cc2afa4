import { Hono } from 'hono';
import type { ScheduledStart, ScheduleList } from '../api.ts';
import { HttpRefusal } from './answers.ts';
import { keptList } from './list-files.ts';
import type { Server } from './server.ts';

export function scheduleRoutes(server: Server): Hono {
  const { schedules } = server;
  return new Hono()
    .get('/schedules', async (context) =>
      context.json({
        time_zone: schedules.timeZone,
        schedules: [...(await schedules.list())],
        starts: await startsOf(server),
        damaged: [...(await schedules.damaged())],
      } satisfies ScheduleList),
    )
    .post('/schedules/:number/run', async (context) =>
      context.json(await schedules.run(Number(context.req.param('number')))),
    )
    .delete('/schedules/starts/:id', async (context) => {
      const id = context.req.param('id');
      if (!(await schedules.drop(id)))
        throw new HttpRefusal(404, 'This start no longer exists.', 'See all schedules.');
      return context.json({ dropped: id });
    });
}

function startsOf(server: Server): Promise<ScheduledStart[]> {
  const nameOf = (list: string): Promise<string | null> =>
    keptList(server, list).then(
      ({ name }) => name,
      () => null,
    );
  return Promise.all(
    server.schedules.starts().map(async (start) => {
      const name = await nameOf(start.list);
      return { ...start, name, last: name === null ? lastWithout(start) : start.last };
    }),
  );
}

/** A run that no longer found its list says so by paths that nobody has seen. */
function lastWithout({ last, list }: Pick<ScheduledStart, 'last' | 'list'>): ScheduledStart['last'] {
  const isAboutPath = last?.message?.includes(list) === true;
  return last !== null && isAboutPath ? { ...last, message: 'Its list was removed before it began.' } : last;
}
