/**
 * Goal: a list whose letters nobody can be sure of is not read on the page before a person has said its encoding, by a choice that
 * shows its cells; from then on it is read, planned and bought by these letters.
 * Method: the bytes of another library, brought to the real server, in a real browser.
 */
import iconv from 'iconv-lite';
import { expect, test } from 'vitest';
import { openDesk } from '../cli/desk.ts';
import { ask, servedIn, useBrowser } from './scene.ts';

const tabAt = useBrowser();

test('a person chooses the reading in which she knows the names, and the list goes on with it', async () => {
  const desk = await openDesk();
  const served = await servedIn(desk.place.folder, desk.environment());
  const body = iconv.encode('Name,Domain\n王小明,a.example\n李娜,b.example\n', 'gb18030');
  const brought = await served.tool('/api/lists?name=list.csv', { method: 'PUT', body });
  const { id } = JSON.parse(brought.body);
  expect(await ask(served, 'POST', '/plan', { file: id })).toMatchObject({
    status: 400,
    error: {
      code: 'input',
      choices: expect.arrayContaining([
        { flag: '--encoding', value: 'gb18030', says: 'it is GB18030: "王小明" and "李娜"' },
      ]),
    },
  });
  const page = await tabAt(served, `/lists/${id}`);
  await page.getByLabel('Which is right?').selectOption('It is GB18030: "王小明" and "李娜"');
  await expect.poll(() => page.getByText('it is not clear in which encoding').count()).toBe(0);
  await page.getByText('李娜', { exact: true }).first().waitFor();
  expect(await desk.requests()).toBe(0);
});
