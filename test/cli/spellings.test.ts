/**
 * Goal: one company and one person are one call, however a sheet spells them, also in a later list.
 * Method: the real commands before the sandbox, whose log says what was asked.
 */
import { describe, expect, test } from 'vitest';
import { proof } from '../combinations.ts';
import { type Desk, openDesk } from './desk.ts';

const asked = (desk: Desk): readonly object[] => desk.place.vendor.requests().map(({ body }) => body);

describe('one call', () => {
  proof(
    'is a website with http, with https, with neither, with a slash and with an apostrophe before it',
    async () => {
      const desk = await openDesk();
      const spellings = [
        'http://x.example',
        'x.example',
        'https://x.example/',
        'HTTP://X.example/',
        "'x.example",
      ];
      await desk.write('list.csv', `Website\n${spellings.join('\n')}\n`);
      await desk.write('job.yaml', 'operation: enrich-company\nwaterfall: [website]\n');
      const plan = await desk.json(['plan', 'job.yaml', 'list.csv']);
      expect(plan).toMatchObject({ duplicates: 4, to_buy: 1 });
      const run = await desk.json(['run', 'job.yaml', 'list.csv', '--budget', '9', '-o', 'out.csv']);
      expect(run).toMatchObject({ counts: { matched: 5 }, requests: 1, credits: { spent: 1 } });
      expect(asked(desk)).toEqual([{ website: 'http://x.example' }]);
    },
  );

  proof('asks for a website as the first of its rows has written it', async () => {
    const desk = await openDesk({ concurrency: 1 });
    const rows = ['x.example', 'http://x.example', 'http://y.example/Branch?id=1#top', 'https://y.example'];
    await desk.write('list.csv', `Website\n${rows.join('\n')}\n`);
    await desk.write('job.yaml', 'operation: enrich-company\nwaterfall: [website]\n');
    await desk.type(['run', 'job.yaml', 'list.csv', '--budget', '9', '-o', 'out.csv']);
    const websites = ['https://x.example', 'http://y.example/Branch?id=1', 'https://y.example'];
    expect(asked(desk)).toEqual(websites.map((website) => ({ website })));
    const { attempts } = await desk.json(['status', 'last', '4']);
    expect(attempts[0].parameters).toEqual({ website: websites[1] });
  });

  test('is a website with http: that an earlier list has asked for with https:, until it is refreshed', async () => {
    const desk = await openDesk();
    await desk.write('job.yaml', 'operation: enrich-company\nwaterfall: [website]\n');
    await desk.write('list.csv', 'Website\nhttps://x.example\nhttps://y.example\n');
    await desk.json(['run', 'job.yaml', 'list.csv', '--budget', '9', '-o', 'out.csv']);
    await desk.write('later.csv', 'Website\nhttp://x.example/\nhttp://y.example\n');
    expect(await desk.json(['plan', 'job.yaml', 'later.csv'])).toMatchObject({ bought_before: 2, to_buy: 0 });
    const words = ['run', 'job.yaml', 'later.csv', '--budget', '9', '-o', 'later-out.csv'];
    await desk.json(words);
    expect(asked(desk)).toHaveLength(2);
    await desk.json([...words, '--refresh']);
    expect(asked(desk).slice(2)).toEqual(
      expect.arrayContaining([{ website: 'http://x.example' }, { website: 'http://y.example' }]),
    );
  });
});
