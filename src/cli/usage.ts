import { existsSync } from 'node:fs';
import type { Command, CommanderError } from 'commander';
import { type Advice, type Slip, type StopError, stop } from '../core/errors.ts';
import { OPERATIONS } from '../core/families.ts';
import { familyNames } from '../core/family.ts';
import { meantWord, nearest } from '../core/nearest.ts';
import { commandLine, withMeant } from '../lib/command-line.ts';
import { isListName, isYamlName } from '../lib/file-name.ts';
import { COMMANDS, FLAGS, meantIn } from './other-words.ts';

/** What commander refuses, in our style: the fact, and the command line that was probably meant. */

interface Line {
  readonly next: string;
  readonly words: readonly string[];
}

type Found = Line | undefined | Promise<Line | undefined>;

/** What was typed, and as what commander has read it. */
interface Typed {
  readonly argv: readonly string[];
  /** The command that was meant, and the one within it; the program itself where none was. */
  readonly path: readonly Command[];
  /** The flags that it takes. */
  readonly own: readonly string[];
}

export async function usageStop(
  error: CommanderError,
  argv: readonly string[],
  program: Command,
): Promise<StopError> {
  const path = pathTo(program, argv);
  const names = path.slice(1).map((each) => each.name());
  const help = commandLine([...names.slice(0, 1), '--help']);
  if (error.code === 'commander.help') return stop('usage', 'No command was given.', 'Name a command.', help);
  const [fact = ''] = error.message.replace(/^error: /, '').split('\n');
  const choice = WRONG_CHOICE.exec(fact)?.groups;
  if (choice !== undefined) return wrongChoice(choice);
  const options = path.at(-1)?.options ?? [];
  const own = ['--help', ...options.flatMap(({ short, long }) => [short ?? '', long ?? ''])];
  const word = /'(?<word>.*)'/.exec(fact)?.groups?.word ?? '';
  const line = await MEANT[error.code]?.({ argv, path, own }, word);
  const isSecret = names[0] === 'accounts' && hasStrayWord(line?.words ?? []);
  const shown = names[0] === 'accounts' ? withoutWords(withoutValue(fact)) : withoutValue(fact);
  const message = shown.charAt(0).toUpperCase() + shown.slice(1);
  return line === undefined || isSecret
    ? stop('usage', message, 'See the help.', help)
    : stop('usage', message, line.next, commandLine(line.words));
}

function pathTo(parent: Command, argv: readonly string[]): readonly Command[] {
  const child = parent.commands.find((each) => argv.includes(each.name()));
  return child === undefined ? [parent] : [parent, ...pathTo(child, argv)];
}

const said = (next: string, words: readonly string[]): Line => ({ next, words });

function near(argv: readonly string[], typed: string, known: readonly string[]): Line | undefined {
  const advice = meantWord(typed, known);
  return isSlip(advice) ? said(advice.next, withMeant(argv, advice.again)) : undefined;
}

const isSlip = (advice: Advice): advice is { next: string; again: Slip } =>
  typeof advice !== 'string' && advice.again !== undefined && advice.again !== 'mended';

const MEANT: Readonly<Record<string, (typed: Typed, word: string) => Found>> = {
  'commander.unknownCommand': meantCommand,
  'commander.unknownOption': meantFlag,
  'commander.excessArguments': meantByMore,
};

// -------------------------------------------------------------------------------------------------------- commands

async function isJob(word = ''): Promise<boolean> {
  const operations = await familyNames(OPERATIONS);
  return isYamlName(word) || word.split(',').every((each) => operations.includes(each));
}

async function meantCommand({ argv, path }: Typed, typed: string): Promise<Line | undefined> {
  const at = argv.indexOf(typed);
  const as = (...words: readonly string[]): readonly string[] => argv.toSpliced(at, 1, ...words);
  const group = path[1];
  const isWithin = (meant: string): boolean => group === undefined || meant.startsWith(`${group.name()} `);
  const other = argv[at + 1];
  const meant = meantIn(COMMANDS, typed, isWithin);
  // Which operation fits a list is what its plan says.
  const command = meant === 'run' && isListName(other) ? 'plan' : meant;
  if (command !== undefined)
    return said(`Did you mean ${command}?`, as(...command.split(' ').slice(group === undefined ? 0 : 1)));
  const names = path.at(-1)?.commands.map((each) => each.name()) ?? [];
  if (group !== undefined) return near(argv, typed, names);
  if (isListName(typed) && (await isJob(other)))
    return said('Name the job first, then the list.', [
      'run',
      ...withMeant(argv, { typed, meant: `${other}` }),
    ]);
  if (isListName(typed)) return said('A plan shows what a list is, and spends nothing.', ['plan', typed]);
  if (await isJob(typed)) return said('Did you mean run?', as('run', typed));
  return near(argv, typed, names) ?? near(['run', ...argv], typed, await familyNames(OPERATIONS));
}

// ----------------------------------------------------------------------------------------------------------- flags

const isNumber = (word = ''): boolean => /^\d+$/.test(word);

