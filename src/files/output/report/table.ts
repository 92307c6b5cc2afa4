import { type ComponentChild, h } from 'preact';

export interface TableProps {
  /** A name that begins with # is that of a column of numbers. */
  readonly columns: readonly string[];
  readonly lines: readonly (readonly ComponentChild[])[];
}

export function Table({ columns, lines }: TableProps) {
  const classes = columns.map((name) => (name.startsWith('#') ? 'n' : undefined));
  const heads = columns.map((name, at) => h('th', { class: classes[at] }, name.replace(/^#/, '')));
  const rows = lines.map((line) =>
    h(
      'tr',
      null,
      line.map((cell, at) => h('td', { class: classes[at] }, cell)),
    ),
  );
  return h('table', null, h('tr', null, heads), rows);
}

/** A heading above a table; nothing where the table has no line. */
export function Section({ title, ...table }: TableProps & { readonly title: string }) {
  return table.lines.length === 0 ? null : h('section', null, h('h2', null, title), h(Table, table));
}
