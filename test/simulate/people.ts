/** What people type, and what happens to them meanwhile, as a history has it. */
import fc, { type Arbitrary } from 'fast-check';
import { promise } from './played.ts';
import type { Fault, Mishap } from './process.ts';
import type { Ended, Stage } from './stage.ts';

/** A command of twelve rows passes some 900 doors; later ones strike nothing. */
const MOST_PASSAGES = 1_200;

const crash: Arbitrary<Mishap> = fc.constantFrom({ kind: 'kill' }, { kind: 'power' });

export const crashes: Arbitrary<readonly Fault[]> = fc.array(
  fc.record({
    at: fc.integer({ min: 1, max: MOST_PASSAGES }),
    when: fc.constantFrom('before', 'after'),
    what: crash,
  }),
  { maxLength: 1 },
);

export function faultWords({ at, when, what }: Fault): string {
  const { kind } = what;
  return `${kind}${'ms' in what ? ` of ${what.ms} ms` : ''} ${when} passage ${at}`;
}

export const typedWords = (words: readonly string[], faults: readonly Fault[]): string =>
  [`rowonce ${words.join(' ')}`, ...faults.map(faultWords)].join('; ');

const BUG = /bug of Rowonce/;

/** Types a command. No end of it is a bug, and it has an end. */
export async function type(
  stage: Stage,
  words: readonly string[],
  faults: readonly Fault[] = [],
): Promise<Ended> {
  const ended = await stage.command(words, faults);
  stage.tell(`${typedWords(words, faults)} -> ${ended.how} ${ended.exitCode ?? ''}`);
  promise(ended.how !== 'hung', `it hangs: ${words.join(' ')}`);
  promise(!BUG.test(ended.stdout + ended.stderr), `a bug: ${ended.stderr}`);
  return ended;
}
