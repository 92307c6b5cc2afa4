/**
 * Goal: a contestant that is not installed is named with what it needs, and the others are measured without it.
 * Method: the real contestants, with programs that are looked for in an empty folder, and a round of them.
 */
import { expect, test, vi } from 'vitest';
import { inFolder } from '../../bench/program.ts';
import { BULLMQ, others } from '../../bench/speed/contestants.ts';
import { Desk } from '../../bench/speed/fixture.ts';
import { Rounds } from '../../bench/speed/measure.ts';

test('a job queue that is not installed is named with all that it needs, and a ratio to it says that it is absent', async () => {
  await inFolder(async (folder) => {
    const desk = await Desk.open(folder);
    vi.stubEnv('PATH', folder);
    const track = { desk, rows: 1, url: 'http://127.0.0.1:1', core: undefined };
    const cost = { seconds: 2, processorSeconds: 1, peakMiB: 1 };
    const ours = { name: 'rowonce run', rows: 1, run: async () => cost };
    const options = { rows: 1, quick: true, runs: 3, folder, say: () => undefined };
    const queue = others(track).filter(({ name }) => name === BULLMQ);
    const rounds = await Rounds.of(options, [ours, ...queue]);
    const line = rounds.lines('unlimited').find(({ contestant }) => contestant === BULLMQ);
    // A developer may have the libraries in a folder that NODE_PATH names.
    expect(line?.absent).toMatch(/redis-server not installed$/);
    expect(rounds.speed('rowonce run', BULLMQ)).toBe(`${BULLMQ}: absent`);
    expect(rounds.processor('rowonce run', 'rowonce run')).toBe('1.00 (1000000 s a million)');
  });
});
