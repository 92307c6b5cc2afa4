import type { Command } from 'commander';
import type { Agreement } from '../client/account/agreements.ts';
import { stop } from '../core/errors.ts';
import { OPERATIONS } from '../core/families.ts';
import { loadFamily } from '../core/family.ts';
import type { Operation } from '../core/operation.ts';
import { ourNameRefused } from '../core/our-columns.ts';
import { linesOf, plainText } from '../core/plain-text.ts';
import { guessWords } from '../files/columns/columns.ts';
import { describeFile } from '../files/describe-file.ts';
import { openFile } from '../files/input.ts';
import { waterfallOf } from '../job/job.ts';
import { commandLine } from '../lib/command-line.ts';
import { ListDescription } from '../objects/list-object.ts';
import { PlanObject } from '../objects/plan-object.ts';
import { rereadWords } from '../plan/batch.ts';
import { requestWords } from '../plan/consent.ts';
import { EVERY_LINE } from '../plan/team/diff-words.ts';
import { type PlannedJob, planJob } from '../run/tasks/plan-job.ts';
import { jobDamageLines } from './shared/cell-issues.ts';
import type { CliCommand, Console, Report } from './shared/command.ts';
import { descriptionLines } from './shared/description.ts';
import { addEntryFlags, type EntryFlags, entriesOf } from './shared/entry-flags.ts';
import {
  acceptOption,
  addReadFlags,
  addStrictFlag,
  notesOn,
  type ReadFlags,
  readFlagsOf,
} from './shared/flags.ts';
import { changePlanLines, knownFieldLine, planLines, unfinishedLine } from './shared/plan-lines.ts';

interface Flags extends ReadFlags, EntryFlags {
  readonly account?: string;
  readonly refresh?: true;
  readonly repair?: true;
  readonly allowAdmin?: true;
  readonly all?: true;
  readonly accept?: Agreement;
  readonly store?: string;
}

const plan: CliCommand = {
  name: 'plan',
  summary: 'Shows what a file is, or what a job would buy or change; buys and changes nothing.',
  example: 'plan enrich-company leads.csv',
  configure(command: Command, wrap) {
    addEntryFlags(addStrictFlag(addReadFlags(command)))
      .argument(
        '<job>',
        'a YAML file, or an operation, or several such as enrich-company,enrich-person; left out: what the file is',
      )
      .argument('[file]', 'the input')
      .option('--account <name>', "the account to use, over the job's")
      .option('--refresh', 'as if every answer that was bought before were too old')
      .option('--repair', 'with the repairs that run --repair would send')
      .option('--all', 'show every line of a change')
      .option('--allow-admin', 'plan as for a run with --allow-admin')
      .addOption(acceptOption())
      .action(
        wrap((console: Console, first: string, second: string | undefined, flags: Flags) =>
          planOf(console, first, second, flags),
        ),
      );
  },
};

export default plan;

function planOf(console: Console, first: string, second: string | undefined, flags: Flags): Promise<Report> {
  return second === undefined ? planFile(console, first, flags) : showPlan(console, first, second, flags);
}

async function showPlan(console: Console, job: string, file: string, flags: Flags): Promise<Report> {
  const { account: accountName, refresh, repair, store, allowAdmin, accept } = flags;
  const planned = await planJob({
    job,
    file,
    account: accountName,
    entries: entriesOf(flags),
    read: readFlagsOf(flags),
    refresh,
    repair,
    store,
    allowAdmin,
    accept,
    tell: console.warn,
    onEvent: notesOn(console),
  });
  return planReport(console, planned, flags);
}

function planReport(console: Console, planned: PlannedJob, flags: Flags): Report {
  const { unfinished, plan: found, damage, change, known, reread } = planned;
  const repairs = planned.job.repair === true;
  tellBeginning(console, planned);
  return {
    lines: linesOf(
      change === undefined
        ? planLines(found)
        : changePlanLines(change.plan, found, change.guards, flags.all && EVERY_LINE),
      jobDamageLines(damage, repairs),
      change === undefined && unfinished && unfinishedLine(unfinished, found),
      known && knownFieldLine(known),
      reread && `  ${rereadWords(reread)} A run asks first.`,
      reread === undefined && found.unanswered && `  ${AGREED_TO}`,
      `  id             ${planned.id}`,
    ),
    object: PlanObject.of({ ...planned, ...planned.plan, sheet: planned.input.sheet }),
    advice: adviceOn(planned),
  };
}

const AGREED_TO =
  'Calls whose answer turned out to be none are bought again only if you agree: with --yes, or when a run asks.';

function tellBeginning(console: Console, planned: PlannedJob): void {
  const { job, input, account, requests, toAgree } = planned;
  const { columns, sheet } = input;
  console.print(plainText(`${job.name} over ${input.path}, with account ${account.name}`));
  console.print(`  columns        ${guessWords(columns)}${columns.guessed ? ' (guessed)' : ''}`);
  const order = waterfallOf(job, columns.columns);
  // The only identifier of a list is told by its column.
  const isTold = order.every((tier) => order.length === 1 && columns.columns[tier] !== undefined);
  if (!isTold) console.print(`  looked up by   ${order.join(', then ')}`);
  for (const request of requests) console.print(`  request        ${requestWords(request)}`);
  if (toAgree !== undefined) {
    console.print(`  to agree       ${toAgree.fact}:`);
    for (const detail of toAgree.details) console.print(`                 ${detail}`);
  }
  for (const note of sheet.notes) console.say(plainText(note));
  if (columns.note !== undefined) console.say(plainText(columns.note));
}

function adviceOn({ known, missingStore, change, toAgree }: PlannedJob): readonly string[] {
  const unknown = change === undefined ? 'bought' : 'changed by us';
  const words = process.argv.slice(2);
  return linesOf(
    known?.sentences(),
    toAgree && [
      'A run asks you first. To agree once:',
      commandLine([...words, '--accept', toAgree.agreement]),
    ],
    missingStore !== undefined &&
      `There is no store at ${missingStore} yet, so nothing is known as ${unknown}.`,
  );
}

async function planFile(console: Console, file: string, flags: Flags): Promise<Report> {
  const operations = await loadFamily<Operation>(OPERATIONS);
  if (operations.has(file) || /\.ya?ml$/i.test(file)) {
    const next = `Name the file as well: ${commandLine(['plan', file, 'FILE'])}`;
    throw stop('usage', `${file} is a job, and no file is named to plan it for.`, next);
  }
  const read = readFlagsOf(flags);
  const input = await openFile(file, read);
  const description = await describeFile(input, operations.values());
  for (const note of input.sheet.notes) console.say(plainText(note));
  const refused = ourNameRefused(await input.sheet.header());
  if (refused !== undefined) console.say(`${refused.message} ${refused.next}`);
  return {
    lines: descriptionLines(input.path, description),
    object: ListDescription.of({ ...description, sheet: input.sheet }),
  };
}
