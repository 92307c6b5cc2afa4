/**
 * A site of the documents: every page as HTML with its neighbours beside it, the pictures, the files that pages name, and a
 * search that needs no server. The pages stay what they are on the disk; links between them are made to fit.
 */
import {
  copyFileSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import markdownIt from 'markdown-it';
import MiniSearch from 'minisearch';

const ROOT = join(import.meta.dirname, '..', '..');
const MINISEARCH = createRequire(import.meta.url)
  .resolve('minisearch')
  .replace(/cjs\/index\.cjs$/, 'umd/index.js');

type Markdown = ReturnType<typeof markdownIt>;

/** The groups of pages beside each page, in the order in which a reader needs them. */
const GROUPS: readonly (readonly [string, readonly string[]])[] = [
  ['Start', ['README.md']],
  ['Guide', ['docs/guide/README.md', ...guidePages()]],
  ['Concepts', ['docs/concepts/*.md', 'docs/scaling.md', 'SECURITY.md']],
  ['Reference', ['docs/reference.md', 'docs/errors.md', 'docs/*.md']],
  ['Internals', ['CONTRIBUTING.md', 'src/README.md', 'docs/decisions.md', 'docs/internals/*.md']],
  ['More', ['fixtures/README.md']],
];

/** In the order of the guide's own table. */
function guidePages(): readonly string[] {
  const table = readFileSync(join(ROOT, 'docs/guide/README.md'), 'utf8');
  return [...table.matchAll(/^\| \[[^\]]+\]\(([\w/-]+\.md)\)/gm)].map(([, name]) => `docs/guide/${name}`);
}

interface Page {
  /** In the checkout. */
  readonly path: string;
  /** On the site. */
  readonly address: string;
  readonly group: string;
  readonly title: string;
  readonly text: string;
}

function pagesOf(): readonly Page[] {
  const internals = GROUPS.find(([group]) => group === 'Internals')?.[1] ?? [];
  const seen = new Set<string>();
  return GROUPS.flatMap(([group, patterns]) =>
    patterns.flatMap((pattern) => {
      const later = group === 'Reference' ? [...internals, 'docs/scaling.md'] : [];
      const paths = globSync(pattern, { cwd: ROOT }).toSorted();
      return paths
        .filter((path) => !seen.has(path) && !later.includes(path))
        .map((path) => {
          seen.add(path);
          const text = readFileSync(join(ROOT, path), 'utf8');
          const title = /^# (.*)$/m.exec(text)?.[1] ?? basename(path, '.md');
          return { path, address: addressOf(path), group, title, text };
        });
    }),
  );
}

function addressOf(path: string): string {
  return path
    .replace(/README\.md$/, 'index.html')
    .replace(/\.md$/, '.html')
    .toLowerCase();
}

/** As code hosts name headings in links. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

/** What is beside the pages in the checkout, and may be linked from them. */
const COPIED = /^(?:docs\/(?:screens|schemas)\/|docs\/[\w.-]+\.yaml$|jobs\/|LICENSE$)/;

