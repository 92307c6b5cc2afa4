/**
 * The parts of docs/reference/README.md that follow from the program: its commands, the entries of a job, of the accounts file and of a
 * dialect, the operations. What stands between them is written by hand.
 */
import type { Option, Command as Typed } from 'commander';
import { z } from 'zod';
import { accountsSchema } from '../../src/client/account/accounts-file.ts';
import { MEANINGS } from '../../src/client/dialect/dialect-schema.ts';
import type { Command, CommandGroup } from '../../src/commands/shared/command.ts';
import { BATCH } from '../../src/commands/shared/input.ts';
import { COMMANDS, loadFamily, OPERATIONS } from '../../src/core/families.ts';
import type { Operation } from '../../src/core/operation.ts';
import { ACCEPTABLE } from '../../src/core/stops.ts';
import { jobSchema } from '../../src/job/job-schema.ts';
import { type JsonSchema, schemasNow } from './json-schemas.ts';
import { describeProgram } from './program.ts';

/** Each stands between `<!-- NAME -->` and `<!-- end -->`. */
export async function referenceParts(): Promise<Readonly<Record<string, string>>> {
  const words = Object.entries(ACCEPTABLE).map(([word, about]) => [code(word), about]);
  return {
    commands: await commandsPart(),
    accept: table(['word', 'agrees that'], words),
    job: entriesTable(jobSchema),
    accounts: entriesTable(accountsSchema),
    operations: await operationsPart(),
    ...(await dialectParts()),
  };
}

export const code = (text: string): string => `\`${text}\``;

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return '';
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`;
  return `${line(head)}|${head.map(() => '---|').join('')}\n${rows.map(line).join('')}`;
}

// ---------------------------------------------------------------------------------------------------- commands

/** Options that several commands take, shown once. The first command has them all. */
const GROUPS = [
  {
    title: 'Options about the file',
    words: 'They are about the list, and for `merge` about your own file.',
    from: 'plan',
    flags: ['encoding', 'delimiter', 'ragged', 'sheet', 'header-row', 'rows', 'country'],
  },
  {
    title: 'Options about the job',
    words:
      'They stand over the entries of the [job](#jobs), and are kept with the batch; all but `--add` decide what is asked, so the same list with others is another batch. A program gives `columns`, `add`, `waterfall`, `role` and `roles`.',
    from: 'plan',
    flags: ['strict', 'column', 'add', 'waterfall', 'role', 'account'],
  },
  {
    title: 'Options about stops',
    words: '',
    from: 'undo',
    flags: ['max-pause', 'wait', 'accept'],
  },
] as const;

/** Where more is said of an option. */
const MORE: Readonly<Record<string, string>> = {
  '--accept': '#what---accept-takes',
  '--repair': '#damaged-cells',
  '--formulas': '#workbooks-and-formulas',
  '--header-row': '#input-files',
  '--strict': '#rows-that-cannot-be-read',
};

type Member = Command | CommandGroup;
type Rows = readonly (readonly [flags: string, about: string])[];

async function commandsPart(): Promise<string> {
  const program = await describeProgram();
  const members = await loadFamily<Member>(COMMANDS);
  const typed = new Map(program.commands.map((each) => [each.name(), each]));
  const ofCommand = (name: string): Typed => {
    const found = typed.get(name);
    if (found === undefined) throw new Error(`${name} is not typed`);
    return found;
  };
  const shared = GROUPS.map(({ title, words, from, flags }) => {
    const rows = optionRows(
      ofCommand(from).options.filter((each) => flags.some((flag) => each.long === `--${flag}`)),
    );
    return { title, words, rows };
  });
  const all = [
    '### All commands',
    table(
      ['option', 'means'],
      [...optionRows(program.options), ['`-h, --help`', 'the options of a command, with an example']],
    ),
    ...shared.flatMap(({ title, words, rows }) => [`### ${title}`, words, table(['option', 'means'], rows)]),
    ...[...members.values()].flatMap((member) => sectionOf(member, ofCommand(member.name), shared)),
  ];
  return all
    .map((text) => text.trim())
    .filter((text) => text !== '')
    .join('\n\n');
}

interface Group {
  readonly title: string;
  readonly rows: Rows;
}

function sectionOf(member: Member, typed: Typed, shared: readonly Group[]): readonly string[] {
  const heading = `### ${code(usageOf(typed))}`;
  const { summary, details = '', example } = member;
  const about = `${summary} ${details}`.trim();
  if (!('commands' in member))
    return [heading, `${about} For example:\n${code(`rowonce ${example}`)}.`, optionsOf(typed, shared)];
  const subcommands = member.commands.map((each) => {
    const found = typed.commands.find((sub) => `${typed.name()} ${sub.name()}` === each.name);
    if (found === undefined) throw new Error(`${each.name} is not typed`);
    return { found, about: `${each.summary} ${each.details ?? ''}`.trim() };
  });
  const above = new Set<string>();
  const options = subcommands.flatMap(({ found }) => {
    const rows = optionRows(ownOptions(found));
    const before = rows.filter((row) => above.has(String(row)));
    const own = rows.filter((row) => !before.includes(row));
    for (const row of own) above.add(String(row));
    const others = before.length === 0 ? '' : `, and as above ${before.map(([flags]) => flags).join(', ')}`;
    return rows.length === 0
      ? []
      : [`Options of ${code(usageOf(found))}${others}:`, table(['option', 'means'], own)];
  });
  return [
    heading,
    about,
    table(
      ['command', 'does'],
      subcommands.map(({ found, about: does }) => [code(usageOf(found)), does]),
    ),
    ...options,
  ];
}