async function meantFlag(typed: Typed, word: string): Promise<Line | undefined> {
  const { argv, own } = typed;
  const at = argv.indexOf(word);
  const [flag = '', ...values] = word.split(/=(.*)/s, 2);
  const value = values[0] ?? argv[at + 1] ?? '';
  const rest = argv.toSpliced(at, values.length === 0 ? 2 : 1);
  switch (meantBy(typed, flag, value)) {
    case undefined:
      return isKey(flag, own)
        ? keyLine(own, rest)
        : near(
            argv,
            flag,
            own.filter((each) => each.length > 2),
          );
    case 'plan':
      return planLine(argv);
    case 'word':
      return isListName(value)
        ? said('The list needs no flag.', [...rest, value])
        : said('The job needs no flag.', rest.toSpliced(1, 0, value));
    case '':
      return said(
        'Leave it out: the same command goes on where it stopped.',
        isNumber(value) ? rest : argv.toSpliced(at, 1),
      );
    default: {
      const meant = meantBy(typed, flag, value) ?? '';
      return said(`Did you mean ${meant}?`, argv.with(at, [meant, ...values].join('=')));
    }
  }
}

function meantBy({ path, own }: Typed, flag: string, value: string): string | undefined {
  const takesList = ['run', 'plan'].includes(path[1]?.name() ?? '');
  if (flag === '-n' && isNumber(value) && own.includes('--limit')) return '--limit';
  if (flag === '-f' && isListName(value) && takesList) return 'word';
  return meantIn(FLAGS, flag, (meant) => {
    if (meant === 'word') return takesList && value !== '';
    return meant === '' || own.includes(meant) || (meant === 'plan' && takesList);
  });
}

const isKey = (flag: string, own: readonly string[]): boolean =>
  /key|token|secret|passw|auth/i.test(flag) && nearest(flag, own)?.startsWith('--key') !== true;

/** Flags of a run may be none of a plan's, so the job and the list alone are named. */
async function planLine(argv: readonly string[]): Promise<Line> {
  const operations = await familyNames(OPERATIONS);
  const words = argv.filter((word) => operations.includes(word) || isYamlName(word) || isListName(word));
  return said('A plan shows what a run would do, and spends nothing.', ['plan', ...words.slice(0, 2)]);
}

/** What was typed for a key is not shown. */
const keyLine = (own: readonly string[], rest: readonly string[]): Line =>
  said(
    'No key is typed in a command, where others can read it: accounts add asks for it, or reads it with --key-stdin.',
    own.includes('--key-stdin') ? [...rest, '--key-stdin'] : ['accounts', 'add'],
  );

// ----------------------------------------------------------------------------------------------------- words too many

/** A flag whose hyphens are dashes, or none, as an editor makes them; or one name in two words. */
async function meantByMore({ argv, own }: Typed): Promise<Line | undefined> {
  const isFlag = (word: string): boolean => own.includes(`--${word.replace(/=.*/s, '')}`);
  const dashed = argv.findIndex((word) => /^[–—−]+\w/.test(word) || isFlag(word));
  if (dashed >= 0) {
    const flag = `--${argv[dashed]?.replace(/^[–—−]+/, '')}`;
    return said(`Did you mean ${flag.replace(/=.*/s, '')}?`, argv.with(dashed, flag));
  }
  const operations = await familyNames(OPERATIONS);
  for (const [at, word] of argv.entries()) {
    const names = [`${word}-${argv[at + 1]}`, `${word} ${argv[at + 1]}`];
    const meant = names.find((each) => operations.includes(each) || existsSync(each));
    if (meant !== undefined) return said(`Did you mean "${meant}"?`, argv.toSpliced(at, 2, meant));
  }
  return undefined;
}

// ------------------------------------------------------------------------------------------------------------ facts

/** Commander's words for a value that is none of a list, of an option or of an argument. */
const WRONG_CHOICE =
  /^(?:option '(?:-\w, )?(?<flag>--[\w-]+).*' argument|command-argument value) '(?<word>[^']*)' is invalid.* Allowed choices are (?<known>.+)\.$/;

function wrongChoice({ flag, word = '', known = '' }: Record<string, string | undefined>): StopError {
  const fact = flag === undefined ? `"${word}" is not known.` : `${flag} ${word} is not known.`;
  return stop('usage', fact, meantWord(word, known.split(', ')));
}

/** `--key=secret` is quoted back as an unknown option; what stands behind the sign may be a key and is not shown. */
function withoutValue(fact: string): string {
  return fact.replace(/(unknown option '[^'=]+)=.*'$/, "$1'");
}

/** Nor are the words that nobody expected, where one of them may be a key. */
function withoutWords(fact: string): string {
  return fact.replace(/( but got \d+): .*$/, '$1');
}

/** Whether there is a word that no flag takes. */
const hasStrayWord = (words: readonly string[]): boolean =>
  words.slice(2).some((word, at) => !word.startsWith('-') && !words[at + 1]?.startsWith('-'));
