import type { Command } from 'commander';
import { commandLine, typedCommand, withOption } from '../core/command-line.ts';
import { EXIT, type ExitCode, stop } from '../core/errors.ts';
import { OPERATIONS } from '../core/families.ts';
import { loadFamily } from '../core/family.ts';
import type { Sheet } from '../core/format.ts';
import { present } from '../core/objects.ts';
import type { Operation } from '../core/operation.ts';
import { counted, plainText } from '../core/plain-text.ts';
import { guessWords } from '../files/columns/columns.ts';
import { describeFile, type FileDescription } from '../files/describe-file.ts';
import { openFile } from '../files/input.ts';
import { rereadWords } from '../plan/reread.ts';
import { requestWords } from '../plan/sent-requests.ts';
import { type PlannedJob, planJob } from '../run/run-job.ts';
import {
  duplicateLines,
  duplicatesObject,
  findingObject,
  findingWords,
  jobDamageLines,
  jobDamageObject,
} from './render/cell-issues.ts';
import { fitLines, fitObject } from './render/fit.ts';
import { changePlanLines, changePlanObject, knownFieldLine, planLines, planObject } from './render/plan.ts';
import type { CliCommand, Console } from './shell/command.ts';
import { addReadFlags, addStrictFlag, type ReadFlags, readOptionsOf } from './shell/read-flags.ts';

interface Flags extends ReadFlags {
  readonly account?: string;
  readonly refresh?: true;
  readonly repair?: true;
  readonly save?: string;
  readonly allowAdmin?: true;
  readonly store?: string;
}

const plan: CliCommand = {
  name: 'plan',
  summary: 'Shows what a file is, or what a job would buy with it or change; buys and changes nothing.',
  example: 'npx --no rowonce plan enrich-company leads.csv',
  configure(command: Command, wrap) {
    addStrictFlag(addReadFlags(command))
      .argument('<job>', 'a YAML file, or the name of an operation; left out: what the file is')
      .argument('[file]', 'the input')
      .option('--account <name>', "the account to use, over the job's")
      .option('--refresh', 'as if every answer that was bought before were too old')
      .option('--repair', 'with the repairs that run --repair would send')
      .option('--save <file>', 'write the plan of a change, for a run with --plan that does exactly that')
      .option('--allow-admin', 'plan as for a run with --allow-admin')
      .action(
        wrap((console: Console, first: string, second: string | undefined, flags: Flags) =>
          second === undefined ? planFile(console, first, flags) : showPlan(console, first, second, flags),
        ),
      );
  },
};

export default plan;

async function showPlan(console: Console, job: string, file: string, flags: Flags): Promise<ExitCode> {
  const { account: accountName, refresh, repair, store, save, allowAdmin } = flags;
  const planned = await planJob({
    job,
    file,
    account: accountName,
    read: readOptionsOf(flags),
    refresh,
    repair,
    store,
    savePlanAs: save,
    allowAdmin,
    tell: console.warn,
    onEvent: (event) => {
      if (event.kind === 'note') console.say(event.message);
    },
  });
  const { input, account, plan: found, damage, change, known, requests, reread, missingStore } = planned;
  const repairs = planned.job.repair === true;
  const guessed = input.columns.guessed ? ' (guessed)' : '';
  console.print(plainText(`${planned.job.name} over ${input.path}, with account ${account.name}`));
  console.print(`  columns        ${guessWords(input.columns)}${guessed}`);
  for (const request of requests) console.print(`  request        ${requestWords(request)}`);
  for (const note of input.sheet.notes) console.say(plainText(note));
  if (input.columns.note !== undefined) console.say(plainText(input.columns.note));
  const lines = change === undefined ? planLines(found) : changePlanLines(change.plan, found, change.guards);
  for (const line of [...lines, ...jobDamageLines(damage, repairs)]) console.print(plainText(line));
  tellFields(console, known);
  if (reread !== undefined) console.print(`  ${rereadWords(reread)} A run asks first.`);
  if (missingStore !== undefined) {
    const unknown = change === undefined ? 'bought' : 'changed by us';
    console.say(`There is no store at ${missingStore} yet, so nothing is known as ${unknown}.`);
  }
  if (change?.savedAs !== undefined) {
    console.say(`The plan is saved in ${change.savedAs}. To do that and nothing else:`);
    console.say(runOf(process.argv.slice(2), change.savedAs));
  }
  const changes = change === undefined ? {} : changePlanObject(change.plan, change.guards);
  const fields = known === undefined ? {} : { fields: known.paths };
  const sent = requests.length === 0 ? {} : { requests };
  const anew = present({ reread });
  console.result({
    ...planObject(found),
    ...tabsObject(input.sheet),
    ...jobDamageObject(damage, repairs),
    ...changes,
    ...fields,
    ...sent,
    ...anew,
  });
  return EXIT.done;
}

