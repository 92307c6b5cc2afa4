import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');

/** `src/walk` of `src/walk/row-walk.ts`, `test` of any test. */
const partOf = (file: string): string => (/^src\/[^/]+(?=\/)/.exec(file) ?? /^[^/]+/.exec(file) ?? [file])[0];

/** How many lines of code each part has, and how many are blank or comments. Nothing fails by them. */
export function countLines(): readonly string[] {
  const counts = new Map<string, { files: number; code: number; other: number }>();
  for (const file of globSync('{src,test,bench}/**/*.{ts,tsx,js}', { cwd: ROOT }).sort()) {
    const lines = readFileSync(join(ROOT, file), 'utf8').trimEnd().split('\n');
    const code = lines.filter((line) => !/^\s*(?:$|\/\/|\/?\*)/.test(line)).length;
    for (const part of [partOf(file), `all of ${file.split('/', 1)[0]}`]) {
      const { files, code: before, other } = counts.get(part) ?? { files: 0, code: 0, other: 0 };
      counts.set(part, { files: files + 1, code: before + code, other: other + lines.length - code });
    }
  }
  const rows = [...counts].filter(([part]) => part !== 'test' && part !== 'bench' && part !== 'src');
  return [
    '| part | files | lines of code | comments and blank |',
    '| --- | --- | --- | --- |',
    ...rows.map(([part, { files, code, other }]) => `| ${part} | ${files} | ${code} | ${other} |`),
  ];
}
