/** `npm run site [-- FOLDER]` builds the site of the documents into a folder, `site` if none is named, and checks its links. */
import { rmSync } from 'node:fs';
import { buildSite, deadLinks } from './site.ts';

const [folder = 'site'] = process.argv.slice(2);
rmSync(folder, { recursive: true, force: true });
const pages = buildSite(folder);
const dead = deadLinks(folder);
for (const each of dead) console.log(`dead: ${each}`);
console.log(`${pages} pages in ${folder}, ${dead.length} dead links`);
if (dead.length > 0) process.exitCode = 1;
