import { readFileSync } from 'node:fs';
import { Argument, type Command } from 'commander';
import { EXIT, type ExitCode } from '../core/errors.ts';
import { SCHEMA_KINDS, type SchemaKind, schemaPath } from '../core/paths.ts';
import type { CliCommand, Console } from './shell/command.ts';

const schema: CliCommand = {
  name: 'schema',
  summary: 'Prints the JSON schema by which an editor completes and checks a job, accounts or a dialect.',
  example: 'npx --no rowonce schema job',
  configure(command: Command, run) {
    command
      .addArgument(new Argument('<kind>', 'of which file').choices(SCHEMA_KINDS))
      .option('--path', 'print where the schema lies instead, for the settings of an editor')
      .action(
        run((console: Console, kind: SchemaKind, flags: { readonly path?: true }) =>
          show(console, kind, flags),
        ),
      );
  },
};

export default schema;

async function show(console: Console, kind: SchemaKind, flags: { readonly path?: true }): Promise<ExitCode> {
  const path = schemaPath(kind);
  const text = readFileSync(path, 'utf8');
  console.print(flags.path ? path : text.trimEnd());
  console.result(flags.path ? { path } : JSON.parse(text));
  return EXIT.done;
}
