import type { SampleWriter } from '../sample-writer.ts';

/** As programs write JSON lines: an object on each line, with every name. */
const jsonl: SampleWriter = {
  name: 'jsonl',
  ending: '.jsonl',
  isHeaderless: true,
  async write([header = [], ...records]) {
    const lines = records.map((cells) => (cells.length === 0 ? '' : objectOf(header, cells)));
    return Buffer.from(lines.map((line) => `${line}\n`).join(''));
  },
};

export default jsonl;

/** Written by hand, because an object of JavaScript has no member `__proto__` that is set like others. */
function objectOf(header: readonly string[], cells: readonly string[]): string {
  return `{${header.map((name, at) => `${JSON.stringify(name)}:${JSON.stringify(cells[at] ?? '')}`).join(',')}}`;
}
