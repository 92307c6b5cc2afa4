import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { SCHEMA_KINDS, schemaPath } from '../core/paths.ts';
import { argument, command, flag } from './shared/command.ts';

export default command({
  name: 'schema',
  summary: 'Prints the JSON schema of a job, accounts or a dialect, for editors, or of what --json prints.',
  details:
    'An editor with a YAML language server finds it by a comment in the file: # yaml-language-server: ' +
    '$schema=PATH, with the path that --path prints.',
  example: 'schema job',
  faces: ['terminal'],
  input: z.strictObject({
    kind: argument(z.enum(SCHEMA_KINDS), 'of which file, or output'),
    path: flag(z.boolean().optional(), "print the path of the schema instead, for an editor's settings"),
  }),
  /** The schema itself, or the path of its file. */
  output: z.record(z.string(), z.unknown()),
  async run({ kind, path: asked }) {
    const path = schemaPath(kind);
    if (asked) return { lines: [path], object: { path } };
    const text = readFileSync(path, 'utf8');
    return { lines: text.trimEnd().split('\n'), object: JSON.parse(text) };
  },
});
