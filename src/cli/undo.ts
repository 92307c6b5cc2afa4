import type { Command } from 'commander';
import { commandLine, durationOf, resumedBy, typedCommand, withArgument } from '../core/command-line.ts';
import { EXIT, type ExitCode, stop } from '../core/errors.ts';
import { counted, plainText, sentence } from '../core/plain-text.ts';
import { ATTENTION_KINDS, OUTCOME_KINDS } from '../core/row.ts';
import type { ChangePlan } from '../plan/team/change-plan.ts';
import { diffLines, sentCounts } from '../plan/team/diff-words.ts';
import { findBatch } from '../run/find-batch.ts';
import { exitCodeOf, type RunSummary } from '../run/summary.ts';
import { type NotUndone, type Undone, undoBatch } from '../run/undo.ts';
import { eventWords, InFlight } from './render/events.ts';
import type { CliCommand, Console } from './shell/command.ts';
import { stoppedObject } from './shell/console.ts';
import { stopOnSignals } from './shell/stop-signals.ts';

interface Flags {
  readonly output?: string;
  readonly yes?: true;
  readonly maxPause?: string;
  readonly wait?: string;
  readonly attentionOk?: true;
  readonly store?: string;
}

const undo: CliCommand = {
  name: 'undo',
  summary: 'Takes back what a batch changed in the service; the same command again goes on where it stopped.',
  example: 'npx --no rowonce undo last',
  configure(command: Command, wrap) {
    command
      .argument('<batch>', 'its id, the beginning of it, or "last"')
      .option('-o, --output <file>', 'where the output goes; left out: beside the list, in the store')
      .option('--yes', 'agree without being asked')
      .option('--max-pause <duration>', 'stop when nothing moves for so long (10m off a terminal)')
      .option('--wait <duration>', 'wait so long for another process that is spending from the store')
      .option('--attention-ok', 'exit with 0 even when something could not be undone')
      .action(wrap(undoCommand));
  },
};

export default undo;

/** Without a terminal nobody watches, so a run that has to wait for longer ends; the scheduler starts it again. */
const MAX_PAUSE_MS = 10 * 60_000;

async function undoCommand(
  console: Console,
  word: string,
  flags: Flags,
  command: Command,
): Promise<ExitCode> {
  const { output, yes, maxPause, wait, store } = flags;
  if (output === '-') throw stop('usage', 'The output of an undo is a file.', 'Name one with -o.');
  const { batch, location } = await findBatch(word, store, console.warn);
  // The printed command names the batch, because "last" would then be the undo itself.
  const words = withArgument(process.argv.slice(2), command, word, batch.id);
  const inFlight = new InFlight();
  const stopping = stopOnSignals(
    console,
    () => inFlight.count,
    () => typedCommand(words),
  );
  try {
    const undoing = undoBatch({
      batch,
      location,
      output,
      maxPauseMs: durationOf('--max-pause', maxPause) ?? (console.interactive ? undefined : MAX_PAUSE_MS),
      waitForLockMs: durationOf('--wait', wait),
      onPlan: (plan, left) => showPlan(console, batch.id, plan, left),
      askChanges: (plan) => agrees(console, plan, yes === true),
      signal: stopping.signal,
      onEvent(event) {
        inFlight.hear(event);
        const line = eventWords(event);
        if (line !== undefined) console.say(plainText(line));
      },
      tell: console.warn,
      command: typedCommand(words),
    });
    const undone = await resumedBy(typedCommand(words), undoing);
    return show(console, batch.id, undone, words, flags);
  } finally {
    stopping.release();
  }
}

function showPlan(console: Console, batch: string, plan: ChangePlan, left: readonly NotUndone[]): void {
  for (const line of diffLines(plan)) console.say(plainText(line));
  for (const each of left) console.say(leftLine(batch, each));
}

/** One change that is not undone; its row number is that of the undo's own list. */
function leftLine(batch: string, { row, subject, reason }: NotUndone): string {
  return plainText(`! ${subject} (row ${row} of batch ${batch}): ${reason}`);
}

async function agrees(console: Console, plan: ChangePlan, agreed: boolean): Promise<boolean> {
  if (agreed) return true;
  const answer = await console.ask(`Send ${sentCounts(plan)} to the service? [y/N] `);
  return /^y(es)?$/i.test(answer?.trim() ?? '');
}

// ---------------------------------------------------------------------------------------------------- how it ended

function show(
  console: Console,
  batch: string,
  undone: Undone,
  words: readonly string[],
  { attentionOk, store }: Flags,
): ExitCode {
  for (const line of undoneLines(batch, undone)) console.print(plainText(line));
  for (const each of undone.left) console.print(leftLine(batch, each));
  console.result({ undoes: batch, ...undoneObject(undone), not_undone: undone.left });
  if (undone.kind === 'run') sayNext(console, undone.summary, words, store);
  return exitCode(undone, attentionOk === true);
}

function undoneLines(batch: string, undone: Undone): readonly string[] {
  switch (undone.kind) {
    case 'nothing':
      return [`There is nothing to send for undoing batch ${batch}.`];
    case 'undone':
      return [
        `Batch ${batch} was undone by batch ${undone.by}: ${countWords(undone.counts)}. Nothing is left to send.`,
      ];
    case 'run': {
      const { batch: by, counts, requests, files } = undone.summary;
      return [
        `Batch ${by} undoes batch ${batch}: ${countWords(counts)}; ${counted(requests, 'request')}`,
        ...(files.output === undefined ? [] : [`Output     ${files.output}`]),
        ...(files.attention === undefined ? [] : [`Attention  ${files.attention}`]),
      ];
    }
  }
}

function countWords(counts: RunSummary['counts']): string {
  const words = OUTCOME_KINDS.flatMap((kind) => ((counts[kind] ?? 0) > 0 ? [`${counts[kind]} ${kind}`] : []));
  return words.length === 0 ? 'nothing settled' : words.join(', ');
}

function undoneObject(undone: Undone): object {
  switch (undone.kind) {
    case 'nothing':
      return { batch: null, counts: {}, requests: 0, stopped: null };
    case 'undone':
      return { batch: undone.by, counts: undone.counts, requests: 0, stopped: null };
    case 'run': {
      const { batch, rows, counts, requests, files, stopped } = undone.summary;
      return {
        batch,
        rows,
        counts,
        requests,
        output: files.output ?? null,
        needs_attention: files.attention ?? null,
        stopped: stopped === undefined ? null : stoppedObject(stopped),
      };
    }
  }
}

function sayNext(
  console: Console,
  { batch, counts, stopped }: RunSummary,
  words: readonly string[],
  store: string | undefined,
): void {
  if ((counts.in_doubt ?? 0) > 0) {
    const where = store === undefined ? [] : ['--store', store];
    console.say(`What is in doubt: ${commandLine(['settle', batch, ...where])}`);
  }
  if (stopped === undefined) return;
  console.warn(sentence(stopped.message), 'alarming');
  console.warn(stopped.next);
  console.warn(typedCommand(words));
}

/** The exit code of the run if it stopped; else one that says whether something could not be undone. */
function exitCode(undone: Undone, attentionIsFine: boolean): ExitCode {
  if (undone.kind === 'run') {
    const code = exitCodeOf(undone.summary, attentionIsFine);
    if (code !== EXIT.done) return code;
  }
  const counts = undone.kind === 'undone' ? undone.counts : {};
  const needsAttention =
    undone.left.length > 0 ||
    [...ATTENTION_KINDS].some((kind) => kind !== 'pending' && (counts[kind] ?? 0) > 0);
  return needsAttention && !attentionIsFine ? EXIT.attention : EXIT.done;
}
