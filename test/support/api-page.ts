import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { z } from 'zod';
import { type Command, said } from '../../src/commands/shared/command.ts';
import { COMMANDS, loadFamily } from '../../src/core/families.ts';
import * as library from '../../src/index.ts';

/**
 * The page of all that the library exports, made of the source: the calls from their commands, and of the rest what stands above each
 * declaration, and the declaration as it is written. The compiler has no interface for programs in this version, and the house's own
 * style makes declarations easy to find.
 */

const ROOT = join(import.meta.dirname, '..', '..', 'src');

/** What is shown as it is declared. Of the others the name is enough. */
const SHOWN = [
  'Own',
  'EnrichedRow',
  'EnrichedCall',
  'RunEvent',
  'StopError',
  'OwnOperation',
  'OwnPrepared',
  'OwnDialect',
];

export async function apiParts(): Promise<Readonly<Record<'calls' | 'values' | 'types' | 'others', string>>> {
  const commands = await loadFamily<Command>(COMMANDS);
  const calls = Object.keys(library).flatMap((name) => commands.get(name) ?? []);
  const names = exportedNames();
  const row = (...cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const values = names.filter(
    ({ name, kind }) => !SHOWN.includes(name) && ['function', 'class', 'const'].includes(kind),
  );
  const shown = names.filter(({ name }) => SHOWN.includes(name));
  const others = names.filter((each) => !values.includes(each) && !shown.includes(each));
  return {
    calls: [
      row('call', 'does', 'example'),
      '|---|---|---|',
      ...(await Promise.all(
        calls.map(async (of) =>
          row(`[${of.name}](README.md#${anchorOf(of)})`, of.summary, `\`${await exampleOf(of)}\``),
        ),
      )),
    ].join('\n'),
    values: [
      row('name', 'is'),
      '|---|---|',
      ...values.map(({ name, about }) => row(`\`${name}\``, oneLine(about))),
    ].join('\n'),
    types: shown
      .map(
        ({ name, about, declaration }) =>
          `### \`${name}\`\n\n${oneLine(about)}\n\n\`\`\`ts\n${declaration.replaceAll('readonly ', '')}\n\`\`\``,
      )
      .join('\n\n'),
    others: `${others.map(({ name }) => `\`${name}\``).join(', ')}.`,
  };
}

/** The heading of the command in the reference, as a link has it. */
function anchorOf(of: Command): string {
  const entries = Object.entries(of.input.shape).filter(([, schema]) => said.get(schema)?.isArgument);
  return ['rowonce', of.name, ...entries.map(([name]) => name)].join('-');
}

/** The command's example as a call. */
async function exampleOf(of: Command): Promise<string> {
  const given = await givenIn(of);
  const { error } = of.input.safeParse(given);
  if (error !== undefined) throw new Error(`the example of ${of.name} is wrong: ${error.message}`);
  const object = JSON.stringify(given)
    .replaceAll(/"(\w+)":/g, ' $1: ')
    .replaceAll('"', "'")
    .replaceAll('}', ' }');
  const name = ['export', 'try'].includes(of.name) ? `rowonce.${of.name}` : of.name;
  return `${name}(${object.replaceAll(/,(?! )/g, ',').replaceAll(': {  ', ': { ')})`;
}

async function givenIn({ input, example, entriesOf }: Command): Promise<Readonly<Record<string, unknown>>> {
  const shape: Readonly<Record<string, z.ZodType>> = input.shape;
  const entries = Object.entries(shape).map(([name, schema]) => ({ name, how: said.get(schema) }));
  const given: Record<string, unknown> = {};
  const words: string[] = [];
  const typed = example.split(' ').slice(1);
  for (let word = typed.shift(); word !== undefined; word = typed.shift()) {
    if (!word.startsWith('-')) {
      words.push(word);
      continue;
    }
    const entry = entries.find(({ name, how }) =>
      [`-${how?.short}`, `--${name.replaceAll('_', '-')}`].includes(word ?? ''),
    );
    // What every command takes has no words of its own.
    const isOn = entry?.how !== undefined && entry.how.value === undefined;
    const value = isOn ? true : typed.shift();
    given[entry?.name ?? word.slice(2)] = /^\d+$/.test(String(value)) ? Number(value) : value;
  }
  if (entriesOf !== undefined) return { ...(await entriesOf(...words)), ...given };
  const positions = entries.filter(({ how }) => how?.isArgument);
  const named = positions.flatMap(({ name }, at) => {
    const own = at === positions.length - 1 ? words.slice(at) : words.slice(at, at + 1);
    if (own.length === 0) return [];
    if (own.every((word) => word.includes('=')))
      return [[name, Object.fromEntries(own.map((word) => word.split('=')))]];
    return [[name, shape[name]?.safeParse(own[0]).success ? own[0] : own]];
  });
  return { ...Object.fromEntries(named), ...given };
}

interface Exported {
  readonly name: string;
  readonly kind: 'function' | 'class' | 'const' | 'interface' | 'type';
  readonly declaration: string;
  /** What stands above it, without its tags. */
  readonly about: string;
}

/** Everything that `index.ts` exports, by name. */
function exportedNames(): readonly Exported[] {
  const found = reExports('index.ts').map(({ name, own, from }) => exportedAs(name, own, from));
  return found.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

interface ReExport {
  readonly name: string;
  /** What it is called where it is declared. */
  readonly own: string;
  readonly from: string;
}

function reExports(file: string): readonly ReExport[] {
  const statements = source(file).matchAll(/^export (?:type )?\{([^}]*)\} from '([^']+)';/gm);
  return [...statements].flatMap(([, names = '', from = '']) =>
    names
      .split(',')
      .map((each) => each.trim().replace(/^type /, ''))
      .filter((each) => each !== '')
      .map((each) => {
        const [own = '', name = own] = each.split(' as ');
        return { name, own, from: join(dirname(file), from) };
      }),
  );
}

/** The files that are exported with all that they have, and those of these. */
function wholeExports(file: string): readonly string[] {
  const all = [...source(file).matchAll(/^export (?:type )?\* from '([^']+)';/gm)];
  return all.flatMap(([, from = '']) => {
    const path = join(dirname(file), from);
    return [path, ...wholeExports(path)];
  });
}

const source = (file: string): string =>
  existsSync(join(ROOT, file)) ? readFileSync(join(ROOT, file), 'utf8') : '';

function exportedAs(name: string, own: string, file: string): Exported {
  const text = source(file);
  const declared = [...text.matchAll(declarationOf(own))];
  const [first] = declared;
  if (first === undefined) {
    const passed = reExports(file).find((each) => each.name === own) ?? importedIn(file, own);
    if (passed !== undefined) return exportedAs(name, passed.own, passed.from);
    const has = (each: string): boolean =>
      declarationOf(own).test(source(each)) || reExports(each).some(({ name: passedOn }) => passedOn === own);
    const whole = wholeExports(file).find(has);
    if (whole !== undefined) return exportedAs(name, own, whole);
    throw new Error(`${own} is not declared in ${file}`);
  }
  const kind = first[1]?.replace('async ', '') as Exported['kind'];
  const signatures = declared.map(({ index }) => declarationAt(text, index, kind));
  const shown = signatures.length > 1 ? signatures.slice(0, -1) : signatures;
  const comment = commentAbove(text, first.index);
  const [about = ''] = comment.split(/(?:^|\s)@(?=(?:param|throws|returns)\b)/);
  return { name, kind, about: about.trim(), declaration: shown.join('\n').replaceAll(own, name) };
}

const declarationOf = (name: string): RegExp =>
  new RegExp(`^export (async function|function|class|const|interface|type) ${name}\\b`, 'gm');

function importedIn(file: string, name: string): ReExport | undefined {
  const imports = source(file).matchAll(/^import (?:type )?\{([^}]*)\} from '(\.[^']+)';/gm);
  for (const [, names = '', from = ''] of imports) {
    const isThere = names.split(',').some((each) => each.trim().replace(/^type /, '') === name);
    if (isThere) return { name, own: name, from: join(dirname(file), from) };
  }
  return undefined;
}

/** Where each kind of declaration ends. */
function declarationAt(text: string, start: number, kind: Exported['kind']): string {
  const rest = text.slice(start).replace(/^export /, '');
  switch (kind) {
    case 'function':
      return `${(/^[\s\S]*?(?= \{\n|;\n)/.exec(rest)?.[0] ?? '').replace(/^async /, '')};`;
    case 'class':
      return `${rest.split(/\n\n/)[0]}\n}`;
    case 'interface':
      return rest.slice(0, rest.indexOf('\n}\n') + 2);
    default:
      return /^[\s\S]*?;(?=\n(?:\n|\/\*\*|export|const|$))/.exec(rest)?.[0] ?? rest.split('\n')[0] ?? '';
  }
}

/** The words of the comment that stands right above, without its marks. */
function commentAbove(text: string, start: number): string {
  const before = text.slice(0, start);
  if (!before.endsWith('*/\n')) return '';
  const comment = before.slice(before.lastIndexOf('/**') + 3, -3);
  return comment
    .split('\n')
    .map((line) => line.replace(/^\s*\* ?/, '').trimEnd())
    .join('\n')
    .trim();
}

const oneLine = (text: string): string => text.replaceAll(/\s*\n\s*/g, ' ');
