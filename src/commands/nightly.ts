import { z } from 'zod';
import { commandLine } from '../lib/command-line.ts';
import { SweepObject } from '../objects/run-object.ts';
import { exitCodeOfSweep, type SweepSummary, sweep } from '../run/tasks/nightly.ts';
import { argument, command } from './shared/command.ts';
import { ATTENTION_OK, maxPause } from './shared/input.ts';
import { spend, spendingInput, stoppedBy, toldOn } from './shared/spending.ts';
import { sweepLines } from './shared/summary.ts';

export default command({
  name: 'nightly',
  summary: 'Resumes unfinished batches, then processes new files in the inbox folders, once.',
  details: 'With --quiet a sweep that found nothing to do prints nothing.',
  example: 'nightly jobs/nightly-companies.yaml',
  faces: ['terminal', 'library'],
  input: z.strictObject({
    ...spendingInput(),
    jobs: argument(z.array(z.string()).min(1), 'YAML files, each with an inbox'),
    // This holds on a terminal too, because a sweep must end by itself.
    max_pause: maxPause('stop an account that has been waiting for this long', '10m'),
    attention_ok: ATTENTION_OK,
  }),
  output: SweepObject,
  async run({ jobs, attention_ok: isAttentionOk = false, ...spending }, host) {
    const { words, own, console } = host;
    const typed = commandLine(words);
    const summary = await spend(host, spending, { words }, toldOn(console), ({ onEvent, ...opening }) =>
      sweep({
        ...opening,
        jobs,
        operations: own.operations,
        dialects: own.dialects,
        // Several files are worked on at once, so each line begins with its file.
        onEvent: (path, event) => onEvent(event, path),
        command: typed,
      }),
    );
    return {
      lines: console.quiet && !didAnything(summary) ? [] : sweepLines(summary),
      object: SweepObject.of(summary),
      stopped: stoppedBy(summary.stopped, typed),
      exitCode: exitCodeOfSweep(summary, isAttentionOk),
    };
  },
});

/** Whether there is anything to print. Cron mails what is printed, and nobody reads a mail that comes every night. */
function didAnything({ files, left, stopped }: SweepSummary): boolean {
  return files.length > 0 || left.length > 0 || stopped !== undefined;
}
