import { expect, test } from 'vitest';
import run from '../../src/commands/run.ts';
import { takesFlag } from '../../src/commands/shared/command.ts';
import { ACCEPTABLE, type Answer, STOPS, stopCodes } from '../../src/core/stops.ts';

/*
 * Goal: what a stop offers is taken by the command that it has stopped. A button of the page is made of it.
 * Method: each answer that a stop may take, before the input of `run`, which meets all stops of a list.
 */

const VALUES: Readonly<Record<string, string>> = {
  '--encoding': 'utf-8',
  '--header-row': '2',
  '--sheet': 'People',
};

function typed(answer: Answer) {
  if (answer === 'yes') return { flag: '--yes' };
  if (answer.startsWith('--')) return { flag: answer, value: VALUES[answer] };
  return { flag: '--accept', value: answer.replace('HASH', '0'.repeat(32)) };
}

const ANSWERS = stopCodes().flatMap((code) => STOPS[code].answers.map((answer) => [code, answer] as const));

test.each(ANSWERS)('%s is answered by %s, which run takes', (_, answer) => {
  expect(takesFlag(run.input, typed(answer))).toBe(true);
});

test('each word of --accept answers a stop, but the one that a row names', () => {
  const answering = new Set<string>(ANSWERS.map(([, answer]) => answer));
  expect(Object.keys(ACCEPTABLE).filter((word) => !answering.has(word))).toEqual(['shared-host']);
});
