/**
 * The shapes in docs/reference/json.md: every object that a command prints, once, as a type with the words that stand before its members in the
 * source, so that neither is written twice.
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { Command, CommandGroup } from '../../src/commands/shared/command.ts';
import { pageCommands } from '../../src/commands/shared/library.ts';
import { COMMANDS, loadFamily } from '../../src/core/families.ts';
import { FINDINGS } from '../../src/core/findings.ts';
import { BatchList, Refusal, WorkAnswer } from '../../src/web/api.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const OBJECTS = globSync('src/objects/*.ts', { cwd: ROOT }).sort();
const SOURCE = ['src/web/api.ts', ...OBJECTS]
  .map((file) => readFileSync(join(ROOT, file), 'utf8'))
  .join('\n');

interface Shape {
  $ref?: string;
  type?: string | readonly string[];
  enum?: readonly unknown[];
  const?: unknown;
  required?: readonly string[];
  properties?: Record<string, Shape>;
  additionalProperties?: Shape | boolean;
  items?: Shape;
  anyOf?: readonly Shape[];
  oneOf?: readonly Shape[];
  allOf?: readonly Shape[];
}

/** The objects by their names, and what each command prints: one of them, one of several, or one of its own. */
export async function whatIsPrinted(): Promise<
  Readonly<Record<'named' | 'roots', Readonly<Record<string, z.ZodType>>>>
> {
  const named: Record<string, z.ZodType> = {};
  for (const file of OBJECTS)
    for (const [name, schema] of Object.entries(await import(join(ROOT, file))))
      if (schema instanceof z.ZodObject || schema instanceof z.ZodDiscriminatedUnion) named[name] = schema;
  const members = [...(await loadFamily<Command | CommandGroup>(COMMANDS)).values()];
  const commands = members.flatMap((member) => ('commands' in member ? member.commands : [member]));
  const roots: Record<string, z.ZodType> = {};
  for (const { name, output } of commands) if (output !== undefined) roots[name] = output;
  return { named, roots };
}

/** The page behind its introduction: what each command prints, what the page's server answers, and the objects in these. */
export async function jsonParts(): Promise<
  Readonly<Record<'commands' | 'api' | 'objects' | 'findings', string>>
> {
  const { named, roots } = await whatIsPrinted();
  const shapes = shapesOf({ ...named, ...roots, BatchList, Refusal, WorkAnswer });
  const blocks = (names: readonly string[]): string => names.map((name) => typeOf(name, shapes)).join('\n');
  const api = `COMMAND = ${(await pageCommands({})).map(({ name }) => name).join('|')}\n\n${blocks(['BatchList', 'Refusal', 'WorkAnswer'])}`;
  const text = { commands: linesOf(roots, named, shapes), api };
  const shown = new Set<string>();
  // An object in an object that is shown is shown as well.
  for (let now = `${text.commands}${text.api}`; ; now = blocks([...shown])) {
    const more = Object.keys(named).filter(
      (name) => !shown.has(name) && new RegExp(`\\b${name}\\b`).test(now),
    );
    if (more.length === 0) break;
    for (const name of more) shown.add(name);
  }
  shown.delete('FindingObject');
  const fence = (types: string): string => `\`\`\`text\n${types.trim()}\n\`\`\``;
  const usual = USUAL.map(([name, is]) => `${name} = ${is}\n`).join('');
  return {
    commands: fence(shortened(text.commands)),
    api: fence(shortened(text.api)),
    objects: fence(`${usual}\n${shortened(blocks([...shown].sort()))}`),
    findings: shortened(tableOfFindings(shapes)),
  };
}

/** Shapes that many objects and findings have, by a name for each. */
const USUAL: readonly (readonly [name: string, is: string])[] = [
  ['Money', '{ amount: number, currency: string }[]'],
  ['...Person', 'email?: string, user_id?: string, invite_code?: string'],
  ['...Reply', 'status?: number, words?: string, body?: string, unreadable?: too_deep|no_json'],
];

