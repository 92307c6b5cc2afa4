import { readFileSync } from 'node:fs';
import type { HeapProfiler, Profiler, Runtime } from 'node:inspector';
import { SourceMap, type SourceMapping } from 'node:module';
import { dirname, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Whose a profile of V8 is, part by part: each function's own share belongs to one part of the program. */

/** A function as it was called on one way, with what is its own: microseconds, or bytes. */
export interface Frame {
  readonly callFrame: Runtime.CallFrame;
  readonly own: number;
  readonly children: readonly Frame[];
}

/** The microseconds of a profile of the processor. A sample stands for the time since the one before it. */
export function framesOfTime({ nodes, samples = [], timeDeltas = [] }: Profiler.Profile): Frame {
  const own = new Map<number, number>();
  for (const [at, id] of samples.entries()) own.set(id, (own.get(id) ?? 0) + (timeDeltas[at] ?? 0));
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const frameOf = (id: number): Frame => {
    const { callFrame, children = [] } = byId.get(id) as Profiler.ProfileNode;
    return { callFrame, own: own.get(id) ?? 0, children: children.map(frameOf) };
  };
  return frameOf(nodes[0]?.id ?? 0);
}

/** The bytes of a profile of what was allocated. */
export function framesOfBytes({
  callFrame,
  selfSize,
  children,
}: HeapProfiler.SamplingHeapProfileNode): Frame {
  return { callFrame, own: selfSize, children: children.map(framesOfBytes) };
}

/** V8's own words for what no function does. */
const IDLE = '(idle)';
const COLLECTING = '(garbage collector)';

export const SQLITE = 'SQLite';
const NO_PART = 'V8 and libuv outside of any function';

/** The first that fits a source is its part. Rooms of the source are parts by their own name. */
const PARTS: readonly (readonly [source: RegExp, part: string])[] = [
  [/\bnode_modules\/better-sqlite3\/|^src\/ledger\/stores\/sqlite\/connection\.ts$/, SQLITE],
  [
    /\bnode_modules\/undici\/|^wasm:|^node:(?:internal\/)?(?:net|stream_base_commons)\b/,
    'undici and sockets',
  ],
  [/\bnode_modules\/csv-parse\//, 'csv-parse'],
  [/\bnode_modules\/(?:p-queue|bottleneck)\//, 'p-queue and Bottleneck'],
  [/\bnode_modules\//, 'other libraries'],
  [/^(?:dist|bench)\/|^src\/[^/]*$|^node:internal\/(?:modules|bootstrap|main|vm)\b/, 'loading the program'],
  [/^src\/files\/formats\//, 'src/files/formats, with the splitter'],
  [/^node:(?:internal\/)?(?:crypto|zlib)\b/, 'Node: hashes and checksums'],
  [/^node:(?:internal\/)?streams?\b/, 'Node: streams'],
  [/^node:(?:internal\/)?(?:timers|process\/(?:task_queues|promises))\b/, 'Node: timers and promises'],
  [/^node:(?:internal\/)?fs\b/, 'Node: files'],
  [/^node:(?:internal\/)?(?:buffer|encoding)\b/, 'Node: buffers and text'],
  [/^node:/, 'Node: the rest'],
];

/** What each part has of the whole. The time in which there was nothing to do is of none. */
export function partsOf(root: Frame): ReadonlyMap<string, number> {
  const parts = new Map<string, number>();
  const sources = new Sources();
  const add = ({ callFrame, own, children }: Frame, callers: string): void => {
    // What is compiled into Node or an addon has no source, and is its caller's.
    const part = callFrame.url === '' ? callers : partOf(sources.of(callFrame));
    const { functionName } = callFrame;
    const name = functionName === COLLECTING ? 'garbage collector' : part;
    if (own > 0 && functionName !== IDLE) parts.set(name, (parts.get(name) ?? 0) + own);
    for (const child of children) add(child, part);
  };
  add(root, NO_PART);
  return parts;
}

function partOf(source: string): string {
  const named = PARTS.find(([pattern]) => pattern.test(source))?.[1];
  return named ?? /^src\/[^/]+/.exec(source)?.[0] ?? NO_PART;
}

const ROOT = resolve(import.meta.dirname, '../..');

/** Finds the source of what is built, by the maps that the build wrote. */
class Sources {
  readonly #maps = new Map<string, SourceMap | undefined>();

  /** A path below the repository, or the name of a module of Node. */
  of({ url, lineNumber, columnNumber }: Runtime.CallFrame): string {
    if (!url.startsWith('file:')) return url;
    const built = fileURLToPath(url);
    if (!this.#maps.has(built)) this.#maps.set(built, mapOf(built));
    const found = this.#maps.get(built)?.findEntry(lineNumber, columnNumber) as
      | Partial<SourceMapping>
      | undefined;
    const source = found?.originalSource;
    const path = relative(ROOT, source === undefined ? built : resolve(dirname(built), source));
    return path.replaceAll(sep, '/');
  }
}

function mapOf(built: string): SourceMap | undefined {
  try {
    return new SourceMap(JSON.parse(readFileSync(`${built}.map`, 'utf8')));
  } catch {
    // A library that is not built in is its own source.
    return undefined;
  }
}