function tellFields(console: Console, known: PlannedJob['known']): void {
  if (known === undefined) return;
  console.print(plainText(knownFieldLine(known)));
  for (const sentence of known.sentences()) console.say(plainText(sentence));
}

/** The command that runs what was planned: the same words with `run`, and with the saved plan instead of --save. */
function runOf(words: readonly string[], savedAs: string): string {
  const command = words.indexOf('plan');
  const run = words.map((word, at) => (at === command ? 'run' : word));
  return typedCommand(withOption(run, '--plan', savedAs, '--save'));
}

async function planFile(console: Console, file: string, flags: Flags): Promise<ExitCode> {
  const operations = await loadFamily<Operation>(OPERATIONS);
  if (operations.has(file) || /\.ya?ml$/i.test(file)) {
    const next = `Name the file as well: ${commandLine(['plan', file, 'FILE'])}`;
    throw stop('usage', `${file} is a job, and no file is named to plan it for.`, next);
  }
  const input = await openFile(file, readOptionsOf(flags));
  const description = await describeFile(input, operations.values());
  for (const note of input.sheet.notes) console.say(plainText(note));
  for (const line of descriptionLines(input.path, description)) console.print(plainText(line));
  console.result({ ...descriptionObject(description), ...tabsObject(input.sheet) });
  return EXIT.done;
}

/** The sheets of a workbook, as \`--sheet\` may name them. */
function tabsObject({ tabs }: Pick<Sheet, 'tabs'>): object {
  if (tabs === undefined) return {};
  return { sheets: tabs.map(({ name, isHidden, isRead }) => ({ name, hidden: isHidden, read: isRead })) };
}

/** The words for what the cells of a column look like. */
const LOOKS = {
  ABN: 'an ABN',
  'e-mail': 'an e-mail address',
  website: 'a website',
  number: 'a number',
  text: 'text',
  blank: 'a blank cell',
} as const satisfies Record<FileDescription['columns'][number]['looksLike'], string>;

function descriptionLines(
  path: string,
  { rows, encoding, delimiter, columns, duplicates, operations, unreadable }: FileDescription,
): readonly string[] {
  const width = Math.max(...columns.map(({ name }) => name.length));
  // Nothing stands between the cells of a workbook.
  const separated = delimiter === 'cells' ? [] : [`separated by ${delimiter}`];
  return [
    `${path}: ${[counted(rows, 'row'), counted(columns.length, 'column'), encoding, ...separated].join(', ')}`,
    ...columns.flatMap(({ name, looksLike, filled, examples, odd, damage }) => [
      `  ${name.padEnd(width)}  ${looksLike.padEnd(7)}${filledWords(filled, examples)}`,
      ...(odd.count === 0
        ? []
        : [
            `  ${' '.repeat(width)}  ${odd.count} ${odd.count === 1 ? 'does' : 'do'} not look like ${LOOKS[looksLike]}: row ${odd.firstRows.join(', ')}`,
          ]),
      ...damage.map((finding) => `  ${' '.repeat(width)}  ${findingWords(finding)}`),
    ]),
    ...unreadableLines(unreadable),
    ...duplicateLines(duplicates),
    ...fitLines(operations),
  ];
}

function unreadableLines({ count, first }: FileDescription['unreadable']): readonly string[] {
  if (count === 0) return [];
  const more = count - first.length;
  return [
    `unreadable ${counted(count, 'row')}, which a run sets aside as invalid and --strict refuses:`,
    ...first.map(({ row, reason }) => `  row ${row}: ${reason}`),
    ...(more === 0 ? [] : [`  and ${counted(more, 'other')}`]),
  ];
}

/** How many cells are filled; nothing for a column that is blank, because its kind says so already. */
function filledWords(filled: number, examples: readonly string[]): string {
  return filled === 0 ? '' : `  ${filled} filled, such as ${examples.join(' | ')}`;
}

function descriptionObject({
  rows,
  encoding,
  delimiter,
  columns,
  duplicates,
  operations,
  unreadable,
}: FileDescription): object {
  return {
    rows,
    unreadable,
    encoding,
    delimiter,
    columns: columns.map(({ name, looksLike, filled, examples, odd, damage }) => ({
      name,
      looks_like: looksLike,
      filled,
      examples,
      odd: { count: odd.count, first_rows: odd.firstRows },
      damage: damage.map(findingObject),
    })),
    duplicates: duplicatesObject(duplicates),
    operations: operations.map(fitObject),
  };
}
