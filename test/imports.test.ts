/**
 * Goal: the source stays in the shape that `docs/architecture.md` shows. Imports go one way, a file that outgrew a
 * sitting keeps its parts to itself, nothing is too long to be read, and nothing names the machine it was written on.
 * Method: the text of the files, against the table of tiers below. A new file fails until it has its place there.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { basename, dirname, join, normalize } from 'node:path';
import { describe, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..');

/**
 * From the bottom to the top: a file imports its own tier and those above it in this table, never one below it.
 * `name/` stands for a family, a folder in which every file has the same shape. A private part, which is a file in a
 * folder that is named like the file beside it, has the tier of that file and is not listed.
 */
const TIERS: Readonly<Record<string, string>> = {
  words: `abn clock command-line duration errors faults file-name formulas nearest own-folder paths plain-text row  vendor-path`,
  contracts: `call-key command dialect events format ledger membership operation store`,
  'families and mechanisms': `
    operations/ dialects/ formats/ stores/ sandbox/
    account account-key file-trust agreement sent-requests accounts-file answer-body atomic-file batch batch-account batch-key budget change-calls change-course change-guards change-inputs change-plan change-steps changes changes-done checked-options answer-fields
    alike-rows column-damage columns consent damage damage-tally describe-file dialect-file dialect-of diff-words document envelope family find-batch fingerprint-set fit former-calls freshness half-done header idempotency identifier-columns identifiers inbox input input-file job
    job-settings judge known-answers limiter listing live-team named-project open-ledger operation-in order output plan plan-run planned-work rate-hints recognise redacted-ledger redaction repair replay report request row-input misses believed-time output-name
    sample saved-plan schema-problem standing summary tally tariff text-encoding traffic transport undone-by unoffered vendor-line waterfall workbook workbook-copy yaml-problem own-files sealed-text salvage connector proxy readings repetition cell-template reread person person retention`,
  attempt: 'attempt',
  recover: 'looks recover',
  pipeline: 'connection pipeline',
  library: 'run-request run-job nightly undo trial needed-node index',
  faces:
    'cli/ damage-words doubt-words erasure-words event-words console formula-flag main plan-words read-flags stop-signals ',
};

const TIER_OF = new Map(
  Object.values(TIERS).flatMap((names, tier) =>
    names
      .trim()
      .split(/\s+/)
      .map((name) => [name, tier] as const),
  ),
);
const WORDS = 0;

/** Paths below `src/`, such as `stores/sqlite/lock.ts`. */
const FILES = globSync('**/*.ts', { cwd: join(ROOT, 'src') }).sort();

interface Import {
  readonly from: string;
  readonly to: string;
}

const IMPORTS: readonly Import[] = FILES.flatMap((from) =>
  [...readFileSync(join(ROOT, 'src', from), 'utf8').matchAll(IMPORT_STATEMENT())].map(({ groups = {} }) => ({
    from,
    to: normalize(join(dirname(from), groups.path ?? groups.dynamic ?? '')),
  })),
);

