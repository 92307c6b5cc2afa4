import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { promisify } from 'node:util';
import { parse } from 'csv-parse';
import { abn, connect, inFolder, PROGRAM } from './program.ts';
import { fillStore } from './store.ts';

/** How long `plan` takes over a million rows of which the store knows half, beside nothing but parsing the same file. */

const ROWS = 1_000_000;

export function measurePlan(): Promise<readonly string[]> {
  return inFolder(async (folder) => {
    const list = join(folder, 'list.csv');
    await writeList(list);
    // No vendor is there: a plan never sends.
    const env = await connect(folder, 'http://127.0.0.1:1', 1);
    // As an earlier batch would have, which bought every other row.
    await fillStore(join(folder, 'store'), ROWS, 2);
    const bare = await timed(() => parseAlone(list));
    const described = await timed(() => type(['plan', list], env));
    const planned = await timed(() => type(['plan', 'enrich-company', list, '--account', 'data'], env));
    const words = (name: string, seconds: number): string =>
      `${name.padEnd(40)} ${seconds.toFixed(1)} s, ${(seconds / bare).toFixed(1)} times the parsing`;
    return [
      `${'csv-parse alone'.padEnd(40)} ${bare.toFixed(1)} s for ${ROWS} rows`,
      words('plan FILE', described),
      words('plan enrich-company FILE, half bought', planned),
    ];
  });
}

async function writeList(path: string): Promise<void> {
  const file = createWriteStream(path);
  file.write('ABN,Name,Street,Town,State,Postcode,Website\n');
  for (let row = 0; row < ROWS; row += 1) {
    const street = `"${row % 900} Example Street, Level ${row % 30}"`;
    const line = `${abn(row)},Company ${row} Pty Ltd,${street},Sydney,NSW,2000,https://www.company-${row}.example/about\n`;
    if (!file.write(line)) await once(file, 'drain');
  }
  file.end();
  await finished(file);
}

/** With the options that the program reads lists with. */
async function parseAlone(path: string): Promise<void> {
  const options = { bom: true, record_delimiter: ['\r\n', '\n', '\r'], skip_empty_lines: true };
  for await (const _ of createReadStream(path).pipe(parse(options)));
}

async function type(words: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  await promisify(execFile)(process.execPath, [PROGRAM, ...words, '--quiet'], { env });
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1000;
}
