/** The work of every peer: the rows of a list, a question to the vendor for each, and an output of what came of it. */
import { createReadStream, createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { parse } from 'csv-parse';
import { stringify } from 'csv-stringify';
import { Pool } from 'undici';

/** Requests that are under way side by side. */
export const AT_ONCE = 64;

export type Row = Readonly<Record<string, string>>;

export const rowsOf = (list: string): AsyncIterable<Row> =>
  createReadStream(list).pipe(parse({ columns: true }));

/** In what an engineer hands to a queue at a time. */
const CHUNK = 1000;

export async function* chunksOf(list: string): AsyncGenerator<readonly Row[]> {
  let chunk: Row[] = [];
  for await (const row of rowsOf(list)) {
    chunk.push(row);
    if (chunk.length < CHUNK) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}

/** What the list gets of an answer. */
export interface Found {
  readonly employee_count: number;
  readonly industry: string;
  readonly founded_year: number;
  readonly city: string;
}

export class Vendor {
  readonly #pool: Pool;

  constructor(url: string) {
    this.#pool = new Pool(url, { connections: AT_ONCE });
  }

  async ask(row: Row): Promise<Found> {
    const answer = await this.#pool.request({
      method: 'POST',
      path: '/enrich/company',
      headers: { authorization: 'Bearer bench', 'content-type': 'application/json' },
      body: JSON.stringify({ abn: row.ABN }),
    });
    const { location, ...company } = (await answer.body.json()) as Company;
    const { employee_count, industry, founded_year } = company;
    return { employee_count, industry, founded_year, city: location.city };
  }

  close(): Promise<void> {
    return this.#pool.close();
  }
}

interface Company extends Omit<Found, 'city'> {
  readonly location: { readonly city: string };
}

export class Sheet {
  readonly #rows = stringify({ header: true });
  readonly #written: Promise<void>;

  constructor(path: string) {
    this.#written = pipeline(this.#rows, createWriteStream(path));
  }

  write(row: Row, found: Found): void {
    this.#rows.write({ ...row, ...found });
  }

  async end(): Promise<void> {
    this.#rows.end();
    await this.#written;
  }
}
