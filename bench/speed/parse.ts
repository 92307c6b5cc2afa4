/** Reads a list with csv-parse and does nothing with it: `node parse.ts LIST`, with the options that the program reads lists with. */
import { createReadStream } from 'node:fs';
import { parse } from 'csv-parse';

const options = { bom: true, record_delimiter: ['\r\n', '\n', '\r'], skip_empty_lines: true };
for await (const _ of createReadStream(process.argv[2] ?? '').pipe(parse(options)));
