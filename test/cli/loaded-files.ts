/** Loaded before the program (`node --import`), it notes in a file what the program loads, a line for each file. */
import { writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

const path = new URL(import.meta.url).searchParams.get('note') ?? '';
const urls: string[] = [];

if (path !== '') {
  registerHooks({
    load(url, context, next) {
      urls.push(url);
      return next(url, context);
    },
  });
  process.on('exit', () => writeFileSync(path, urls.join('\n')));
}
