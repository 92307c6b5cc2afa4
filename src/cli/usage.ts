import { existsSync } from 'node:fs';
import type { Command, CommanderError } from 'commander';
import { meantBy, meantWord, nearestWord, type StopError, stop, suggestion } from '../core/errors.ts';
import { familyNames, OPERATIONS } from '../core/families.ts';
import { commandLine, withMeant, withoutFlag, withoutOption } from '../lib/command-line.ts';
import { isListName, isYamlName } from '../lib/file-name.ts';

/** What commander refuses, in our style: the fact, and the command line that was probably meant. */

interface Line {
  readonly next: string;
  readonly words: readonly string[];
}

/** The typed words, and the meaning that commander has found in them. */
interface Typed {
  readonly argv: readonly string[];
  /** The program, the command that was meant, and the one within it. */
  readonly path: readonly Command[];
  /** The flags that it takes. */
  readonly ownFlags: readonly string[];
}

export async function usageStop(
  { code, message: errorText }: CommanderError,
  argv: readonly string[],
  program: Command,
): Promise<StopError> {
  const path = pathTo(program, argv);
  const command = path[1]?.name();
  const help = commandLine(command === undefined ? ['--help'] : [command, '--help']);
  if (code === 'commander.help') return stop('usage', 'No command was given.', 'Name a command.', help);
  const [fact = ''] = errorText.replace(/^error: /, '').split('\n');
  const choice = WRONG_CHOICE.exec(fact)?.groups;
  if (choice !== undefined) return wrongChoice(choice);
  const ownFlags = [
    '--help',
    ...(path.at(-1)?.options ?? []).flatMap(({ short, long }) => [short ?? '', long ?? '']),
  ];
  const line = await lineMeant(code, { argv, path, ownFlags }, /'(.*)'/.exec(fact)?.[1] ?? '');
  const shown = withoutTyped(fact);
  const message = shown.charAt(0).toUpperCase() + shown.slice(1);
  if (line === undefined || mayShowKey(line.words)) return stop('usage', message, 'See the help.', help);
  return stop('usage', message, line.next, commandLine(line.words));
}

function pathTo(parent: Command, argv: readonly string[]): readonly Command[] {
  const child = parent.commands.find((each) => argv.includes(each.name()));
  return child === undefined ? [parent] : [parent, ...pathTo(child, argv)];
}

async function lineMeant(code: string, typed: Typed, word: string): Promise<Line | undefined> {
  if (code === 'commander.unknownCommand') return meantCommand(typed, word);
  if (code === 'commander.unknownOption') return meantFlag(typed, word);
  return code === 'commander.excessArguments' ? meantByMore(typed) : undefined;
}

function near(argv: readonly string[], typed: string, known: readonly string[]): Line | undefined {
  const [meant] = meantBy(typed, known);
  if (meant === undefined) return undefined;
  return { next: suggestion(typed, known), words: withMeant(argv, { typed, meant }) };
}

const didYouMean = (meant: string, words: readonly string[]): Line => ({
  next: `Did you mean ${meant}?`,
  words,
});

// -------------------------------------------------------------------------------------------------- commands

async function meantCommand({ argv, path }: Typed, typed: string): Promise<Line | undefined> {
  const as = (...words: readonly string[]) => argv.toSpliced(argv.indexOf(typed), 1, ...words);
  const group = path[1]?.name();
  const meant = meantIn(COMMANDS, typed, (each) => group === undefined || each.startsWith(`${group} `));
  // Which operation fits a list is what its plan says.
  const command = meant === 'run' && isListName(argv[argv.indexOf(typed) + 1]) ? 'plan' : meant;
  if (command !== undefined)
    return didYouMean(command, as(...command.split(' ').slice(group === undefined ? 0 : 1)));
  const names = path.at(-1)?.commands.map((each) => each.name()) ?? [];
  if (group !== undefined) return near(argv, typed, names);
  if (isListName(typed))
    return { next: 'A plan shows what a list is, and spends nothing.', words: ['plan', typed] };
  const operations = await familyNames(OPERATIONS);
  if (isYamlName(typed) || typed.split(',').every((each) => operations.includes(each)))
    return didYouMean('run', as('run', typed));
  return near(argv, typed, names) ?? near(['run', ...argv], typed, operations);
}

