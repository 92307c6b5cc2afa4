/**
 * The shapes in docs/api-http.md and docs/json.md: of every schema a table of its members, with the words that stand before
 * them in the source, so that neither is written twice.
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import * as api from '../../src/web/api.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const SOURCE = globSync(['src/web/api{,/**/*}.ts', 'src/objects/*.ts'], { cwd: ROOT })
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

/** Every request that the server knows, as `GET /api/batches`. */
export function routesInSource(): readonly string[] {
  const routes = globSync('src/web/server/**/*.ts', { cwd: ROOT }).flatMap((file) => {
    const text = readFileSync(join(ROOT, file), 'utf8');
    return [...text.matchAll(/\.(get|post|put|patch|delete)\(\s*'(\/[^']*)'/g)].map(
      ([, method = '', path = '']) =>
        `${method.toUpperCase()} ${OUTSIDE.test(path) || file.endsWith('/app.ts') ? '' : '/api'}${path}`,
    );
  });
  // The page itself is asked for at `/`, and every view at an address of its own.
  return [...new Set(routes)].filter((route) => route !== 'GET /').sort();
}

/** Routes that say their whole path: a browser follows a link to a download or to the way in, which has a key for a token. */
const OUTSIDE = /^\/(?:api|downloads|enter)\//;

/** The sections of these shapes of the page's API, and of those that they name, as they have to be now. */
export function shapesFor(names: readonly string[]): string {
  const sections = shapesOf(api).split(/^(?=### )/m);
  const nameOf = (section: string): string => /^### (\w+)/.exec(section)?.[1]?.toLowerCase() ?? '';
  const wanted = new Set(names);
  // A shape that is added here is looked into as well.
  for (const name of wanted) {
    const section = sections.find((each) => nameOf(each) === name) ?? '';
    for (const [, inner = ''] of section.matchAll(/\]\(#([a-z]+)\)/g)) wanted.add(inner);
  }
  return sections.filter((section) => wanted.has(nameOf(section))).join('');
}

/** A section for each zod schema among these, by its name. */
export function shapesOf(named: Readonly<Record<string, unknown>>): string {
  const registry = z.registry<{ id: string }>();
  for (const [name, schema] of Object.entries(named))
    if (schema instanceof z.ZodType) registry.add(schema, { id: name });
  const { schemas } = z.toJSONSchema(registry, {
    uri: (id) => id,
    io: 'input',
    unrepresentable: 'any',
  }) as unknown as { readonly schemas: Record<string, Shape> };
  return Object.entries(schemas)
    .map(
      ([name, shape]) =>
        `### ${name}\n\n${[meaningOf(name), tableOf(name, shape)].filter(Boolean).join('\n\n')}\n`,
    )
    .join('\n');
}

function tableOf(name: string, shape: Shape): string {
  const members = membersOf(shape, '');
  if (members.length === 0) return `${kindOf(shape)}.`;
  const rows = members.map(({ path, kind }) => `| \`${path}\` | ${kind} | ${meaningOfMember(name, path)} |`);
  return ['| member | is | means |', '|---|---|---|', ...rows].join('\n');
}

interface Member {
  readonly path: string;
  readonly kind: string;
}

/** Members of members have a path, such as `error.code`; a `?` says that it may be left out. */
function membersOf({ properties = {}, required = [] }: Shape, before: string): readonly Member[] {
  return Object.entries(properties).flatMap(([key, shape]) => {
    const path = `${before}${key}${required.includes(key) ? '' : '?'}`;
    const inner = membersOf(shape, `${before}${key}.`);
    if (inner.length > 0) return inner;
    const ofEach = membersOf(shape.items ?? {}, `${path}[].`);
    return ofEach.length > 0 ? ofEach : [{ path, kind: kindOf(shape) }];
  });
}

function kindOf(shape: Shape): string {
  const { $ref, type, items, additionalProperties } = shape;
  const forms = shape.anyOf ?? shape.oneOf ?? shape.allOf;
  if ($ref !== undefined) return `[${$ref}](#${$ref.toLowerCase()})`;
  if (forms !== undefined) return [...new Set(forms.map(kindOf))].join(' or ');
  if (shape.const !== undefined) return `\`${JSON.stringify(shape.const)}\``;
  if (shape.enum !== undefined) return shape.enum.map((each) => `\`${String(each)}\``).join(', ');
  if (items !== undefined) return `list of ${kindOf(items)}`;
  if (typeof additionalProperties === 'object') return `${kindOf(additionalProperties)} by name`;
  if (shape.properties !== undefined) return `object of ${Object.keys(shape.properties).join(', ')}`;
  return typeof type === 'string' ? type : (type?.join(' or ') ?? 'anything');
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
    .replaceAll(/^\/\*\*|\*\/$|^\s*\* ?/gm, '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll('|', '\\|')
    .trim();
