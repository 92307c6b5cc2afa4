/** Copies a file with two cells appended to each row, as an export does: `node copy-file.ts FILE COPY`. */
import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { openFile } from '../src/files/input.ts';

const [path = '', copyPath = ''] = process.argv.slice(2);
const { sheet } = await openFile(path);
const options = { columns: ['_status', '_row'], dropped: new Set<string>() };
const chunks = sheet.copy(options, async (rows) => rows.map(({ row }) => ['matched', String(row)]));
await pipeline(Readable.from(chunks), createWriteStream(copyPath));
