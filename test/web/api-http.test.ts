/**
 * Goal: docs/api-http.md names requests that the page's server answers, and shows what they give as it is checked.
 * Method: the page against the source of the routes and against the zod schemas. `UPDATE_API=1` writes the shapes.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { routesInSource, shapesFor } from './api-http.ts';

const PAGE = join(import.meta.dirname, '..', '..', 'docs', 'api-http.md');
const HEADING = '## Shapes\n\n';

const [words = '', shapes] = readFileSync(PAGE, 'utf8').split(HEADING);
const linked = [...words.matchAll(/\]\(#([a-z]+)\)/g)].map(([, name = '']) => name);
const now = shapesFor(linked);
if (process.env.UPDATE_API === '1') writeFileSync(PAGE, `${words}${HEADING}${now}`);

describe('docs/api-http.md', () => {
  test('shows every shape that it links, as the server checks it (else: UPDATE_API=1)', () => {
    const there = [...now.matchAll(/^### (\w+)$/gm)].map(([, name = '']) => name.toLowerCase());
    expect(linked.filter((name) => !there.includes(name))).toEqual([]);
    if (process.env.UPDATE_API !== '1') expect(shapes).toBe(now);
  });

  test('names no request that there is not', () => {
    const named = [...words.matchAll(/^\| `([A-Z]+ \/[^`]*)` \|/gm)].map(([, request]) => request);
    expect(named.length).toBeGreaterThan(4);
    const routes = routesInSource();
    expect(named.filter((request) => !routes.includes(request ?? ''))).toEqual([]);
  });
});
