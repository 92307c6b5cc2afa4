import type { z } from 'zod';
import type { AgreementQuestion } from '../../client/account/agreements.ts';
import { localTime, systemClock } from '../../core/clock.ts';
import { StopError, stop } from '../../core/errors.ts';
import type { RunEvent } from '../../core/events.ts';
import { present } from '../../core/objects.ts';
import { DO_AGAIN, phrase } from '../../core/phrase.ts';
import { counted, grouped, plainText } from '../../core/plain-text.ts';
import { stopObject } from '../../core/stop-object.ts';
import { type Acceptable, EXIT } from '../../core/stops.ts';
import { commandLine, nextCommand, resumedBy } from '../../lib/command-line.ts';
import { onPause } from '../../lib/pause-signal.ts';
import type { RunObject } from '../../objects/run-object.ts';
import type { StopObject } from '../../objects/stop-object.ts';
import type { SpenderOptions } from '../../run/run-job.ts';
import { type Console, type Host, underHeading } from './command.ts';
import { accept, COMMON, maxPause, wait } from './input.ts';

export const WAITING = 'How it waits and stops:';

/**
 * The input that is common to every command that may send something.
 * @param acceptable the words that `--accept` takes besides an agreement.
 */
export function spendingInput<Word extends Acceptable>(acceptable?: readonly Word[]) {
  return {
    ...COMMON,
    ...underHeading(WAITING, {
      max_pause: maxPause('stop when no call finishes for this long (10m off a terminal)'),
      wait: wait(),
      accept: accept(acceptable),
    }),
  };
}

type SpendingInput = Partial<z.output<z.ZodObject<ReturnType<typeof spendingInput<Acceptable>>>>>;

/**
 * No one watches a command without a terminal. So such a command ends if it has to wait for longer than this,
 * and its scheduler starts it again.
 */
export const MAX_PAUSE_MS = 10 * 60_000;

export const longestPause = (
  { max_pause }: Pick<SpendingInput, 'max_pause'>,
  { interactive }: Console,
): number | undefined => max_pause ?? (interactive ? undefined : MAX_PAUSE_MS);

/** The words of the command that goes on. They may change until the work begins. */
export interface Resume {
  words: readonly string[];
}

type Spending = Omit<SpenderOptions, 'signal' | 'tell' | 'askAgreement' | 'command'> & {
  readonly signal: AbortSignal;
  askAgreement(question: AgreementQuestion<string>): Promise<boolean>;
  tell(fact: string): void;
  onEvent(event: RunEvent, path?: string): void;
};

/** Does the work until it ends or a signal stops it. @param onRunEvent receives each event of the work. */
export async function spend<Ended>(
  { console, ownParts }: Host,
  input: SpendingInput,
  resume: Resume,
  onRunEvent: (event: RunEvent, path?: string) => void,
  work: (spending: Spending) => Promise<Ended>,
): Promise<Ended> {
  let inFlight = 0;
  let batch: string | undefined;
  const next = (): string => (batch === undefined ? commandLine(resume.words) : nextCommand(resume.words));
  const { signal, release } =
    ownParts.signal === undefined
      ? stopOnSignals(console, () => inFlight, next, resume)
      : { signal: ownParts.signal, release: () => {} };
  try {
    const working = work({
      store: input.store,
      operator: input.as,
      accept: input.accept,
      maxPauseMs: longestPause(input, console),
      waitForLockMs: input.wait,
      words: resume.words,
      ...present({ clock: ownParts.clock }),
      signal,
      askAgreement: askAgreementOn(console),
      tell: console.warn,
      onEvent(event, path) {
        if (event.kind === 'sent') inFlight += 1;
        if (event.kind === 'closed') inFlight -= 1;
        if (event.kind === 'batch') batch = event.batch;
        onRunEvent(event, path);
        ownParts.onEvent?.(event, path);
      },
    });
    return await resumedBy(next, working);
  } finally {
    release();
  }
}

/**
 * `--yes` does not answer these questions: it agrees to a price, and not to the author of a dialect or to the
 * place of an account.
 */
export function askAgreementOn(console: Console): (question: AgreementQuestion<string>) => Promise<boolean> {
  return async ({ fact, details, asks = 'Is that what you want?' }) => {
    // Without a terminal nothing is printed, because the stop that follows says the same.
    if (!console.interactive) return false;
    console.warn(details.length === 0 ? fact : `${fact}:`);
    for (const detail of details) console.warn(`  ${detail}`);
    return console.agrees(`${asks} You are asked only once.`);
  };
}

/** The signals of Ctrl-C, of a service manager and of a window that is closed. */
const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

const GO_ON = phrase`${DO_AGAIN} to continue.`;