function IMPORT_STATEMENT(): RegExp {
  return /^(?:import|export) (?:type )?(?:[^'";]*? from )?'(?<path>\.[^']+)'|import\('(?<dynamic>\.[^']+)'\)/gm;
}

/** The file that a private part belongs to; undefined for a file that stands for itself. */
function ownerOf(file: string): string | undefined {
  const owner = `${dirname(file)}.ts`;
  return FILES.includes(owner) ? owner : undefined;
}

/** The entry of the table that says where a file stands. */
function placeOf(file: string): string {
  const owner = ownerOf(file);
  if (owner !== undefined) return placeOf(owner);
  return file.includes('/') ? `${file.split('/')[0]}/` : basename(file, '.ts');
}

const tierOf = (file: string): number => TIER_OF.get(placeOf(file)) ?? Number.NaN;
const shown = ({ from, to }: Import): string => `${from} → ${to}`;

describe('imports', () => {
  test('every file has its place in the table, and every place its file', () => {
    expect(IMPORTS.length).toBeGreaterThan(FILES.length);
    expect([...new Set(FILES.map(placeOf))].sort()).toEqual([...TIER_OF.keys()].sort());
  });

  test('the tiers are those of the architecture page, in its order', () => {
    const page = readFileSync(join(ROOT, 'docs', 'architecture.md'), 'utf8');
    const table = page.split('## Imports go one way')[1]?.split('\n## ')[0] ?? '';
    const [, ...tiers] = [...table.matchAll(/^\| ([a-z ]+) \|/gm)].map(([, tier]) => tier);
    expect(tiers).toEqual(Object.keys(TIERS));
  });

  test('go one way: words, contracts, families and mechanisms, attempt, recover, pipeline, library, faces', () => {
    expect(IMPORTS.filter(({ from, to }) => !(tierOf(to) <= tierOf(from))).map(shown)).toEqual([]);
  });

  test('members of a family know neither each other nor another family', () => {
    const isMember = (file: string): boolean => placeOf(file).endsWith('/') && placeOf(file) !== 'sandbox/';
    const strangers = IMPORTS.filter(({ from, to }) => {
      if (!isMember(from) || !placeOf(to).endsWith('/') || placeOf(to) === 'sandbox/') return false;
      return (ownerOf(from) ?? from) !== (ownerOf(to) ?? to);
    });
    expect(strangers.map(shown)).toEqual([]);
  });

  test('the sandbox is the judge of the rest, so it shares nothing with it but words', () => {
    const out = IMPORTS.filter(({ from, to }) => placeOf(from) === 'sandbox/' && placeOf(to) !== 'sandbox/');
    expect(out.filter(({ to }) => tierOf(to) !== WORDS).map(shown)).toEqual([]);
  });

  test('the private parts of a file are imported by that file and from its folder alone', () => {
    const trespasses = IMPORTS.filter(({ from, to }) => {
      const owner = ownerOf(to);
      return owner !== undefined && from !== owner && !from.startsWith(`${dirname(to)}/`);
    });
    expect(trespasses.map(shown)).toEqual([]);
  });

  test('never go round in a circle, not even for types', () => {
    expect(circles(IMPORTS)).toEqual([]);
  });
});

/** Files that import themselves, by whatever way round. */
function circles(imports: readonly Import[]): readonly string[] {
  const importedBy = Map.groupBy(imports, ({ from }) => from);
  return FILES.filter((start) => {
    const reached = new Set<string>();
    const next = [start];
    for (let file = next.pop(); file !== undefined; file = next.pop()) {
      for (const { to } of importedBy.get(file) ?? []) {
        if (!reached.has(to)) next.push(to);
        reached.add(to);
      }
    }
    return reached.has(start);
  });
}

describe('what a start loads before its command begins', () => {
  test.for([
    ['cli/status.ts', ['zod', 'yaml', 'undici', 'bottleneck', 'account.ts']],
    ['cli/sandbox.ts', ['zod', 'yaml', 'undici', 'bottleneck', 'account.ts']],
    ['cli/run.ts', ['undici', 'dialect.ts', 'dialect-file.ts']],
  ] as const)('%s does without %j', ([command, spared]) => {
    const loaded = loadedBy(command);
    expect([...loaded]).toContain('errors.ts');
    expect(spared.filter((each) => loaded.has(each))).toEqual([]);
  });
});

/** The files below `src/`, and the libraries, that importing it loads; types load nothing. */
function loadedBy(command: string): ReadonlySet<string> {
  const loaded = new Set<string>();
  const next = [command];
  for (let file = next.pop(); file !== undefined; file = next.pop()) {
    if (loaded.has(file)) continue;
    loaded.add(file);
    if (!FILES.includes(file)) continue;
    for (const { groups = {} } of readFileSync(join(ROOT, 'src', file), 'utf8').matchAll(LOADS)) {
      const path = groups.path ?? '';
      next.push(path.startsWith('.') ? normalize(join(dirname(file), path)) : path);
    }
  }
  return loaded;
}

const LOADS = /^(?:import|export) (?!type )(?:[^'";]*? from )?'(?<path>[^']+)'/gm;

describe('length', () => {
  const sources = globSync('{src,bench}/**/*.{ts,js}', { cwd: ROOT });
  const linesOf = (file: string): readonly string[] => readFileSync(join(ROOT, file), 'utf8').split('\n');

  test('no file of the source has more than 400 lines: it is read in one sitting', () => {
    expect(FILES.filter((file) => linesOf(join('src', file)).length > 400)).toEqual([]);
  });

  test('no function has more than 60 lines: it fits a screen', () => {
    expect(sources.flatMap((file) => functionsOf(linesOf(file)).map((each) => `${file}: ${each}`))).toEqual(
      [],
    );
  });
});

const LONGEST_FUNCTION = 60;

/** How a function, a method or an arrow with a body begins. */
const BEGINS =
  /^(?:export )?(?:default )?(?:async )?function\b|^(?:static |async |get )*[#*]*\w+\($|^(?:static |async |get )*[#*]*\w+\(.*\{$|=> \{$/;
const NO_FUNCTION = /^(?:if|for|while|switch|\/?\*|\/\/)/;

/** Functions that are too long. As the formatter leaves them, one ends at the next `}` of its own indentation. */
function functionsOf(lines: readonly string[]): readonly string[] {
  return lines.flatMap((line, first) => {
    const begin = line.trimStart();
    if (!BEGINS.test(begin) || NO_FUNCTION.test(begin)) return [];
    const indent = line.slice(0, line.length - begin.length);
    const parametersEnd = lines.slice(first + 1).find((each) => each.startsWith(`${indent})`));
    if (line.endsWith('(') && parametersEnd?.endsWith('{') !== true) return [];
    const end = new RegExp(`^${indent}\\}[,;)]*$`);
    const length = lines.slice(first).findIndex((each) => end.test(each)) + 1;
    return length > LONGEST_FUNCTION ? [`${begin} (${length} lines)`] : [];
  });
}

test('nothing that is published names a folder of this machine or a package registry', () => {
  const unspecific = ['/', '/home', '/home/you', '/root', tmpdir()];
  const folders = [ROOT, dirname(ROOT), homedir()].filter((folder) => !unspecific.includes(folder));
  const listed = ['ls-files', '--cached', '--others', '--exclude-standard', '-z'];
  const files = execFileSync('git', listed, { cwd: ROOT, encoding: 'utf8' }).split('\0').filter(Boolean);
  expect(files.length).toBeGreaterThan(FILES.length);
  const named = files
    .filter((file) => existsSync(join(ROOT, file)))
    .flatMap((file) => {
      const text = readFileSync(join(ROOT, file), 'utf8');
      const found = [
        ...folders.filter((folder) => text.includes(`${folder}/`)),
        ...(text.match(REGISTRY) ?? []),
      ];
      return found.map((what) => `${file}: ${what}`);
    });
  expect(named).toEqual([]);
});

/** A host by its usual name, and where a lock file says that a package was fetched from. */
const REGISTRY = /\bregistry\.[a-z][\w-]*\.[a-z]+|"resolved": "https?:/g;
