import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Argument, Command, type Option } from 'commander';
import { invariant, StopError } from '../core/errors.ts';
import { COMMANDS, OPERATIONS } from '../core/families.ts';
import { familyNames, loadMember } from '../core/family.ts';
import { ROLES } from '../core/membership.ts';
import type { Operation } from '../core/operation.ts';
import type { CliCommand } from './shell/command.ts';

/**
 * The completion scripts of the shells. A script asks the program for the words, so that one that was saved in a file
 * completes what a newer version has. Where the program knows no word, the shell completes names of files.
 */

const SHELLS = ['bash', 'zsh', 'fish', 'powershell'] as const;

type Shell = (typeof SHELLS)[number];

const completion: CliCommand = {
  name: 'completion',
  summary: 'Prints a script that lets a shell complete commands, options, jobs, accounts and batches.',
  example: 'completion bash',
  configure(command: Command, run) {
    command
      .addArgument(new Argument('<shell>', 'which shell').choices(SHELLS))
      .argument('[words...]', 'after --, the words typed so far: prints what may follow, for the scripts')
      .action(
        run(async (_console, shell: Shell, typed: readonly string[], _flags: unknown, self: Command) => {
          const script = SCRIPTS[shell];
          if (typed.length === 0) return { lines: script.split('\n'), object: { shell, script } };
          const program = self.parent ?? self;
          const words = await WORDS[shell](program, typed);
          return { lines: words, object: { words } };
        }),
      );
  },
};

export default completion;

/** macOS still has bash 3.2, which has no `mapfile`, so the words are read line by line. */
const BASH = `# Completes rowonce in bash. In ~/.bashrc: eval "$(rowonce completion bash)"
_rowonce() {
  local word
  COMPREPLY=()
  while IFS= read -r word; do
    [[ $word == *= ]] && compopt -o nospace 2>/dev/null
    COMPREPLY+=("$(printf %q "$word")")
  done < <("\${COMP_WORDS[0]}" completion bash -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _rowonce rowonce`;

const ZSH = `# Completes rowonce in zsh. In ~/.zshrc, after compinit: eval "$(rowonce completion zsh)"
_rowonce() {
  local -a found
  found=("\${(@f)$("\${words[1]}" completion zsh -- "\${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ "\${found[1]}" == *= ]]; then compadd -S '' -- "\${found[@]}"
  elif [[ -n "\${found[1]}" ]]; then compadd -- "\${found[@]}"; else _files; fi
}
compdef _rowonce rowonce`;

const FISH = `# Completes rowonce in fish. In ~/.config/fish/config.fish: rowonce completion fish | source
function __rowonce_words
  set -l typed (commandline -opc)
  set -l current (commandline -ct)
  set -l found ($typed[1] completion fish -- $typed[2..-1] "$current" 2>/dev/null)
  if test (count $found) -gt 0
    printf '%s\\n' $found
  else
    __fish_complete_path "$current"
  end
end
complete -c rowonce -f -a '(__rowonce_words)'`;

/**
 * npm puts a script of PowerShell on the path of Windows, and such a script drops a bare `--` and may drop an empty word. So the one
 * stands in quotes, and the word that is being typed goes behind a sign of equality. Of `abn,dom` PowerShell replaces the part behind the comma.
 */
const POWERSHELL = `# Completes rowonce in PowerShell. In $PROFILE: rowonce completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName rowonce -ScriptBlock {
  param($replaced, $line, $cursor)
  $words = @($line.CommandElements | Where-Object { $_.Extent.StartOffset -lt $cursor } | ForEach-Object {
    if ($_ -is [System.Management.Automation.Language.StringConstantExpressionAst]) { $_.Value } else { $_.Extent.Text }
  })
  $before = @($words | Select-Object -Skip 1)
  $current = ''
  if ($replaced -ne '') {
    $current = $words[-1]
    $before = @($before | Select-Object -SkipLast 1)
  }
  $kept = 0
  if ($current.EndsWith($replaced)) { $kept = $current.Length - $replaced.Length }
  & $words[0] completion powershell '--' @before "=$current" 2>$null | ForEach-Object {
    $text = $_.Substring($kept)
    $quoted = $text
    if ($text -match '[^\\w./:=+-]') { $quoted = "'" + $text.Replace("'", "''") + "'" }
    [System.Management.Automation.CompletionResult]::new($quoted, $text, 'ParameterValue', $text)
  }
}`;