// ----------------------------------------------------------------------------------------------------- flags

function meantFlag(typed: Typed, word: string): Line | undefined {
  const { argv, path, ownFlags } = typed;
  const at = argv.indexOf(word);
  const [flag = '', ...values] = word.split(/=(.*)/s, 2);
  const value = values[0] ?? argv[at + 1] ?? '';
  const rest = argv.toSpliced(at, values.length === 0 ? 2 : 1);
  const long = ownFlags.filter((each) => each.length > 2);
  const meant = sameHere(typed, flag, value);
  switch (meant) {
    case undefined:
      return isKey(flag, ownFlags) ? keyLine(ownFlags, rest) : nearFlag(argv, at, long);
    case 'plan': {
      const words = argv.toSpliced(at, 1).map((each) => (each === path[1]?.name() ? 'plan' : each));
      const next = 'A plan shows what a run would do, and spends nothing.';
      return { next, words: RUN_FLAGS.reduce(withoutFlag, RUN_OPTIONS.reduce(withoutOption, words)) };
    }
    case 'word':
      return isListName(value)
        ? { next: 'The list needs no flag.', words: rest.includes(value) ? rest : [...rest, value] }
        : { next: 'The job needs no flag.', words: rest.toSpliced(1, 0, value) };
    case '':
      return {
        next: 'Leave it out: the same command goes on where it stopped, as fast as the vendor allows.',
        words: isNumber(value) ? rest : argv.toSpliced(at, 1),
      };
    default:
      return didYouMean(meant, argv.with(at, [meant, ...values].join('=')));
  }
}

/** Hyphens are not letters that two flags share. */
function nearFlag(argv: readonly string[], at: number, long: readonly string[]): Line | undefined {
  const [flag = '', ...values] = (argv[at] ?? '').replace(/^-+/, '').split(/=(.*)/s, 2);
  const bare = long.map((each) => each.replace(/^-+/, ''));
  const [meant] = meantBy(flag, bare);
  if (meant === undefined) return undefined;
  return didYouMean(`--${meant}`, argv.with(at, [`--${meant}`, ...values].join('=')));
}

const isNumber = (word: string): boolean => /^\d+$/.test(word);

/** What a flag is called here; `-n` is a number or a dry run in other tools. */
function sameHere({ path, ownFlags }: Typed, flag: string, value: string): string | undefined {
  const takesList = ['run', 'plan'].includes(path[1]?.name() ?? '');
  if (flag === '-n' && isNumber(value) && ownFlags.includes('--limit')) return '--limit';
  return meantIn(FLAGS, flag, (meant) => {
    if (meant === 'word') return takesList && value !== '';
    return meant === '' || ownFlags.includes(meant) || (meant === 'plan' && takesList);
  });
}

const isKey = (flag: string, ownFlags: readonly string[]): boolean =>
  /key|token|secret|passw|auth/i.test(flag) && nearestWord(flag, ownFlags)?.startsWith('--key') !== true;

/** What was typed for a key is not shown. */
const keyLine = (ownFlags: readonly string[], rest: readonly string[]): Line => ({
  next:
    'No key is typed in a command, where others can read it: ' +
    'accounts add asks for it, or reads it with --key-stdin.',
  words: ownFlags.includes('--key-stdin') ? [...rest, '--key-stdin'] : ['accounts', 'add'],
});

// -------------------------------------------------------------------------------------------- words too many

/** A flag with other dashes than hyphens, or a name in two words. */
async function meantByMore({ argv, ownFlags }: Typed): Promise<Line | undefined> {
  const flags = argv.map((word) => word.replace(/^[–—−]*/, '--'));
  const dashed = argv.findIndex((word, at) => /^[–—−]/.test(word) || ownFlags.includes(flags[at] ?? ''));
  const flag = flags[dashed];
  if (flag !== undefined) return didYouMean(flag.replace(/=.*$/, ''), argv.with(dashed, flag));
  const operations = await familyNames(OPERATIONS);
  for (const [at, word] of argv.entries()) {
    const pair = [`${word}-${argv[at + 1]}`, `${word} ${argv[at + 1]}`];
    const joined = pair.find((each) => operations.includes(each) || existsSync(each));
    if (joined !== undefined) return didYouMean(`"${joined}"`, argv.toSpliced(at, 2, joined));
  }
  return undefined;
}

