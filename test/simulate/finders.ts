/** Vendors that find addresses and titles, side by side: each has its own address, knowledge, prices and book. */
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { agreeToDialects } from '../support/agree.ts';
import { unit } from './chance.ts';
import { filesBelow } from './disk.ts';
import type { Answer, Question } from './network.ts';
import type { Stage } from './stage.ts';
import { type Arrival, type Facts, Vendor } from './vendor.ts';

/** What each of them charges for what it finds, and for a miss. The third repeats nothing under its key. */
export const FINDERS = {
  one: { find: 1, enrich: 2, miss: 0 },
  two: { find: 2, enrich: 1, miss: 1 },
  three: { find: 3, enrich: 2, miss: 0 },
  four: { find: 1, enrich: 1, miss: 1 },
} as const;
export type Name = keyof typeof FINDERS;
export const NAMES = Object.keys(FINDERS) as readonly Name[];
/** No call costs more. */
export const DEAREST = 3;
export const CONCURRENCY = 2;

export type Operation = 'find-email' | 'enrich-person';

/** Where the value stands in an answer that a step looks for. */
export const PLACES = { 'find-email': 'email', 'enrich-person': 'job_title' } as const;

export interface Asking {
  readonly name: Name;
  readonly operation: Operation;
  readonly body: string;
}

/** The words by which a vendor's book has a question. */
export const keyOf = ({ name, operation, body }: Asking): string => `/${name}/${operation} ${body}`;

export function askingIn({ path, body }: Pick<Question, 'path' | 'body'>): Asking {
  const [, name, operation] = path.split('/');
  return { name: name as Name, operation: operation as Operation, body };
}

const priceFor = (name: Name, operation: Operation): number =>
  operation === 'find-email' ? FINDERS[name].find : FINDERS[name].enrich;

const KNOWN = 0.5;
const UNTITLED = 0.15;

export interface Heard extends Asking {
  readonly ailment: Arrival['ailment'];
  readonly answer: string;
}

export class Finder extends Vendor {
  readonly #name: Name;
  readonly #seed: number;
  readonly #heard: (heard: Heard) => void;

  /** @param heard a process has the whole answer. */
  constructor(name: Name, seed: number, heard: (heard: Heard) => void) {
    super(seed + NAMES.indexOf(name) + 1);
    this.#name = name;
    this.#seed = seed;
    this.#heard = heard;
    this.honoursKeys = name === 'three';
    this.chargesMisses = FINDERS[name].miss > 0;
  }

  override answer(question: Question, nowMs: number): Answer {
    const answer = super.answer(question, nowMs);
    if (question.method !== 'POST') return answer;
    const ailment = this.arrivals.at(-1)?.ailment;
    return {
      ...answer,
      heard: () => this.#heard({ ...askingIn(question), ailment, answer: answer.body }),
    };
  }

  override factsOf(key: string): Facts | undefined {
    const draw = (what: string): number => unit(this.#seed, what, key);
    if (draw('known') > KNOWN) return undefined;
    const [path = '', body = ''] = [key.slice(0, key.indexOf(' ')), key.slice(key.indexOf(' ') + 1)];
    const { first_name: first, last_name: last } = JSON.parse(body);
    if (path.endsWith('find-email')) return { email: `${first}.${last}@${this.#name}.example`.toLowerCase() };
    const full_name = `Person ${Math.floor(draw('person') * 9999)}`;
    return draw('title') < UNTITLED ? { full_name } : { full_name, job_title: `Chief of ${this.#name}` };
  }

  override priceOf(path: string, facts: Facts): number {
    if (Object.keys(facts).length === 0) return FINDERS[this.#name].miss;
    return priceFor(this.#name, askingIn({ path, body: '' }).operation);
  }
}

// ------------------------------------------------------------------------------------------------ its accounts

export const portOf = (name: Name): string => `http://127.0.0.1:${9001 + NAMES.indexOf(name)}`;

function dialectOf(name: Name): object {
  const entry = (operation: Operation, more: object): object => {
    const price = priceFor(name, operation);
    const credits = { most: price, found: price, miss: FINDERS[name].miss };
    return { method: 'POST', path: `/${name}/${operation}`, credits, ...more };
  };
  return {
    vendor: 'provider',
    ...(name === 'three' && { idempotency: { header: 'idempotency-key', valid_for: '24h' } }),
    operations: {
      'find-email': entry('find-email', { by: ['first_name+last_name+domain'], gives: { email: 'email' } }),
      'enrich-person': entry('enrich-person', {}),
    },
  };
}

/** @param perDay the budgets of accounts. */
function accountsFile(perDay: Readonly<Partial<Record<Name, number>>>): string {
  const accounts = NAMES.map((name) => {
    const budget = perDay[name] === undefined ? {} : { budget: { per_day: perDay[name] } };
    return [
      name,
      {
        vendor: 'provider',
        base_url: portOf(name),
        key_env: 'DATA_KEY',
        dialect: `${name}.yaml`,
        limits: { per_second: 50, concurrency: CONCURRENCY },
        ...budget,
      },
    ];
  });
  return JSON.stringify({ accounts: Object.fromEntries(accounts) });
}

/** The dialects, and that somebody has agreed to them, by the names of their files. */
async function agreed(): Promise<ReadonlyMap<string, string>> {
  const folder = fs.mkdtempSync(join(tmpdir(), 'rowonce-agreed-'));
  const write = (name: string, text: string): void =>
    fs.writeFileSync(join(folder, name), text, { mode: 0o600 });
  try {
    for (const name of NAMES) write(`${name}.yaml`, JSON.stringify(dialectOf(name)));
    write('accounts.yaml', accountsFile({}));
    await agreeToDialects(folder);
    fs.rmSync(join(folder, 'accounts.yaml'));
    return new Map(filesBelow(folder).map((path) => [relative(folder, path), fs.readFileSync(path, 'utf8')]));
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
}

const FILES = await agreed();

export function writeFinders(stage: Stage, perDay: Readonly<Partial<Record<Name, number>>>): void {
  stage.write('config/accounts.yaml', accountsFile(perDay));
  fs.mkdirSync(stage.path('config/agreed'), { recursive: true, mode: 0o700 });
  for (const [name, content] of FILES) stage.write(`config/${name}`, content);
}
