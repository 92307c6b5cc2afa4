import { z } from 'zod';
import { stop } from '../core/errors.ts';
import { OPERATIONS } from '../core/families.ts';
import { loadFamily } from '../core/family.ts';
import type { ReadOptions } from '../core/format.ts';
import { present } from '../core/objects.ts';
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
import { argument, type Console, command, flag, type Report } from './shared/command.ts';
import { descriptionLines } from './shared/description.ts';
import { accept, COMMON, notesOn } from './shared/input.ts';
import { ENTRIES, entriesOf, READ, readOf, STRICT } from './shared/job-entries.ts';
import { changePlanLines, knownFieldLine, planLines, unfinishedLine } from './shared/plan-lines.ts';

const output = z.union([PlanObject, ListDescription]);

type Told = Report<z.output<typeof output>>;

export default command({
  name: 'plan',
  summary: 'Shows what a file is, or what a job would buy or change; buys and changes nothing.',
  details:
    'A plan ends with its id, which run --plan takes: it then does just that, or nothing. Signs of a change: + an invite, a new project or a call, ~ another role, - a removal, = unchanged, ! invalid or refused, ? in doubt.',
  example: 'plan enrich-company leads.csv',
  work: 'long',
  input: z.strictObject({
    ...COMMON,
    job: argument(
      z.string().optional(),
      'a YAML file, or an operation, or several such as enrich-company,enrich-person; left out: what the file is',
      { page: 'job' },
    ),
    file: argument(z.string(), 'the input', { page: 'list' }),
    ...READ,
    strict: STRICT,
    ...ENTRIES,
    refresh: flag(z.boolean().optional(), 'as if every answer that was bought before were too old'),
    all: flag(z.boolean().default(false), 'show every line of a change'),
    allow_admin: flag(z.boolean().optional(), 'plan as for a run with --allow-admin'),
    accept: accept(),
  }),
  output,
  entriesOf: (first, second) => (second === undefined ? { file: first } : { job: first, file: second }),
  async run(input, host) {
    const { console, own, words } = host;
    const { job, file, strict, refresh, store, accept } = input;
    if (job === undefined) return planFile(console, file, { ...readOf(input), ...present({ strict }) });
    const planned = await planJob({
      ...{ job, file, strict, refresh, store, accept },
      entries: entriesOf(input),
      allowAdmin: input.allow_admin,
      operations: own.operations,
      dialects: own.dialects,
      signal: own.signal,
      tell: console.warn,
      onEvent: notesOn(host),
    });
    return planReport(console, planned, input.all, words);
  },
});

function planReport(console: Console, planned: PlannedJob, isAll: boolean, words: readonly string[]): Told {
  const { unfinished, plan: found, damage, change, known, reread } = planned;
  const repairs = planned.job.repair === true;
  tellBeginning(console, planned);
  return {
    lines: linesOf(
      change === undefined
        ? planLines(found)
        : changePlanLines(change.plan, found, change.guards, isAll ? EVERY_LINE : undefined),
      jobDamageLines(damage, repairs),
      change === undefined && unfinished && unfinishedLine(unfinished, found),
      known && knownFieldLine(known),
      reread && `  ${rereadWords(reread)} A run asks first.`,
      reread === undefined && found.unanswered && `  ${AGREED_TO}`,
      `  id             ${planned.id}`,
    ),
    object: PlanObject.of({ ...planned, ...planned.plan, sheet: planned.input.sheet }),
    advice: adviceOn(planned, words),
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

function adviceOn(
  { known, missingStore, change, toAgree }: PlannedJob,
  words: readonly string[],
): readonly string[] {
  const unknown = change === undefined ? 'bought' : 'changed by us';
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

async function planFile(console: Console, file: string, read: ReadOptions): Promise<Told> {
  const operations = await loadFamily<Operation>(OPERATIONS);
  if (operations.has(file) || /\.ya?ml$/i.test(file)) {
    const named = commandLine(['plan', file, 'FILE']);
    throw stop(
      'usage',
      `${file} is a job, and no file is named to plan it for.`,
      'Name the file as well.',
      named,
    );
  }
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
