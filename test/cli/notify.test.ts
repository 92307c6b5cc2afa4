/**
 * Goal: a night tells what came of it, to whom the accounts file names; killed before it was received, the next night tells it again
 * under the same id, and nothing of that is part of the exit code.
 * Method: the real command, a real server that receives, and kill -9 while it holds its answer back.
 */
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { agreeToDialects } from '../agree.ts';
import { proof } from '../combinations.ts';
import { receiver } from '../run/receiver.ts';
import { openNightDesk } from './night-desk.ts';
import { startRowonce } from './rowonce.ts';

test('a night tells its end to whom the accounts file names, and tells it again after kill -9', async () => {
  let isHeld = true;
  const told = await receiver((response) => (isHeld ? undefined : void response.end()));
  const nights = await openNightDesk();
  nights.writeJob('notify: { to: team, on: [end] }');
  nights.drop('a.csv', 'a', 2);
  const refused = await nights.night();
  expect({ code: refused.code, stopped: refused.said.stopped.code }).toEqual({ code: 2, stopped: 'job' });
  expect(refused.stderr).toContain('notify.to: there is no "team" under notify in ');
  nights.desk.place.writeNames({ notify: { team: { webhook: told.url } } });
  const coming = told.next();
  const night = startRowonce(['nightly', 'night.yaml'], {
    cwd: nights.desk.place.folder,
    env: nights.desk.environment(),
  });
  await coming;
  night.kill('SIGKILL');
  await once(night, 'close');
  isHeld = false;
  const next = await nights.night();
  expect(next.code).toBe(0);
  const keys = told.received.map(({ key }) => key);
  expect(keys.length).toBeGreaterThanOrEqual(2);
  expect(new Set(keys).size).toBe(1);
  expect(told.received.at(-1)?.body).toMatchObject({ kind: 'end', job: 'night', counts: { matched: 2 } });
  const more = told.received.length;
  expect((await nights.night()).code).toBe(0);
  expect(told.received).toHaveLength(more);
});

proof(
  'a typed run that is killed before its end was received is told by the next night, of whatever job',
  async () => {
    let isHeld = true;
    const told = await receiver((response) => (isHeld ? undefined : void response.end()));
    const nights = await openNightDesk();
    const { desk } = nights;
    desk.place.writeNames({ notify: { team: { webhook: told.url } } });
    const job =
      'operation: enrich-company\naccount: data\nbudget: { credits: 9 }\nnotify: { to: team, on: [end] }\n';
    await desk.write('typed.yaml', job);
    await desk.write('list.csv', 'Domain\na.example\n');
    const coming = told.next();
    const run = startRowonce(['run', 'typed.yaml', 'list.csv'], {
      cwd: desk.place.folder,
      env: desk.environment(),
    });
    await coming;
    run.kill('SIGKILL');
    await once(run, 'close');
    isHeld = false;
    expect((await nights.night()).code).toBe(0);
    expect(told.received.map(({ body }) => [body.kind, body.job])).toEqual(Array(2).fill(['end', 'typed']));
    expect(new Set(told.received.map(({ key }) => key)).size).toBe(1);
  },
);

proof('few credits are told by the free question of the dialect, which buys nothing', async () => {
  const told = await receiver();
  const nights = await openNightDesk();
  const { place } = nights.desk;
  place.writeDialect({ balance: { method: 'GET', path: '/usage', credits: 'credits' } });
  place.writeAccount(place.vendor.url, { dialect: 'dialect.yaml' });
  await agreeToDialects(place.path('config'));
  place.writeNames({ notify: { team: { webhook: told.url } } });
  nights.writeJob('notify: { to: team, on: [low_balance] }');
  nights.drop('a.csv', 'a', 2);
  expect((await nights.night()).code).toBe(0);
  expect(told.received.map(({ body }) => body)).toMatchObject([
    { kind: 'low_balance', balance: 2, credits: { spent: 2 } },
  ]);
});