const SCRIPTS: Readonly<Record<Shell, string>> = { bash: BASH, zsh: ZSH, fish: FISH, powershell: POWERSHELL };

/**
 * The words that may stand where the cursor is. The user waits for them, so only the command that is typed is loaded,
 * and accounts and batches only where one is named.
 */

/** Bash takes `domain=Web` for three words, of which it replaces the last one. */
async function wordsInBash(program: Command, typed: readonly string[]): Promise<readonly string[]> {
  const joined: string[] = [];
  for (const [at, word] of typed.entries()) {
    const isBehind = word === '=' || typed[at - 1] === '=';
    joined.push(isBehind ? `${joined.pop() ?? ''}${word}` : word);
  }
  const current = joined.at(-1) ?? '';
  return (await wordsFor(program, joined)).map((word) => word.slice(current.lastIndexOf('=') + 1));
}

/** The scripts of the shells ask in different ways. */
const WORDS: Readonly<
  Record<Shell, (program: Command, typed: readonly string[]) => Promise<readonly string[]>>
> = {
  bash: wordsInBash,
  zsh: wordsFor,
  fish: wordsFor,
  powershell: (program, typed) => wordsFor(program, typed.with(-1, typed.at(-1)?.replace(/^=/, '') ?? '')),
};

/** The place of the cursor, found from the words before it. */
interface Place {
  readonly command: Command;
  readonly option?: Option;
  /** The arguments before it. */
  readonly given: readonly string[];
  readonly store?: string;
  readonly account?: string;
}

/** Folders that are searched for jobs: `jobs`, as in a checkout, and the current one. */
const JOB_FOLDERS = ['jobs', '.'];

/** Only the newest batches are offered, because a longer list would be no help. */
const BATCHES_OFFERED = 20;

/**
 * @param program the commands and the options of all of them; the commands need not be configured.
 * @param typed the words after the program's name; the last one is being typed and may be blank.
 * @returns none where the name of a file is to be completed.
 */
async function wordsFor(program: Command, typed: readonly string[]): Promise<readonly string[]> {
  const current = typed.at(-1) ?? '';
  const place = await placeAfter(typed.slice(0, -1), program);
  const begins = (word: string): boolean => word.startsWith(current);
  try {
    return (await wordsAt(place, current, program)).filter(begins);
  } catch (error) {
    // A wrong accounts file, or a store that cannot be read: the command itself will say so.
    if (error instanceof StopError) return [];
    throw error;
  }
}

async function placeAfter(words: readonly string[], program: Command): Promise<Place> {
  let place: Place = { command: program, given: [] };
  for (const word of words) place = await placeBehind(word, place, program);
  return place;
}

async function placeBehind(word: string, place: Place, program: Command): Promise<Place> {
  const { option: before, ...behind } = place;
  const { command, given } = place;
  if (before?.long === '--store') return { ...behind, store: word };
  if (before?.long === '--account') return { ...behind, account: word };
  if (before !== undefined) return behind;
  if (word.startsWith('-')) {
    const option = optionsOf(command, program).find(({ short, long }) => word === short || word === long);
    return option?.required === true ? { ...place, option } : place;
  }
  const named = command.commands.find((each) => each.name() === word);
  if (named === undefined) return { ...place, given: [...given, word] };
  return { ...place, command: command === program ? await configured(word) : named };
}

async function configured(name: string): Promise<Command> {
  const member = await loadMember<CliCommand>(COMMANDS, name);
  invariant(member, `there is no command ${name}`);
  const command = new Command(name);
  member.configure(command, () => async () => {});
  return command;
}

