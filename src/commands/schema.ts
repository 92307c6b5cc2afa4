import { readFileSync } from 'node:fs';
import { Argument, type Command } from 'commander';
import { SCHEMA_KINDS, type SchemaKind, schemaPath } from '../core/paths.ts';
import type { CliCommand, Report } from './shared/command.ts';

export default {
  name: 'schema',
  summary: 'Prints the JSON schema of a job, accounts or a dialect, for editors, or of what --json prints.',
  example: 'schema job',
  configure(command: Command, run) {
    command
      .addArgument(new Argument('<kind>', 'of which file, or output').choices(SCHEMA_KINDS))
      .option('--path', "print the path of the schema instead, for an editor's settings")
      .action(run((_console, kind: SchemaKind, flags: { readonly path?: true }) => show(kind, flags)));
  },
} satisfies CliCommand;

async function show(kind: SchemaKind, { path: asked }: { readonly path?: true }): Promise<Report> {
  const path = schemaPath(kind);
  if (asked) return { lines: [path], object: { path } };
  const text = readFileSync(path, 'utf8');
  return { lines: text.trimEnd().split('\n'), object: JSON.parse(text) };
}
