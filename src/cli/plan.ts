import type { Command } from 'commander';
import { columnWords } from '../columns.ts';
import type { CliCommand, Console } from '../command.ts';
import { describeFile, type FileDescription } from '../describe-file.ts';
import { EXIT, type ExitCode } from '../errors.ts';
import { loadFamily } from '../family.ts';
import { openFile } from '../input.ts';
import type { Operation } from '../operation.ts';
import { plainText } from '../plain-text.ts';
import { planLines, planObject } from '../plan-words.ts';
import { planJob } from '../run-job.ts';

interface Flags {
  readonly account?: string;
  readonly refresh?: true;
  readonly store?: string;
}

const plan: CliCommand = {
  name: 'plan',
  summary: 'Shows what a file is, or what a job would buy in it; never sends.',
  example: 'npx rowonce plan enrich-company leads.csv',
  configure(command: Command, wrap) {
    command
      .argument('<job>', 'a YAML file, or the name of an operation; left out: what the file is')
      .argument('[file]', 'the input')
      .option('--account <name>', "the account to use, over the job's")
      .option('--refresh', 'as if every answer that was bought before were too old')
      .action(
        wrap((console: Console, first: string, second: string | undefined, flags: Flags) =>
          second === undefined ? planFile(console, first) : showPlan(console, first, second, flags),
        ),
      );
  },
};

export default plan;

async function showPlan(console: Console, job: string, file: string, flags: Flags): Promise<ExitCode> {
  const { account: accountName, refresh, store } = flags;
  const planned = await planJob({ job, file, account: accountName, refresh, store });
  const { input, account, plan: found, missingStore } = planned;
  console.print(plainText(`${planned.job.name} over ${input.path}, with account ${account.name}`));
  console.print(
    `  columns        ${columnWords(input.columns.columns)}${input.columns.guessed ? ' (guessed)' : ''}`,
  );
  for (const line of planLines(found)) console.print(plainText(line));
  if (missingStore !== undefined) {
    console.say(`There is no store at ${missingStore} yet, so nothing is known as bought.`);
  }
  console.result(planObject(found));
  return EXIT.done;
}

async function planFile(console: Console, file: string): Promise<ExitCode> {
  const operations = await loadFamily<Operation>(new URL('../operations/', import.meta.url));
  const input = await openFile(file);
  const description = await describeFile(input, operations.values());
  for (const line of descriptionLines(input.path, description)) console.print(plainText(line));
  console.result(descriptionObject(description));
  return EXIT.done;
}

function descriptionLines(
  path: string,
  { rows, encoding, delimiter, columns, operations }: FileDescription,
): readonly string[] {
  const width = Math.max(...columns.map(({ name }) => name.length));
  return [
    `${path}: ${rows} rows, ${columns.length} columns, ${encoding}, separated by ${delimiter}`,
    ...columns.flatMap(({ name, looksLike, filled, examples, odd }) => [
      `  ${name.padEnd(width)}  ${looksLike.padEnd(7)}  ${filled} filled, such as ${examples.join(' | ')}`,
      ...(odd.count === 0
        ? []
        : [`  ${' '.repeat(width)}  ${odd.count} do not look so: row ${odd.firstRows.join(', ')}`]),
    ]),
    ...operations.map(({ operation, summary, columns: found, problem }) =>
      problem === undefined
        ? `fits       ${operation}: ${columnWords(found)}`
        : `fits not   ${operation}: ${summary}`,
    ),
  ];
}

function descriptionObject({ rows, encoding, delimiter, columns, operations }: FileDescription): object {
  return {
    rows,
    encoding,
    delimiter,
    columns: columns.map(({ name, looksLike, filled, examples, odd }) => ({
      name,
      looks_like: looksLike,
      filled,
      examples,
      odd: { count: odd.count, first_rows: odd.firstRows },
    })),
    operations: operations.map(({ operation, columns: found, problem }) => ({
      operation,
      columns: found,
      problem: problem ?? null,
    })),
  };
}
