import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * The page of all that the library exports, made of the source: what stands above each declaration, and the declaration as it is
 * written. The compiler has no interface for programs in this version, and the house's own style makes declarations easy to find.
 */

const ROOT = join(import.meta.dirname, '..', 'src');

export interface Exported {
  readonly name: string;
  readonly kind: 'function' | 'class' | 'const' | 'interface' | 'type';
  readonly declaration: string;
  /** What stands above it, without its tags. */
  readonly about: string;
  readonly tags: readonly { readonly tag: string; readonly text: string }[];
  readonly example: string | undefined;
}

/** Everything that `index.ts` exports, by name. */
export function exportedNames(): readonly Exported[] {
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
  const [about = '', ...tags] = comment
    .split(/(?:^|\s)@(?=(?:param|throws|returns|example)\b)/)
    .map((part) => part.trim());
  const example = tags
    .find((tag) => tag.startsWith('example'))
    ?.slice('example'.length)
    .trim();
  return {
    ...{ name, kind, about, example },
    declaration: shown.join('\n').replaceAll(`${own}`, name),
    tags: tags
      .filter((tag) => !tag.startsWith('example'))
      .map((tag) => ({ tag: tag.split(' ')[0] ?? '', text: tag.replace(/^\S+\s+/, '') })),
  };
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
      return `${rest.split('\n')[0]} … }`;
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

const KINDS = [
  ['Functions', ['function']],
  ['Values', ['class', 'const']],
  ['Types', ['interface', 'type']],
] as const;

const TITLES: Readonly<Record<string, string>> = { throws: 'Throws', returns: 'Gives' };

/** @param names of `exportedNames`. */
export function apiPage(names: readonly Exported[]): string {
  const sections = KINDS.map(([title, kinds]) => {
    const own = names.filter(({ kind }) => kinds.some((each) => each === kind));
    return `## ${title}\n\n${own.map(entryOf).join('\n')}`;
  });
  return `${INTRODUCTION}\n${sections.join('\n')}`;
}

const INTRODUCTION = `# What the library exports

This page is made of the source, and its examples are run by a test. [Use it as a library](guide/library.md) shows how the parts go together.
`;

function entryOf({ name, about, declaration, tags, example }: Exported): string {
  const lines = tags.map(({ tag, text }) => {
    if (tag !== 'param') return `- ${TITLES[tag] ?? tag}: ${oneLine(text)}`;
    return `- \`${text.split(/\s/)[0]}\`: ${oneLine(text.replace(/^\S+\s+/, ''))}`;
  });
  const parts = [`### \`${name}\``, oneLine(about), `\`\`\`ts\n${declaration}\n\`\`\``, lines.join('\n')];
  if (example !== undefined) parts.push(`For example:\n\n\`\`\`ts\n${example}\n\`\`\``);
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

const oneLine = (text: string): string => text.replaceAll(/\s*\n\s*/g, ' ');