const shortened = (text: string): string =>
  USUAL.reduce(
    (now, [name, is]) => now.replaceAll(is, name).replaceAll(is.replaceAll('|', '\\|'), name),
    text,
  );

/** The codes of findings, with whom each needs and its facts. Those of a cell that cannot be used have the same. */
function tableOfFindings(shapes: Shapes): string {
  const factsOf = new Map(
    (shapes.FindingObject?.oneOf ?? []).flatMap(({ properties: { code = {}, facts = {} } = {} }) =>
      [code.enum ?? code.const].flat().map((each) => [String(each), oneLine(facts, shapes)]),
    ),
  );
  const rows = Object.entries(FINDINGS).map(([code, { needs }]) => ({
    code,
    needs,
    facts: factsOf.get(code) ?? '',
  }));
  const cellsOf = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const lines = [...Map.groupBy(rows, ({ needs, facts }) => `${needs} ${facts}`).values()].map(
    ([first, ...more]) =>
      cellsOf([
        [first, ...more].map((each) => `\`${each?.code}\``).join(', '),
        first?.needs.replaceAll('_', ' ') ?? '',
        first?.facts === '{  }' ? '' : `\`${first?.facts.replaceAll('|', '\\|')}\``,
      ]),
  );
  return [cellsOf(['code', 'needs', 'facts']), '|---|---|---|', ...lines].join('\n');
}

/** What each command prints, on one line: one of the objects, or one of its own. */
function linesOf(
  roots: Readonly<Record<string, z.ZodType>>,
  named: Readonly<Record<string, z.ZodType>>,
  shapes: Shapes,
): string {
  const known = new Map(Object.entries(named).map(([name, schema]) => [schema, name]));
  const lines = Object.entries(roots).map(([name, schema]) => {
    const object = known.get(schema);
    return `${name}: ${object ?? oneLine(shapes[name] ?? {}, shapes)}`;
  });
  return lines.join('\n');
}

function shapesOf(named: Readonly<Record<string, z.ZodType>>): Shapes {
  const registry = z.registry<{ id: string }>();
  for (const [name, schema] of Object.entries(named))
    if (!registry.has(schema)) registry.add(schema, { id: name });
  const { schemas } = z.toJSONSchema(registry, { uri: (id) => id, io: 'input', unrepresentable: 'any' });
  return schemas as unknown as Shapes;
}

type Shapes = Readonly<Record<string, Shape>>;

function typeOf(name: string, shapes: Shapes): string {
  const about = meaningOf(name);
  return `${about === '' ? '' : `// ${about}\n`}${name} = ${bodyOf(shapes[name] ?? {}, { name, path: '' }, shapes)}\n`;
}

/** `BatchObject & { … }` where all members of another object are among its own, or of several others. */
function basedOn(shape: Shape, name: string, shapes: Shapes): readonly [base: string, rest: Shape] {
  const { properties = {} } = shape;
  const parts = Object.entries(shapes).filter(([other, { properties: of = {} }]) => {
    const members = Object.entries(of);
    if (other === name || !/^[A-Z]/.test(other) || members.length < 3) return false;
    if (members.length >= Object.keys(properties).length) return false;
    return members.every(([key, member]) => isDeepStrictEqual(properties[key], member));
  });
  const size = ([, { properties: of = {} }]: readonly [string, Shape]): number => Object.keys(of).length;
  const [base] = parts.toSorted((a, b) => size(b) - size(a));
  if (base === undefined) return ['', shape];
  const rest = Object.entries(properties).filter(([key]) => base[1].properties?.[key] === undefined);
  const [more, left] = basedOn({ ...shape, properties: Object.fromEntries(rest) }, name, shapes);
  return [`${base[0]} & ${more}`, left];
}

