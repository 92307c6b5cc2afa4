import type { Command } from 'commander';
import { buildProgram, configureTyped } from '../../src/cli/program.ts';

/** The program with every command configured, for readers of the whole, such as the test of the documentation. */
export async function describeProgram(): Promise<Command> {
  const program = await buildProgram({ started: () => {}, write: () => {}, writeError: () => {} });
  for (const command of program.commands) await configureTyped(program, [command.name()], async () => {});
  return program;
}