/**
 * At the first signal the command sends nothing new and waits for the answers that are in flight. At the
 * second it leaves at once. A pause counts as a first signal only.
 * @param inFlight counts the requests whose answers are not in the ledger yet.
 * @param command gives the command line that resumes the run.
 * @returns a signal that fires, with a StopError as its reason, when nothing new may be sent, and a function
 * that removes the listeners.
 */
function stopOnSignals(
  console: Console,
  inFlight: () => number,
  command: () => string,
  resume: Resume,
): { readonly signal: AbortSignal; release(): void } {
  const stopping = new AbortController();
  let wasAsked = false;
  const onSignal = (signal: NodeJS.Signals): void => {
    const code = signal === 'SIGINT' ? 'interrupted' : 'terminated';
    if (wasAsked) {
      const message = `Stopped at once: ${counted(inFlight(), 'call')} may be in doubt; the next run says which.`;
      console.result({ stopped: stopObject({ code, message, next: GO_ON, nextCommand: command() }) });
      console.warn(message);
      console.warn(command());
      process.exit(EXIT[code]);
    }
    wasAsked = true;
    const how = signal === 'SIGINT' ? 'Ctrl-C' : signal;
    const message = `Stopped by ${how}; every answer is kept.`;
    stopping.abort(new StopError({ code, message, next: GO_ON }));
  };
  for (const name of STOP_SIGNALS) process.on(name, onSignal);
  const hearNoPause = onPause(() => stopping.abort(pausedStop(resume)));
  return {
    signal: stopping.signal,
    release() {
      for (const name of STOP_SIGNALS) process.off(name, onSignal);
      hearNoPause();
    },
  };
}

/** The stop of a paused batch. A sweep leaves such a batch alone, and every other command goes on with it. */
function pausedStop({ words: [command] }: Resume): StopError {
  const what = command === 'nightly' ? 'continue with what is not paused' : 'resume it';
  return stop('terminated', 'Paused; every answer is kept.', phrase`${DO_AGAIN} to ${what}.`);
}

/**
 * Asks for agreement; false when no person can answer.
 * @throws StopError `consent` when the person does not agree.
 */
export async function mayBeSent(console: Console, question: string): Promise<boolean> {
  if (await console.agrees(question)) return true;
  if (!console.interactive) return false;
  const fact = 'You did not agree, so nothing was sent.';
  throw stop('consent', fact, phrase`${DO_AGAIN} to be asked again.`);
}

/** Shorter pauses are not shown, because they are over before a person has read about them. */
const PAUSE_TOLD_MS = 60_000;

/**
 * Writes events as lines of a log. Events that are too frequent, or are summed up at the end, are left out.
 */
export function toldOn(console: Console): (event: RunEvent, path?: string) => void {
  return (event, path) => {
    const words = eventWords(event);
    if (words !== undefined) console.say(plainText(path === undefined ? words : `${path}: ${words}`));
  };
}

export type BatchBegun = Extract<RunEvent, { readonly kind: 'batch' }>;

export function rowsWords({ rows, rowsBeyond = 0 }: BatchBegun): string {
  return `${counted(rows, 'row')}${rowsBeyond === 0 ? '' : `, and ${grouped(rowsBeyond)} that the plan adds`}`;
}

export function finishedWords({ rows, rowsBeyond = 0, settled, inDoubt }: BatchBegun): string {
  const doubt = inDoubt === 0 ? '' : `, ${grouped(inDoubt)} ${inDoubt === 1 ? 'is' : 'are'} in doubt`;
  return `${grouped(settled)} of ${grouped(rows + rowsBeyond)} rows are finished${doubt}`;
}

function eventWords(event: RunEvent): string | undefined {
  switch (event.kind) {
    case 'batch':
      return event.resumed
        ? `batch ${event.batch} continues, ${finishedWords(event)}`
        : `batch ${event.batch}, ${rowsWords(event)}`;
    case 'note':
      return event.message;
    case 'paused':
      return event.untilMs - systemClock.wallMs() < PAUSE_TOLD_MS
        ? undefined
        : `paused until ${localTime(event.untilMs)}: ${event.why}`;
    default:
      return undefined;
  }
}

/** The command that shows the rows in doubt. */
export function adviceOn({ batch, counts }: Pick<RunObject, 'batch' | 'counts'>): readonly string[] {
  return counts.in_doubt ? [`What is in doubt: ${commandLine(['settle', batch])}`] : [];
}

/** @param command goes on where the work was stopped, and is printed last. */
export function withNext<Object extends { readonly stopped: StopObject | null }>(
  object: Object,
  command: string,
): Object {
  const { stopped } = object;
  return stopped === null ? object : { ...object, stopped: { ...stopped, next_command: command } };
}
