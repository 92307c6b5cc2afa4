/**
 * Goal: a download is handed out once, as a file and never as a page, and no copy of it stays behind.
 * Method: a real page over a batch that the command line bought, and what is in its folder afterwards.
 */
import { existsSync, readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openDesk } from '../cli/desk.ts';
import { ask, servedIn } from './scene.ts';
import type { Served } from './served.ts';

test('a ticket is worth one file; neither a question about it nor a kill leaves anything of it', async () => {
  const desk = await openDesk();
  desk.list(3);
  const { batch } = await desk.json(desk.run());
  const start = () => servedIn(desk.place.folder, desk.environment());
  const copies = () => {
    const folder = desk.place.path('store/downloads');
    if (!existsSync(folder)) return [];
    return readdirSync(folder, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
  };
  const ticketOf = async (page: Served): Promise<string> => {
    return (await ask(page, 'POST', '/export', { batch })).tickets.output.ticket;
  };

  const killed = await start();
  await ticketOf(killed);
  expect(copies(), 'the output and the report').toHaveLength(2);
  await killed.stop('SIGKILL');
  const page = await start();
  expect(copies()).toEqual([]);

  const path = `/downloads/${await ticketOf(page)}`;
  expect((await page.ask(path, { method: 'HEAD' })).status).toBe(404);
  const { status, headers, body } = await page.ask(path);
  expect([status, body]).toEqual([200, await desk.read('out.csv')]);
  expect(headers).toMatchObject({
    'content-disposition': expect.stringMatching(/^attachment; /),
    'content-security-policy': "sandbox; default-src 'none'",
    'content-type': 'application/octet-stream',
    'x-content-type-options': 'nosniff',
  });
  expect((await page.ask(path)).status).toBe(404);
  await expect.poll(copies).toHaveLength(1);
});
