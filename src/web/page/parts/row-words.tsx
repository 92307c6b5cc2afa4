import { text, wordOf } from '../text.ts';
import { PlayMoney } from './tags.tsx';

/** How rows are spoken of on every view that shows them. */

/** What is asked for, as a person would say it: `domain acme.example`. */
export function askedWords(parameters: Readonly<Record<string, unknown>>): string {
  const said = Object.entries(parameters).filter(([, value]) => value !== '');
  return said
    .map(([name, value]) => `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ');
}

export const fileName = (path: string): string => path.split(/[\\/]/).at(-1) ?? path;

/** Of which list and of what the view is about. */
export function About({
  of: { input, operation, sandbox },
}: {
  readonly of: { readonly input: string; readonly operation: string; readonly sandbox: boolean };
}) {
  return (
    <p class="about">
      <span class="cut" title={input}>
        {fileName(input)}
      </span>
      <span class="muted">{wordOf(text.todo.operations, operation)}</span>
      {sandbox && <PlayMoney />}
    </p>
  );
}

/** A text of a vendor or a list; an address on the web can be followed, and is told nothing of this page. */
export function ForeignText({ value }: { readonly value: string }) {
  return /^https?:\/\/[^\s]+$/i.test(value) ? (
    <a href={value} target="_blank" rel="noreferrer">
      {value}
    </a>
  ) : (
    value
  );
}