/** Where a link of that page leads on the site; sources stand in the repository. */
function linkFrom(page: Page, to: string, pages: ReadonlyMap<string, Page>, repository: string): string {
  if (/^(?:[a-z]+:|#)/.test(to)) return to;
  const [target = '', anchor] = to.split('#');
  const path = relative(ROOT, join(ROOT, dirname(page.path), target)).replace(/\/$/, '');
  const tail = anchor === undefined ? '' : `#${anchor}`;
  const known = pages.get(path) ?? pages.get(`${path}/README.md`);
  const from = dirname(page.address);
  if (known !== undefined) return `${relative(from, known.address) || basename(known.address)}${tail}`;
  if (COPIED.test(path)) return relative(from, path);
  return `${repository}/blob/main/${path}${tail}`;
}

/** Sections of a page, from heading to heading, as the search finds them. */
function sectionsOf(page: Page): readonly { id: string; title: string; page: string; text: string }[] {
  const parts = page.text
    .replaceAll(/^```[\s\S]*?^```$/gm, (block) => block.replaceAll(/^#/gm, ' #'))
    .split(/^(?=#+ )/m);
  return parts
    .filter((part) => part.startsWith('#'))
    .map((part) => {
      const [head = '', ...lines] = part.split('\n');
      const title = head.replace(/^#+ /, '').replaceAll('`', '');
      const text = lines
        .join(' ')
        .replaceAll(/\]\([^)]*\)|[`*|[\]#>-]+/g, ' ')
        .replaceAll(/\s+/g, ' ')
        .trim();
      return { id: `${page.address}#${anchorOf(title)}`, title, page: page.title, text };
    });
}

/** @param token of a link or a picture, or any other, which stays. */
function relink(token: ReturnType<Markdown['parse']>[number], leadsTo: (to: string) => string): void {
  for (const name of ['href', 'src']) {
    const to = token.attrGet(name);
    if (to !== null) token.attrSet(name, leadsTo(String(to)));
  }
}

function htmlOf(page: Page, pages: ReadonlyMap<string, Page>, repository: string): string {
  const markdown = markdownIt({ html: false, linkify: false });
  markdown.core.ruler.push('links of the site', ({ tokens }) => {
    for (const [at, token] of tokens.entries()) {
      if (token.type === 'heading_open') token.attrSet('id', anchorOf(tokens[at + 1]?.content ?? ''));
      for (const child of token.children ?? []) relink(child, (to) => linkFrom(page, to, pages, repository));
    }
  });
  const root = relative(dirname(page.address), '') || '.';
  const beside = GROUPS.map(([group]) => {
    const members = [...pages.values()].filter((each) => each.group === group);
    const items = members.map(({ title, address }) => {
      const here = address === page.address ? ' aria-current="page"' : '';
      return `<li><a href="${relative(dirname(page.address), address)}"${here}>${escaped(title)}</a></li>`;
    });
    return `<details${group === page.group ? ' open' : ''}><summary>${group}</summary><ul>${items.join('')}</ul></details>`;
  });
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(page.title)}${page.title === 'Rowonce' ? '' : ' · Rowonce'}</title>
<link rel="stylesheet" href="${root}/site.css">
</head>
<body data-root="${root}">
<nav><a class="home" href="${root}/index.html">Rowonce</a>
<input type="search" placeholder="Search" aria-label="Search the documents"><ol class="hits" aria-live="polite"></ol>
${beside.join('\n')}</nav>
<main>${markdown.render(page.text)}</main>
<script src="${root}/minisearch.js"></script>
<script src="${root}/search.js"></script>
</body>
</html>
`;
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

/** Builds the whole site into that folder. @returns how many pages it has. */
export function buildSite(folder: string): number {
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const repository = String(manifest.repository.url).replace(/^git\+|\.git$/g, '');
  const pages = new Map(pagesOf().map((page) => [page.path, page]));
  for (const page of pages.values()) {
    const path = join(folder, page.address);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, htmlOf(page, pages, repository));
  }
  for (const part of ['docs/screens', 'docs/schemas', 'jobs'])
    cpSync(join(ROOT, part), join(folder, part), {
      recursive: true,
      filter: (from) => !from.includes('inbox'),
    });
  for (const file of ['LICENSE', ...globSync('docs/*.yaml', { cwd: ROOT })])
    copyFileSync(join(ROOT, file), join(folder, file));
  const sections = [...pages.values()].flatMap(sectionsOf);
  const unique = new Map(sections.map((each) => [each.id, each]));
  const search = new MiniSearch({ fields: ['title', 'text'], storeFields: ['title', 'page'] });
  search.addAll([...unique.values()]);
  writeFileSync(join(folder, 'search.js'), `const INDEX = ${JSON.stringify(search)};\n${asset('search.js')}`);
  writeFileSync(join(folder, 'site.css'), asset('site.css'));
  copyFileSync(MINISEARCH, join(folder, 'minisearch.js'));
  return pages.size;
}

const asset = (name: string): string => readFileSync(join(import.meta.dirname, name), 'utf8');

/** Links and pictures that lead to nothing on the site, each with its page. Addresses of other hosts are not asked. */
export function deadLinks(folder: string): readonly string[] {
  const html = globSync('**/*.html', { cwd: folder });
  const texts = new Map(html.map((path) => [path, readFileSync(join(folder, path), 'utf8')]));
  const isThere = (path: string): boolean =>
    existsSync(join(folder, path)) && statSync(join(folder, path)).isFile();
  return [...texts].flatMap(([from, text]) =>
    [...text.matchAll(/ (?:href|src)="([^"]*)"/g)].flatMap(([, link = '']) => {
      if (/^[a-z]+:/.test(link)) return [];
      const [target = '', anchor] = link.split('#');
      const path = target === '' ? from : join(dirname(from), decodeURI(target));
      const hasAnchor =
        anchor === undefined || texts.get(path)?.includes(` id="${decodeURI(anchor)}"`) === true;
      return isThere(path) && hasAnchor ? [] : [`${from}: ${link}`];
    }),
  );
}