// ----------------------------------------------------------------------------------------------------- facts

/** Commander's words for a value that is none of a list, of an option or of an argument. */
const WRONG_CHOICE =
  /^(?:option '(?:-\w, )?(?<flag>--[\w-]+).*' argument|command-argument value) '(?<word>[^']*)' is invalid.* Allowed choices are (?<known>.+)\.$/;

function wrongChoice({ flag, word = '', known = '' }: Record<string, string | undefined>): StopError {
  const fact = flag === undefined ? `"${word}" is not known.` : `${flag} ${word} is not known.`;
  return stop('usage', fact, meantWord(word, known.split(', ')));
}

/** What stands behind the sign of an unknown option, or is a word too many, may be a key and is not shown. */
function withoutTyped(fact: string): string {
  return fact.replace(/(unknown option '[^'=]+)=.*'$/, "$1'").replace(/( but got \d+): .*$/, '$1');
}

/** Whether a command asks for a key and was typed with a word that no flag takes. */
function mayShowKey([group, name, ...words]: readonly string[]): boolean {
  const isStray = (word: string, at: number): boolean =>
    !word.startsWith('-') && !words[at - 1]?.startsWith('-');
  return group === 'accounts' && name === 'add' && words.some(isStray);
}

// -------------------------------------------------------------------------------------- words of other tools

/** In each line behind what does the same here, as it is typed. */
type Words = Readonly<Record<string, string>>;
const COMMANDS: Words = {
  run: 'enrich apply execute exec process go start submit buy lookup begin',
  plan:
    'import load upload open inspect preview describe check validate estimate diff quote dry-run view ' +
    'test',
  status: 'ls list ps jobs batches runs show info state progress',
  log: 'history audit journal events',
  'accounts add': 'login auth connect configure config setup init signin register new create set',
  'accounts list': 'whoami keys credentials ls show',
  cancel: 'stop kill abort',
  undo: 'rollback revert',
  forget: 'delete erase rm remove gdpr',
  serve: 'ui web server dashboard gui browser',
  export: 'download save output write get results',
  settle: 'retry resolve',
  spend: 'usage billing budget costs credits cost bill',
  nightly: 'cron schedule daemon sweep watch',
  doctor: 'health diagnose ping',
  'accounts remove': 'logout rm delete',
  '--version': 'version',
};

/** `plan` is the command; `word`: the value alone, a job or a list. The last ones have no like here. */
const FLAGS: Words = {
  '--output': '--out --outfile --out-file --output-file --dest --destination --to --result --save',
  '--limit': '--max --max-rows --head --first --top --take --count --num -l -m',
  '--budget': '--max-credits --max-cost --max-spend --spend --cost --cap --credits -b',
  '--yes': '--force -y --assume-yes --no-confirm --no-prompt --non-interactive --auto-approve',
  '--account': '--vendor --provider --profile --api --source -a',
  '--column': '--columns --map --mapping --match --cols -c',
  '--add': '--field --fields --select --return --enrich',
  '--quiet': '--silent -q -s',
  '--delimiter': '--sep --separator -d -t',
  '--sheet': '--tab --worksheet',
  '--refresh': '--no-cache --fresh',
  '--store': '--db --database --ledger --state',
  '--base-url': '--url --host --endpoint --address --api-url',
  plan: '-n --dry-run --dryrun --dry --check --preview --simulate --what-if --noop --estimate --pretend',
  word: '--operation --op --job --config --type --input --in --file --input-file --csv --list --path -i -f',
  '': '--resume --continue --restart --retry --retries --concurrency --parallel --workers -j --rate',
};

/** What a run takes and a plan does not: options with a value, and flags without. */
const RUN_OPTIONS =
  '-o --output --budget --limit --sample --save-job --plan --max-pause --wait --formulas'.split(' ');
const RUN_FLAGS = ['--yes', '--detach', '--attention-ok'];

/** What does the same here; undefined where nothing does that is known at this place. */
function meantIn(table: Words, word: string, isKnown: (meant: string) => boolean): string | undefined {
  const typed = word.toLowerCase();
  return Object.keys(table).find((meant) => isKnown(meant) && table[meant]?.split(' ').includes(typed));
}
