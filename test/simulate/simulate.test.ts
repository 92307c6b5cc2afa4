import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { Copy, MUTATIONS } from '../mutations.ts';
import { times } from '../support/combinations.ts';
import { ENDLESS } from './endless.ts';

/**
 * Goal: What follows from a seed keeps every promise, a seed that fails tomorrow is played again to the byte, and what breaks a promise is
 * found, also where a run does not end.
 *
 * Method: The command plays fixed seeds in a process of its own, and some of them once more in another process, in another order.
 * Then it plays a copy of the source that has one rule less, and copies whose runs or batches do not end.
 */

const SIMULATE = join(import.meta.dirname, 'simulate.ts');
const FIXED = times(50, 150);
/** One of each kind of world at least. */
const AGAIN = times(5, 100);

/** Of a busy machine with one core. */
const LONGEST_MS = 600_000;

const OF_ONE_SEED = /^\d+ [0-9a-f]{16} \d+$/;

interface Played {
  readonly each: readonly string[];
  /** What is said beside: of faults, and of all. */
  readonly told: readonly string[];
}

async function played(seeds: string): Promise<Played> {
  const words = [SIMULATE, '--each', '--seeds', seeds];
  const { stdout } = await promisify(execFile)(process.execPath, words).catch((failed) => failed);
  const lines: readonly string[] = String(stdout).trimEnd().split('\n');
  const isOfOne = (line: string): boolean => OF_ONE_SEED.test(line);
  return { each: lines.filter(isOfOne), told: lines.filter((line) => !isOfOne(line)) };
}

/** In an order in which none follows the one that it follows among all. */
const someOfThem = Array.from({ length: AGAIN }, (_, at) => 1 + ((at * 37) % AGAIN));

test('worlds keep every promise, and a seed replays exactly: the same requests at the same times', {
  timeout: LONGEST_MS,
}, async () => {
  const [all, some] = await Promise.all([played(`${FIXED}`), played(someOfThem.join())]);
  expect(all.told).toEqual([
    expect.stringMatching(/^\d+ worlds, \d+ crashes, \d+ requests, 0 faults, digest [0-9a-f]{16}$/),
  ]);
  expect([all.each.length, some.each.length]).toEqual([FIXED, AGAIN]);
  expect(some.each.filter((line) => !all.each.includes(line))).toEqual([]);
});

const storyIn = (told: string): readonly string[] =>
  told.split('\n').filter((line) => line.startsWith('A fault') || line.startsWith('  '));

test('without a rule a world shows what happens, in words, with the command that plays it again', () => {
  const [mutation] = MUTATIONS.filter(({ rule }) => rule.startsWith('4: '));
  if (mutation === undefined) throw new Error('rule 4 is the one that is taken out');
  const copy = new Copy();
  copy.without(mutation, () => {
    const found = copy.simulate('--world', 'lists', '--seeds', '20', '--until-fault');
    expect(found).toMatch(
      /^A fault in world lists of seed \d+: Error: a request left without a committed intent: \//m,
    );
    expect(found, 'what the people typed').toMatch(
      /^ {2}.*rowonce run job.yaml list.csv .*vendor: .*network: /m,
    );
    expect(found, 'what came of it').toMatch(/^ {2}\S+Z POST \/\S+ \{.*\}$/m);
    const [, again = ''] = /^Play it again: npm run simulate -- (.*)$/m.exec(found) ?? [];
    const replayed = copy.simulate(...again.split(' '), '--until-fault');
    expect(storyIn(replayed)).toEqual(storyIn(found));
  });
});

test.for(ENDLESS)(
  'what does not end is named by its world and its seed: $what',
  {
    timeout: LONGEST_MS,
  },
  ({ played, why, ...planted }) => {
    const [, world, , seed] = played;
    const copy = new Copy();
    const found = copy.without(planted, () => copy.simulate(...played, '--seeds', '1', '--until-fault'));
    expect(found).toMatch(new RegExp(`^A fault in world ${world} of seed ${seed}: ${why}$`, 'm'));
    expect(found).toContain(`Play it again: npm run simulate -- --world ${world} --from ${seed} --seeds 1\n`);
  },
);

test.for([
  ['--seedz 5', "Unknown option '--seedz'"],
  ['7', "Unexpected argument '7'"],
  ['--world moon', '--world moon is none of lists, histories, team, fill, page'],
  ['--seeds many', '--seeds many is no number'],
] as const)(
  'what is typed wrongly is said in one sentence, and is no fault of a world: %s',
  async ([words, why]) => {
    const started = promisify(execFile)(process.execPath, [SIMULATE, ...words.split(' ')]);
    const { code, stdout, stderr } = await started.then(
      (ended) => ({ ...ended, code: 0 }),
      (failed) => failed,
    );
    const takes =
      'npm run simulate takes --seeds, --from, --world, --day, --until-fault, --each, --tell, --longest.';
    expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: '', stderr: `${why}; ${takes}\n` });
  },
);