function optionsOf(command: Command, program: Command): readonly Option[] {
  return command === program ? program.options : [...command.options, ...program.options];
}

async function wordsAt(place: Place, current: string, program: Command): Promise<readonly string[]> {
  const { command, option, given } = place;
  if (option !== undefined) return valuesOf(option, place, current);
  if (current.startsWith('-')) {
    const options = optionsOf(command, program).filter(({ long }) => long !== '--version');
    return [...options.map(({ long, flags }) => long ?? flags), '--help'];
  }
  if (command.commands.length > 0)
    return given.length === 0 ? command.commands.map((each) => each.name()) : [];
  const { registeredArguments: all } = command;
  const last = all.at(-1);
  const meant = all[given.length] ?? (last?.variadic === true ? last : undefined);
  return meant === undefined ? [] : meanings(meant, place);
}

async function valuesOf(
  { long, argChoices }: Option,
  place: Place,
  current: string,
): Promise<readonly string[]> {
  switch (long) {
    case '--account':
    case '--via':
      return accountNames();
    case '--column':
      return columnPairs(place, current);
    case '--add':
      return current.includes('=') ? behindSign(current, await fieldsOf(place)) : [];
    case '--waterfall':
      return (await operationOf(place)).tiers.map((tier) => `${current.replace(/[^,]*$/, '')}${tier}`);
    case '--role':
      return current.includes('=') ? behindSign(current, ROLES) : ROLES;
    default:
      return argChoices ?? [];
  }
}

/** An input of the operation, and behind its sign of equality a column of the file. */
async function columnPairs(place: Place, current: string): Promise<readonly string[]> {
  if (!current.includes('=')) return (await operationOf(place)).inputs.map(({ name }) => `${name}=`);
  const [, file = ''] = place.given;
  const { openFile } = await import('../files/input.ts');
  return behindSign(current, await (await openFile(file)).sheet.header());
}

function behindSign(current: string, words: readonly string[]): readonly string[] {
  return words.map((word) => current.slice(0, current.lastIndexOf('=') + 1) + word);
}

/** @throws StopError where no job was typed. */
async function operationOf({ given: [job = ''] }: Place): Promise<Operation> {
  const { loadJob } = await import('../job/job.ts');
  return (await loadJob(job)).operation;
}

async function fieldsOf({ given: [job = ''], store, account }: Place): Promise<readonly string[]> {
  const { knownFields } = await import('../run/run-job.ts');
  return knownFields({ job, store, account });
}

/** An argument is known by its name, which is the same in every command. */
async function meanings(argument: Argument, { store }: Place): Promise<readonly string[]> {
  switch (argument.name()) {
    case 'job':
      return [...(await familyNames(OPERATIONS)), ...(await jobFiles())];
    case 'jobs':
      return jobFiles();
    case 'batch':
      return ['last', ...(await batches(store))];
    case 'name':
      return accountNames();
    default:
      return argument.argChoices ?? [];
  }
}

async function jobFiles(): Promise<readonly string[]> {
  const found = JOB_FOLDERS.map(async (folder) => {
    const files = await readdir(folder).catch(() => []);
    return files.filter((file) => /\.ya?ml$/i.test(file)).map((file) => join(folder, file));
  });
  return (await Promise.all(found)).flat().sort();
}

async function accountNames(): Promise<readonly string[]> {
  const { loadAccounts, SANDBOX_NAMES } = await import('../client/account/account.ts');
  return [...(await loadAccounts()).configured.map(({ name }) => name), ...SANDBOX_NAMES];
}

async function batches(store: string | undefined): Promise<readonly string[]> {
  const { eachLedger } = await import('../run/open-ledger.ts');
  const found = (await eachLedger(store, (ledger) => ledger.batches())).flat();
  const newest = found.sort((a, b) => b.createdAtMs - a.createdAtMs).slice(0, BATCHES_OFFERED);
  return newest.map(({ id }) => id);
}
