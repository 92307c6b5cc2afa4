import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile } from 'node:fs/promises';
import { SourceMap } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { type Command, costOf, inFolder, node } from './program.ts';
import { Desk, startSpeedVendor, writeWideList } from './speed/fixture.ts';

/**
 * What a bought row allocates, without what a start does: the difference of two lists, in KB a row. It is the same on a busy
 * machine. A function is counted with what libraries and Node allocate for it.
 */

const SHORT = 2_000;
const LONG = 6_000;

/** Of the functions that allocate most. */
const SHOWN = 40;

const HOOK = join(import.meta.dirname, 'speed/allocations.ts');

const Frame = z.object({
  functionName: z.string(),
  url: z.string(),
  lineNumber: z.number(),
  columnNumber: z.number(),
});
const Node = z.object({
  callFrame: Frame,
  selfSize: z.number(),
  get children() {
    return z.array(Node);
  },
});
type Node = z.output<typeof Node>;

/** Bytes by the name of a function and its file. */
type Sums = ReadonlyMap<string, number>;

export function measureMemory(): Promise<readonly string[]> {
  return inFolder(async (folder) => {
    const vendor = await startSpeedVendor([]);
    try {
      const naive = join(import.meta.dirname, 'speed/naive.ts');
      const script = await allocatedByRow(folder, vendor.url, async (desk) => ({
        words: node(naive, vendor.url, desk.list, desk.path('naive.csv')),
      }));
      const program = await boughtRow(folder, vendor.url);
      return [
        `script   ${kilobytes(total(script))}`,
        `rowonce  ${kilobytes(total(program))}`,
        '',
        ...most(program),
      ];
    } finally {
      vendor.stop();
    }
  });
}

/** What each function of the program allocates for a row that is bought, in bytes. */
export const boughtRow = (folder: string, url: string): Promise<Sums> =>
  allocatedByRow(folder, url, async (desk) => desk.run(await desk.newStore()));

async function allocatedByRow(
  folder: string,
  url: string,
  commandOn: (desk: Desk) => Promise<Command>,
): Promise<Sums> {
  const sums = new Map<string, number>();
  for (const rows of [SHORT, LONG]) {
    const sign = rows === LONG ? 1 : -1;
    const own = await mkdtemp(join(folder, 'list-'));
    const desk = await Desk.open(own, url);
    await writeWideList(desk.list, rows);
    for (const [name, bytes] of await allocatedBy(await commandOn(desk), join(own, 'profile')))
      sums.set(name, (sums.get(name) ?? 0) + (sign * bytes) / (LONG - SHORT));
  }
  return sums;
}

export const total = (sums: Sums): number => [...sums.values()].reduce((sum, bytes) => sum + bytes, 0);

const kilobytes = (bytes: number): string => `${(bytes / 1000).toFixed(1).padStart(6)} KB`;

const most = (sums: Sums): readonly string[] =>
  [...sums]
    .sort(([, one], [, other]) => other - one)
    .slice(0, SHOWN)
    .map(([name, bytes]) => `${kilobytes(bytes)}  ${name}`);

async function allocatedBy({ words, env = process.env }: Command, profile: string): Promise<Sums> {
  const [program = '', ...rest] = words;
  await costOf({ words: [program, '--import', HOOK, ...rest], env: { ...env, ALLOCATIONS: profile } });
  const { head } = z.object({ head: Node }).parse(JSON.parse(await readFile(profile, 'utf8')));
  const sums = new Map<string, number>();
  add(sums, head, '(Node)');
  return sums;
}

/** @param owner the function of ours, or the library, for which the calls above were made. */
function add(sums: Map<string, number>, { callFrame, selfSize, children }: Node, owner: string): void {
  const [, library] = /\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(callFrame.url) ?? [];
  const isOnlyLibrary = library !== undefined && owner.startsWith('(');
  const own = ownName(callFrame) ?? (isOnlyLibrary ? `(${library})` : owner);
  sums.set(own, (sums.get(own) ?? 0) + selfSize);
  for (const child of children) add(sums, child, own);
}

const maps = new Map<string, SourceMap | undefined>();

function mapOf(url: string): SourceMap | undefined {
  if (!maps.has(url)) {
    // A module of CommonJS is named by its path.
    const path = `${url.startsWith('file:') ? fileURLToPath(url) : url}.map`;
    maps.set(url, existsSync(path) ? new SourceMap(JSON.parse(readFileSync(path, 'utf8'))) : undefined);
  }
  return maps.get(url);
}

/** Undefined for a function of Node or of a library. */
function ownName({
  functionName,
  url,
  lineNumber,
  columnNumber,
}: z.output<typeof Frame>): string | undefined {
  if (!/\/(?:src|dist|bench)\//.test(url) || url.includes('/node_modules/')) return undefined;
  const entry = mapOf(url)?.findEntry(lineNumber, columnNumber);
  const [source, line] =
    entry && 'originalSource' in entry ? [entry.originalSource, entry.originalLine] : [url, lineNumber];
  // Two libraries are inside of what is built.
  if (source.includes('node_modules/')) return undefined;
  const [, file = source] = /\/(?:src|bench)\/(.+)$/.exec(source) ?? [];
  return `${file}:${line + 1} ${functionName}`;
}
