import type { ComponentChildren } from 'preact';

/** The name of a column, or how it looks besides. */
type Column = string | { readonly name: string; readonly look: 'number' | 'found' };

/** Columns of numbers, whose names stand at the right as the numbers do. */
export function numbers(...names: readonly string[]): readonly Column[] {
  return names.map((name) => ({ name, look: 'number' }));
}

interface TableProps {
  /** What a screen reader tells it from others by. */
  readonly name: string;
  readonly columns: readonly Column[];
  /** What is said below about lines that are not shown. */
  readonly more?: string | undefined;
  readonly look?: 'grid';
  readonly children: ComponentChildren;
}

/** A table that may be wider than the window: it is pushed sideways by the keyboard, too. */
export function Table({ name, columns, more, look, children }: TableProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: without a focus the keyboard reaches no cut-off cell.
    <section class="scroll" aria-label={name} tabIndex={0}>
      <table class={look}>
        <thead>
          <tr>
            {columns.map((column, at) => (
              <Head key={at} column={column} />
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
      {more !== undefined && <p class="muted more">{more}</p>}
    </section>
  );
}

function Head({ column }: { readonly column: Column }) {
  const { name, look = undefined } = typeof column === 'string' ? { name: column } : column;
  return (
    <th scope="col" class={look} title={name}>
      {name}
    </th>
  );
}