/** An object with a member on each line, and its words behind. */
function bodyOf(
  shape: Shape,
  { name, path }: { readonly name: string; readonly path: string },
  shapes: Shapes,
): string {
  const indent = '  '.repeat(path.split('.').length - 1);
  const [base, { properties = {}, required = [] }] = basedOn(shape, name, shapes);
  const members = Object.entries(properties).map(([key, member]) => {
    const about = meaningOfMember(name, path + key);
    const words = about === '' ? '' : `  // ${about}`;
    const optional = required.includes(key) ? '' : '?';
    const inner = [member, member.items].find((each) => each?.properties !== undefined);
    const body = inner && bodyOf(inner, { name, path: `${path}${key}.` }, shapes);
    const is =
      body === undefined || !body.includes('//')
        ? oneLine(member, shapes)
        : `${body}${inner === member ? '' : '[]'}`;
    return `${indent}  ${key}${optional}: ${is}${words}\n`;
  });
  return `${base}{\n${members.join('')}${indent}}`;
}

function oneLine(shape: Shape, shapes: Shapes): string {
  const { $ref, type, items, additionalProperties } = shape;
  const forms = shape.anyOf ?? shape.oneOf ?? shape.allOf;
  if ($ref !== undefined) return $ref;
  if (forms !== undefined) return [...new Set(forms.map((each) => oneLine(each, shapes)))].join('|');
  if (shape.const !== undefined) return JSON.stringify(shape.const);
  if (shape.enum !== undefined) return shape.enum.map(String).join('|');
  if (items !== undefined) {
    const is = oneLine(items, shapes);
    return /^[^|&]*$|^\{[^}]*\}$/.test(is) ? `${is}[]` : `(${is})[]`;
  }
  if (shape.properties !== undefined) {
    const [base, { properties = {}, required = [] }] = basedOn(shape, '', shapes);
    const members = Object.entries(properties).map(
      ([key, member]) => `${key}${required.includes(key) ? '' : '?'}: ${oneLine(member, shapes)}`,
    );
    return `${base}{ ${members.join(', ')} }`;
  }
  if (typeof additionalProperties === 'object') return `{ NAME: ${oneLine(additionalProperties, shapes)} }`;
  return typeof type === 'string' ? type : (type?.join('|') ?? 'anything');
}

/** The comment before a schema. */
export function meaningOf(name: string): string {
  const before = SOURCE.split(`export const ${name} =`)[0]?.trimEnd() ?? '';
  return before.endsWith('*/') ? textOf(before.slice(before.lastIndexOf('/**'))) : '';
}

/** The comment before a member in its schema, or in the part that the schema takes from another. */
export function meaningOfMember(name: string, path: string): string {
  const [first = '', ...rest] = path.replaceAll(/[?[\]]/g, '').split('.');
  const [last = first] = rest.slice(-1);
  for (const text of textsOf(name)) {
    const member = new RegExp(`^ +${first}: (?<is>[\\s\\S]*?)(?=^ +(?:\\w+: |\\.\\.\\.|/\\*))`, 'm').exec(
      `${text}\n  end: `,
    );
    if (member === null) continue;
    const inner = /\b[A-Z]\w+(?:Object|View)\b/.exec(member.groups?.is ?? '')?.[0];
    if (rest.length > 0 && inner !== undefined) return meaningOfMember(inner, rest.join('.'));
    const comment = new RegExp(`(/\\*\\*(?:(?!\\*/)[\\s\\S])*\\*/)\\s+${last}: `).exec(text)?.[1];
    return textOf(comment ?? '');
  }
  return '';
}

const known = new Map<string, readonly string[]>();

/** What stands in a schema itself, then the parts that it takes from others. */
function textsOf(name: string): readonly string[] {
  const texts = known.get(name) ?? findTextsOf(name);
  known.set(name, texts);
  return texts;
}

function findTextsOf(name: string): readonly string[] {
  const text = SOURCE.split(new RegExp(`const ${name} =`))[1]?.split(/^(?=[a-z/])/m)[0] ?? '';
  const taken = [...text.matchAll(/\.\.\.(?<from>\w+)|\b(?<base>[A-Z]\w+)\.extend/g)].toReversed();
  return [text, ...taken.flatMap(({ groups = {} }) => textsOf(groups.from ?? groups.base ?? ''))];
}

const textOf = (comment: string): string =>
  comment
    .replaceAll(/^\/\*\*|\s*\*\/$|^\s*\* ?/gm, '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll('|', '\\|')
    .trim();
