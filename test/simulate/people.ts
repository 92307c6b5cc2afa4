/** What people type, and what happens to them meanwhile, as a history has it. */
import fc, { type Arbitrary } from 'fast-check';
import { promise } from './played.ts';
import type { Fault, Mishap } from './process.ts';
import type { Ended, Stage } from './stage.ts';
import { wallMs } from './world.ts';

/** A command of twelve rows passes some 900 doors; later ones strike nothing. */
const MOST_PASSAGES = 1_200;

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

const crash: Arbitrary<Mishap> = fc.constantFrom({ kind: 'kill' }, { kind: 'power' });

const sleep: Arbitrary<Mishap> = fc
  .constantFrom(3_000, 10_000, 5 * MINUTE_MS, 9 * HOUR_MS)
  .map((ms) => ({ kind: 'sleep', ms }));

const jump: Arbitrary<Mishap> = fc
  .tuple(fc.constantFrom(1, -1), fc.constantFrom(MINUTE_MS, 3 * HOUR_MS, 2 * DAY_MS, 40 * DAY_MS))
  .map(([sign, ms]) => ({ kind: 'clock', ms: sign * ms }));

/**
 * By how much the clock of the machine is wrong from the beginning: within what two clocks may differ by, and
 * beyond it, but within the day by which a run would stop at once.
 */
export const clocks = fc.constantFrom(0, 0, 0, 0, 0, 0, 4 * MINUTE_MS, 20 * HOUR_MS, -20 * HOUR_MS);

export const clockWords = (ms: number): string =>
  ms === 0 ? '' : `, a clock that is off by ${timeWords(ms)}`;

const signal: Arbitrary<Mishap> = fc
  .constantFrom<NodeJS.Signals[]>('SIGINT', 'SIGTERM')
  .map((name) => ({ kind: 'signal', name }));

const at = fc.integer({ min: 1, max: MOST_PASSAGES });
const when = fc.constantFrom<Fault['when'][]>('before', 'after');

export const crashes: Arbitrary<readonly Fault[]> = fc.array(fc.record({ at, when, what: crash }), {
  maxLength: 1,
});

/** All that may happen to a command. A signal of two comes twice, as impatient people send it. */
export const mishaps: Arbitrary<readonly Fault[]> = fc.array(
  fc.record({
    at,
    when,
    what: fc.oneof(
      { weight: 4, arbitrary: crash },
      { weight: 2, arbitrary: signal },
      { weight: 1, arbitrary: sleep },
      { weight: 1, arbitrary: jump },
    ),
  }),
  { maxLength: 2 },
);

/** `4 days`, `90 seconds`. */
export function timeWords(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (Math.abs(ms) >= 2 * DAY_MS) return `${Math.round(ms / DAY_MS)} days`;
  if (Math.abs(ms) >= 2 * HOUR_MS) return `${Math.round(ms / HOUR_MS)} hours`;
  return `${seconds} seconds`;
}

export function faultWords({ at, when, what }: Fault): string {
  const named = what.kind === 'signal' ? what.name : what.kind;
  return `${named}${'ms' in what ? ` of ${timeWords(what.ms)}` : ''} ${when} passage ${at}`;
}

export const typedWords = (words: readonly string[], faults: readonly Fault[]): string =>
  [`rowonce ${words.join(' ')}`, ...faults.map(faultWords)].join('; ');

const BUG = /bug of Rowonce|Rowonce has a bug|bug of ours/;

/** Types a command. No end of it is a bug, and it has an end. */
export async function type(
  stage: Stage,
  words: readonly string[],
  faults: readonly Fault[] = [],
): Promise<Ended> {
  const [ended] = await typeBeside(stage, { words, faults }, []);
  return ended as Ended;
}

export interface Typed {
  readonly words: readonly string[];
  readonly faults?: readonly Fault[];
  /** How long after the first. */
  readonly afterMs?: number;
}

/** Types a command, and others while it goes on. */
export async function typeBeside(
  stage: Stage,
  first: Typed,
  others: readonly Typed[],
): Promise<readonly Ended[]> {
  const typed = [first, ...others];
  const all = await stage.play(
    typed.map(({ words, faults, afterMs }) => stage.start(words, faults, afterMs)),
  );
  for (const [index, { words, faults = [] }] of typed.entries()) {
    const ended = all[index] as Ended;
    stage.tell(`${typedWords(words, faults)} -> ${endWords(ended)}`);
    promise(ended.how !== 'hung', `it hangs: ${words.join(' ')}`);
    promise(ended.how !== 'endless', `it does not end: ${words.join(' ')}`);
    promise(ended.exitCode !== 1 && !BUG.test(ended.stdout + ended.stderr), `a bug: ${ended.stderr}`);
  }
  return all;
}

const MOST_SAID = 300;

function endWords({ how, exitCode, stdout, stderr }: Ended): string {
  if (how !== 'ended') return how;
  const said = stdoutStop(stdout) ?? (exitCode === 0 ? '' : stderr.trim().replaceAll('\n', ' | '));
  return `${exitCode} ${said.slice(0, MOST_SAID)}`;
}

function stdoutStop(stdout: string): string | undefined {
  const stopped = objectIn<{ stopped?: { code: string; message: string } | null }>(stdout)?.stopped;
  return stopped ? `${stopped.code}: ${stopped.message}` : undefined;
}

/** Until the time that a stop names. */
export function waitUntil(stage: Stage, at: string): void {
  stage.schedule.skip(Math.max(0, Date.parse(at) - wallMs(stage)));
}

/** What `--json` printed. */
export function objectIn<Printed>(stdout: string): Printed | undefined {
  const text = stdout.trim();
  return text.startsWith('{') ? (JSON.parse(text) as Printed) : undefined;
}
