/**
 * Goal: the site of the documents has every page, no link on it leads to nothing, and what a reader looks for is found.
 * Method: the site is built into a folder; its HTML is looked through, and its index is asked as the page asks it.
 */
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import MiniSearch from 'minisearch';
import { afterAll, expect, test } from 'vitest';
import { buildSite, deadLinks } from './site.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const folder = mkdtempSync(join(tmpdir(), 'rowonce-site-'));
afterAll(() => rmSync(folder, { recursive: true }));
const pages = buildSite(folder);

test('every page of the documents is on the site', () => {
  expect(pages).toBeGreaterThanOrEqual(globSync('docs/**/*.md', { cwd: ROOT }).length);
  expect(globSync('**/*.html', { cwd: folder })).toHaveLength(pages);
});

test('no link or picture leads to nothing', () => {
  expect(deadLinks(folder)).toEqual([]);
});

test('what a reader types is found', () => {
  const [, index = ''] = /^const INDEX = (.*);$/m.exec(readFileSync(join(folder, 'search.js'), 'utf8')) ?? [];
  const search = MiniSearch.loadJSON(index, { fields: ['title', 'text'], storeFields: ['title', 'page'] });
  const first = (words: string): unknown =>
    search.search(words, { prefix: true, fuzzy: 0.2, boost: { title: 3 } })[0]?.id;
  expect(first('store_lost')).toBe('docs/errors.html#store_lost');
  expect(search.search('budget', { prefix: true }).map(({ id }) => id)).toContain(
    'docs/guide/budgets.html#set-a-budget',
  );
});
