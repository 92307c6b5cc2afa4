/**
 * Loads the program so that what it asks of the outside leads to the world. The program has no line for this:
 * to pass timers, ids and chance put a parameter into forty files (2026-11-27).
 */
import { type ResolveFnOutput, registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { replaceProcess } from './process.ts';
import { replaceTimers } from './timers.ts';

const SOURCES = pathToFileURL(join(import.meta.dirname, '..', '..', '..', 'src/')).href;

const door = (name: string): string => pathToFileURL(join(import.meta.dirname, `${name}.ts`)).href;

const DOORS: Readonly<Record<string, string>> = {
  'node:fs': door('fs'),
  'node:fs/promises': door('fs-promises'),
  'node:crypto': door('crypto'),
  'node:timers/promises': door('timers-promises'),
  'better-sqlite3': door('sqlite'),
  yauzl: door('yauzl'),
  'undici/lib/dispatcher/pool.js': door('pool'),
};

/** Only the page starts commands, and nothing of a world starts anything else. */
const PAGE = `${SOURCES}web/server/child.ts`;

const doorOf = (specifier: string, parentURL: string): string | undefined =>
  parentURL === PAGE && specifier === 'node:child_process' ? door('child-process') : DOORS[specifier];

replaceTimers();
replaceProcess();
/** What was found before; the program imports some of its modules in each process. */
const found = new Map<string, ResolveFnOutput>();

registerHooks({
  resolve(specifier, context, next) {
    const { parentURL = '' } = context;
    const name = `${parentURL} ${specifier}`;
    const known = found.get(name);
    if (known !== undefined) return known;
    const url = parentURL.startsWith(SOURCES) ? doorOf(specifier, parentURL) : undefined;
    const resolved = url === undefined ? next(specifier, context) : { url };
    found.set(name, { ...resolved, shortCircuit: true });
    return found.get(name) as ResolveFnOutput;
  },
});
