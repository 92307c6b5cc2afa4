import { Argument, type Command } from 'commander';
import { EXIT, type ExitCode } from '../core/errors.ts';
import { SCRIPTS, SHELLS, type Shell } from './completion/scripts.ts';
import { wordsFor } from './completion/words.ts';
import type { CliCommand, Console } from './shell/command.ts';

const completion: CliCommand = {
  name: 'completion',
  summary: 'Prints a script by which a shell completes commands, options, jobs, accounts and batches.',
  example: 'eval "$(rowonce completion bash)"',
  configure(command: Command, run) {
    command
      .addArgument(new Argument('<shell>', 'which shell').choices(SHELLS))
      .argument('[words...]', 'after --, what is typed so far: prints what may follow, as the scripts ask')
      .action(
        run((console: Console, shell: Shell, words: readonly string[], _flags: unknown, self: Command) =>
          words.length === 0 ? printScript(console, shell) : printWords(console, words, self.parent ?? self),
        ),
      );
  },
};

export default completion;

async function printScript(console: Console, shell: Shell): Promise<ExitCode> {
  const script = SCRIPTS[shell];
  console.print(script);
  console.result({ shell, script });
  return EXIT.done;
}

async function printWords(console: Console, typed: readonly string[], program: Command): Promise<ExitCode> {
  const words = await wordsFor(program, typed);
  for (const word of words) console.print(word);
  console.result({ words });
  return EXIT.done;
}
