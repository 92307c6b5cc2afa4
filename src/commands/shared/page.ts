import { z } from 'zod';
import { stop } from '../../core/errors.ts';
import { COMMANDS } from '../../core/families.ts';
import { loadFamily } from '../../core/family.ts';
import { present } from '../../core/objects.ts';
import { checkInput } from '../../lib/checked-input.ts';
import type { PageCommand } from '../../web/serve.ts';
import { type Command, type CommandGroup, said } from './command.ts';
import { callChecked, textsOf, typedFrom } from './library.ts';

const KEY = z.string().min(1).max(10_000);

type PageInput = Readonly<Record<string, unknown>>;

/** @param own the store and the user are those of `serve`. */
export async function pageCommands(
  own: {
    readonly [Name in 'store' | 'as']?: string | undefined;
  },
): Promise<readonly PageCommand[]> {
  const members = [...(await loadFamily<Command | CommandGroup>(COMMANDS)).values()];
  const all = members.flatMap((of) => {
    if (!('commands' in of)) return (of.faces?.includes('page') ?? true) ? [of] : [];
    return of.commands.filter(({ faces }) => faces?.includes('page'));
  });
  return all.map((of) => pageCommand(of, present(own)));
}

function pageCommand(of: Command, own: PageInput): PageCommand {
  const shape: Readonly<Record<string, z.ZodType>> = of.input.shape;
  const entries = new Map<string, string>();
  const taken: Record<string, z.ZodType> = {};
  for (const [name, schema] of Object.entries(shape)) {
    const how = said.get(schema);
    if (how?.page !== undefined) entries.set(name, how.page);
    if (how === undefined || how.page === 'none') continue;
    const isNeeded = how.page === 'needed' || how.page === 'batch';
    if (how.page === 'key') taken.key = KEY;
    else taken[name] = isNeeded ? z.nonoptional(schema) : schema;
  }
  const input = z.strictObject(taken);
  const check = (given: PageInput): PageInput => checkInput(of.name, input, given);
  return {
    name: of.name,
    ...present({ work: of.work }),
    entries,
    check,
    call: (given) => callChecked(of, { ...check(given), ...own }, { ...given, ...own }),
    wordsFor(given) {
      for (const [name, schema] of Object.entries(taken))
        if (name in given && said.get(shape[name] ?? schema)?.isArgument)
          requireNoFlag(`${of.name}: ${name}`, textsOf(schema, given[name]));
      return typedFrom(of, given);
    },
  };
}

function requireNoFlag(entry: string, texts: readonly string[]): void {
  const flag = texts.find((text) => text.startsWith('-'));
  if (flag !== undefined) throw stop('usage', `${entry} is ${flag}.`, 'Begin it with another sign than "-".');
}
