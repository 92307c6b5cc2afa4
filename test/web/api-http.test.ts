/**
 * Goal: docs/api-http.md names every request that the page's server answers, and shows every shape as it is checked.
 * Method: the page against the source of the routes and against the zod schemas. `UPDATE_API=1` writes the shapes.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { routesInSource, shapesNow } from './api-http.ts';

const PAGE = join(import.meta.dirname, '..', '..', 'docs', 'api-http.md');
const HEADING = '## Shapes\n\n';

const [words = '', shapes] = readFileSync(PAGE, 'utf8').split(HEADING);
if (process.env.UPDATE_API === '1') writeFileSync(PAGE, `${words}${HEADING}${shapesNow()}`);

describe('docs/api-http.md', () => {
  test('shows every shape as the server checks it (else: UPDATE_API=1)', () => {
    expect(shapesNow().length).toBeGreaterThan(1_000);
    if (process.env.UPDATE_API !== '1') expect(shapes).toBe(shapesNow());
  });

  test('names every request that there is, and no other', () => {
    const named = [...words.matchAll(/^\| `([A-Z]+ \/[^`]*)` \|/gm)].map(([, request]) => request);
    expect(named.length).toBeGreaterThan(4);
    expect(named.toSorted()).toEqual(routesInSource());
  });

  test('links every shape that a request takes or gives', () => {
    const linked = [...words.matchAll(/\]\(#([a-z]+)\)/g)].map(([, name]) => name);
    const there = [...shapesNow().matchAll(/^### (\w+)$/gm)].map(([, name = '']) => name.toLowerCase());
    expect(linked.filter((name) => !there.includes(name ?? ''))).toEqual([]);
  });
});
