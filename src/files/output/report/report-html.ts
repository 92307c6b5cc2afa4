import { basename } from 'node:path';
import { escapeHtml, plainText } from '../../../core/plain-text.ts';

/** The elements of which a report is made. Any text in them is shown as text. */

export function plainHtml(text: string): string {
  return escapeHtml(plainText(text));
}

/** A cell with any text, with the bar of a share before it, or as HTML of ours. */
type Cell = string | { readonly bar: number; readonly words: string } | { readonly html: string };
export type Line = readonly Cell[];

/** A heading and a table; a column name that begins with # is a column of numbers. */
export function section(title: string, columns: readonly string[], lines: readonly Line[]): string {
  return lines.length === 0 ? '' : `<h2>${title}</h2>\n${table(columns, lines)}`;
}

export function table(columns: readonly string[], lines: readonly Line[]): string {
  const classes = columns.map((name) =>
    name.startsWith('#') ? ' class="n"' : name === 'file' ? ' class="file"' : '',
  );
  const heads = columns.map((name, at) => `<th${classes[at]}>${plainHtml(name.replace(/^#/, ''))}`);
  const bodies = lines.map(
    (line) => `<tr>${line.map((cell, at) => `<td${classes[at]}>${cellHtml(cell)}`).join('')}`,
  );
  return `<table>\n<tr>${heads.join('')}\n${bodies.join('\n')}\n</table>`;
}

function cellHtml(cell: Cell): string {
  if (typeof cell === 'string') return plainHtml(cell);
  if ('html' in cell) return cell.html;
  return `<span class="bar" style="width:${(cell.bar * 12).toFixed(2)}rem"></span> ${cell.words}`;
}

export function link(path: string, words: string): string {
  return `<a href="${escapeHtml(`./${encodeURIComponent(basename(path).toWellFormed())}`)}">${plainHtml(words)}</a>`;
}

export function fold(title: string, content: string): string {
  return content === '' ? '' : `<details>\n<summary>${plainHtml(title)}</summary>\n${content}\n</details>`;
}
