/** Nothing of a person who was forgotten is left in the bytes of what the program keeps. */
import fs from 'node:fs';
import { filesBelow } from './disk.ts';
import { promise } from './played.ts';
import type { Stage } from './stage.ts';

const KEPT = ['store', 'state'];

/** @param names all by which the person is known. */
export function requireForgotten(stage: Stage, names: readonly string[]): void {
  const needles = names.map((name) => Buffer.from(name));
  const folders = KEPT.map((name) => stage.path(name)).filter((path) => fs.existsSync(path));
  for (const path of folders.flatMap(filesBelow)) {
    const bytes = fs.readFileSync(path);
    const found = needles.find((needle) => bytes.includes(needle));
    promise(found === undefined, `${found} is forgotten, and stands in ${path}`);
  }
}