function usageOf(typed: Typed): string {
  const words = typed.registeredArguments.map((each) =>
    each.required ? `<${each.name()}>` : `[${each.name()}]`,
  );
  const group = typed.parent?.parent ? typed.parent.name() : '';
  return ['rowonce', group, typed.name(), ...words].filter(Boolean).join(' ');
}

/** Those of every command are shown once, above. */
function ownOptions(typed: Typed): readonly Option[] {
  const common = new Set(['--json', '--quiet', '--no-color', '--store', '--as']);
  return typed.options.filter(({ long }) => !common.has(long ?? ''));
}

/** What the command takes: its words, the options that it shares, as links, and its own. */
function optionsOf(typed: Typed, shared: readonly Group[]): string {
  const rows = optionRows(ownOptions(typed));
  const lines = new Set(rows.map(String));
  const taken = shared.filter(({ rows: of }) => of.every((row) => lines.has(String(row))));
  const elsewhere = new Set(taken.flatMap(({ rows: of }) => of.map(String)));
  const anchorOf = (title: string): string => `#${title.toLowerCase().replaceAll(' ', '-')}`;
  // Of a group that is not taken whole, the options that are explained there.
  const single = shared
    .filter((group) => !taken.includes(group))
    .flatMap(({ title, rows: of }) =>
      of.filter((row) => lines.has(String(row))).map((row) => ({ title, row })),
    );
  for (const { row } of single) elsewhere.add(String(row));
  const names = single.map(({ title, row: [flags] }) => {
    const [, flag = ''] = /`(--[\w-]+)/.exec(flags) ?? [];
    return `[${code(flag)}](${anchorOf(title)})`;
  });
  const links = [
    ...taken.map(({ title }) => `the [${title.toLowerCase()}](${anchorOf(title)})`),
    ...new Set(names),
  ];
  const args = typed.registeredArguments.filter(({ description }) => description !== BATCH);
  const words = args.map((each) => [code(each.name()), each.description] as const);
  return [
    links.length === 0 ? '' : `It takes ${links.join(', ')}.`,
    table(['option', 'means'], [...words, ...rows.filter((row) => !elsewhere.has(String(row)))]),
  ]
    .filter((text) => text !== '')
    .join('\n\n');
}

function optionRows(options: readonly Option[]): Rows {
  return options.map((option) => {
    const { flags, long = '', description, argChoices = [], defaultValue } = option;
    const choices =
      argChoices.filter((each) => !description.includes(each)).length > 0 ? `: ${argChoices.join(', ')}` : '';
    const otherwise =
      defaultValue === undefined || defaultValue === false || defaultValue === ''
        ? ''
        : ` (default: ${defaultValue})`;
    const more = MORE[long];
    return [
      more === undefined ? code(flags) : `[${code(flags)}](${more})`,
      `${description}${choices}${otherwise}`,
    ];
  });
}

// ---------------------------------------------------------------------------------------------------- files and operations

/** Every entry that a file of this schema may have, as `limits.per_second`; NAME stands for one of the user's own. */
function entriesTable(schema: z.ZodType): string {
  const json = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema;
  const rows = new Map(
    entriesIn(json, '').map(([path, about]) => [path.replace('accounts.NAME.', ''), about]),
  );
  return table(
    ['entry', 'means'],
    [...rows].map(([path, about]) => [code(path), about]),
  );
}

function entriesIn(schema: JsonSchema, path: string): readonly (readonly [path: string, about: string])[] {
  const { properties = {}, additionalProperties, items, anyOf = [], oneOf = [] } = schema;
  const named = Object.entries(properties).flatMap(([key, entry]) => [
    [path + key, entry.description ?? ''] as const,
    ...entriesIn(entry, `${path}${key}.`),
  ]);
  const forms = [items, ...anyOf, ...oneOf].flatMap((form) => (form ? entriesIn(form, path) : []));
  const ofNames =
    typeof additionalProperties === 'object' ? entriesIn(additionalProperties, `${path}NAME.`) : [];
  return [...named, ...forms, ...ofNames];
}

/** The parts of a rule, which are the same wherever it stands, what it may mean, and every other entry. */
async function dialectParts() {
  const entries = entriesIn((await schemasNow()).get('dialect') ?? {}, '');
  const ofRules = entries.flatMap(([path, about]) =>
    path.startsWith('answers.') ? [[path.replace('answers.', ''), about] as const] : [],
  );
  // What is the same in several places, such as the path of a free request, is explained in the first.
  const seen = new Set<string>();
  const others = entries.filter(([path, about]) => {
    const same = `${path.split('.').at(-1)}: ${about}`;
    const isShown = !/\b(?:answers|repeated|accepted|list_invites)\./.test(path) && !seen.has(same);
    seen.add(same);
    return isShown;
  });
  const meansTable = (rows: readonly (readonly [string, string])[]): string =>
    table(
      ['entry', 'means'],
      [...new Map(rows)].map(([name, about]) => [code(name), about]),
    );
  return {
    dialect: meansTable(others),
    rule: meansTable(ofRules),
    meanings: meansTable(Object.entries(MEANINGS)),
  };
}

async function operationsPart(): Promise<string> {
  const operations = [...(await loadFamily<Operation>(OPERATIONS)).values()];
  const rows = operations.map(({ name, summary, inputs }) => [
    code(name),
    summary,
    inputs.map((input) => code(input.name)).join(', '),
  ]);
  return table(['operation', 'does', 'inputs'], rows);
}
