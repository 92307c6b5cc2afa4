import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { abn, costOf, inFolder, node } from './program.ts';

/**
 * How much code a bought row passes: functions with a name, and their files, that are called once or more for each further row of a
 * longer list. V8 counts the calls of two whole runs; what is called as often in both belongs to the start and the end.
 */

const [SHORT, LONG] = [100, 300];

const SOURCES = 'src/';

/** From the first of these rooms a row is handed on to the others. */
const HEART = 'run';

const Script = z.object({
  url: z.string(),
  functions: z.array(
    z.object({
      functionName: z.string(),
      ranges: z.array(z.object({ startOffset: z.number(), count: z.number() })),
    }),
  ),
});

const Counted = z.object({ result: z.array(Script) });

type Calls = ReadonlyMap<string, number>;

export function measureWalk(): Promise<readonly string[]> {
  return inFolder(async (folder) => {
    const [short, long] = [await callsOf(folder, SHORT), await callsOf(folder, LONG)];
    const passed = [...long].filter(([each, count]) => count - (short.get(each) ?? 0) >= LONG - SHORT);
    const files = [...new Set(passed.map(([each]) => each.split(' ')[0] ?? ''))];
    const rooms = Map.groupBy(files, (file) => file.split('/')[0] ?? '');
    const sums = [...rooms].map(([room, own]) => {
      const functions = passed.filter(([each]) => each.startsWith(`${room}/`)).length;
      return [room, functions, own.length] as const;
    });
    const row = (room: string, functions: number, count: number): string =>
      `${room.padEnd(12)}${String(functions).padStart(5)} functions ${String(count).padStart(4)} files`;
    return [
      ...sums
        .toSorted(([one], [other]) => Number(other === HEART) - Number(one === HEART))
        .map((each) => row(...each)),
      row('together', passed.length, files.length),
    ];
  });
}

/** Calls of each function of a run over so many rows, by its file, its name and where it begins. */
async function callsOf(folder: string, rows: number): Promise<Calls> {
  const [list, counts] = [join(folder, `${rows}.csv`), join(folder, `counts-${rows}`)];
  const lines = Array.from({ length: rows }, (_, at) => `${abn(at)},Company ${at}`);
  await writeFile(list, ['abn,company', ...lines, ''].join('\n'));
  const start = `import { main } from ${JSON.stringify(join(import.meta.dirname, '../src/cli/main.ts'))}; await main(process.argv.slice(1));`;
  const words = [
    'run',
    'enrich-company',
    list,
    '--account',
    'sandbox-provider',
    '--budget',
    String(rows * 2),
  ];
  await costOf({
    words: node(
      '--input-type=module',
      '--eval',
      start,
      '--',
      ...words,
      '--store',
      join(folder, `store-${rows}`),
      '--attention-ok',
    ),
    env: { ...process.env, NODE_V8_COVERAGE: counts },
  });
  for (const name of await readdir(counts)) {
    const { result } = Counted.parse(JSON.parse(await readFile(join(counts, name), 'utf8')));
    // The vendor is a process of its own, which writes its counts as well.
    if (result.some(({ url }) => url.endsWith(`${SOURCES}run/pipeline.ts`)))
      return new Map(result.flatMap(callsIn));
  }
  throw new Error(`The run over ${rows} rows told nothing of its calls.`);
}

function callsIn({ url, functions }: z.infer<typeof Script>): readonly (readonly [string, number])[] {
  const file = url.split(`/${SOURCES}`)[1];
  if (file === undefined) return [];
  return functions.flatMap(({ functionName, ranges: [whole] }) =>
    functionName === '' || whole === undefined
      ? []
      : [[`${file} ${functionName} ${whole.startOffset}`, whole.count] as const],
  );
}
