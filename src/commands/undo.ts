import { z } from 'zod';
import { EXIT, type ExitCode, stop } from '../core/errors.ts';
import { counted, linesOf, plainText } from '../core/plain-text.ts';
import { needingAttention } from '../core/row.ts';
import { commandLine } from '../lib/command-line.ts';
import { UndoPlanObject } from '../objects/plan-object.ts';
import { UndoObject } from '../objects/run-object.ts';
import { shownChanges } from '../plan/team/change-plan.ts';
import { diffLines, sentCounts } from '../plan/team/diff-words.ts';
import { exitCodeOf } from '../run/summary.ts';
import {
  findToUndo,
  type NotUndone,
  planUndo,
  type Undone,
  type UndoPlan,
  undoBatch,
} from '../run/tasks/undo.ts';
import { argument, command, flag, type Report } from './shared/command.ts';
import { BATCH } from './shared/input.ts';
import { endOf, mayBeSent, type Resume, spend, spendingInput, toldOn } from './shared/spending.ts';
import { countWords } from './shared/summary.ts';

export default command({
  name: 'undo',
  summary:
    'Takes back what a batch changed in the service; run the same command again to continue where it stopped.',
  details:
    'It deletes the invites that the batch made, removes people whom it brought in and whose user_id is known, and gives others their former role. What it cannot take back is listed, and the exit code is 3: new projects, removed people, deleted or accepted invites, and everybody whom another batch has changed since. An undo is a batch, and can be undone.',
  example: 'undo last',
  work: 'spends',
  input: z.strictObject({
    ...spendingInput(),
    batch: argument(z.string(), BATCH, { page: 'batch' }),
    dry_run: flag(z.boolean().optional(), 'show what would be sent and what cannot be undone; sends nothing'),
    output: flag(
      z.string().optional(),
      'where the output goes; left out: beside the list, in the store',
      '<file>',
      { short: 'o', page: 'none' },
    ),
    yes: flag(z.boolean().optional(), 'agree without being asked'),
    attention_ok: flag(z.boolean().optional(), 'exit with 0 even when something could not be undone'),
  }),
  output: z.union([UndoObject, UndoPlanObject]),
  async run({ batch: word, dry_run: isDryRun, output, yes, attention_ok: isAttentionOk, ...spending }, host) {
    const { console, own } = host;
    if (output === '-') throw stop('usage', 'The output of an undo is a file.', 'Name one with -o.');
    const { batch, location } = await findToUndo(word, spending.store, console.warn);
    if (isDryRun === true) return planReport(batch.id, await planUndo({ batch, location }));
    // The printed command names the batch, because "last" would then be the undo itself.
    const resume: Resume = { words: host.wordsWith(word, batch.id) };
    const undone = await spend(host, spending, resume, toldOn(console), ({ store: _, ...opening }) =>
      undoBatch({
        ...opening,
        batch,
        location,
        output,
        onPlan(plan, left) {
          for (const line of diffLines(plan)) console.say(plainText(line));
          for (const each of left) console.say(leftLine(batch.id, each));
        },
        askChanges: async (plan) =>
          yes === true ||
          (own.askChanges?.(plan) ?? mayBeSent(console, `Send ${sentCounts(plan)} to the service?`)),
        command: commandLine(resume.words),
      }),
    );
    return {
      lines: [...undoneLines(batch.id, undone), ...undone.left.map((each) => leftLine(batch.id, each))],
      object: UndoObject.of({ undoes: batch.id, undone }),
      ...(undone.kind === 'run' ? endOf(undone.summary, resume) : {}),
      exitCode: exitCode(undone, isAttentionOk === true),
    };
  },
});

/** The plan of an undo. Its counts are those of changes that would be sent, and of subjects that stay as they are. */
function planReport(batch: string, planned: UndoPlan): Report<z.output<typeof UndoPlanObject>> {
  const { kind, left } = planned;
  const plan = kind === 'plan' ? planned.plan : undefined;
  return {
    lines: [
      ...(plan === undefined ? [plannedLine(batch, planned)] : diffLines(plan).map(plainText)),
      ...left.map((each) => leftLine(batch, each)),
    ],
    object: {
      undoes: batch,
      state: kind,
      by: 'by' in planned ? planned.by : null,
      ...(plan === undefined ? { changes: [] } : shownChanges(plan)),
      not_undone: [...left],
    },
  };
}

function plannedLine(batch: string, planned: UndoPlan): string {
  switch (planned.kind) {
    case 'begun':
      return `Batch ${planned.by} is undoing batch ${batch}; an undo continues with the list that it began with.`;
    case 'undone':
      return `Batch ${batch} was undone by batch ${planned.by}. Nothing is left to send.`;
    default:
      return nothingLine(batch);
  }
}

const nothingLine = (batch: string): string => `There is nothing to send to undo batch ${batch}.`;

/** One change that is not undone; its row number is that of the undo's own list. */
function leftLine(batch: string, { row, subject, reason }: NotUndone): string {
  return plainText(`! ${subject} (row ${row} of batch ${batch}): ${reason}`);
}

// ---------------------------------------------------------------------------------------------------- how it ended

function undoneLines(batch: string, undone: Undone): readonly string[] {
  switch (undone.kind) {
    case 'nothing':
      return [nothingLine(batch)];
    case 'undone':
      return [
        `Batch ${batch} was undone by batch ${undone.by}: ${countWords(undone.counts, 'nothing finished')}. Nothing is left to send.`,
      ];
    case 'run': {
      const { batch: by, counts, requests, files } = undone.summary;
      return linesOf(
        `Batch ${by} undoes batch ${batch}: ${countWords(counts, 'nothing finished')}; ${counted(requests, 'request')}`,
        files.output !== undefined && `Output     ${files.output}`,
        files.attention !== undefined && `Attention  ${files.attention}`,
      );
    }
  }
}

function exitCode(undone: Undone, attentionIsFine: boolean): ExitCode {
  if (undone.kind === 'run') {
    const code = exitCodeOf(undone.summary, attentionIsFine);
    if (code !== EXIT.done) return code;
  }
  const counts = undone.kind === 'undone' ? undone.counts : {};
  const needsAttention = undone.left.length > 0 || needingAttention(counts) > 0;
  return needsAttention && !attentionIsFine ? EXIT.attention : EXIT.done;
}
