import { text } from '../text.ts';

/** How rows are spoken of on every view that shows them. */

const NUMBERS = new Intl.NumberFormat('en');

/** A number with signs between its thousands. */
export const shownNumber = (value: number): string => NUMBERS.format(value);

export const shownCredits = (value: number): string =>
  value === 1 ? '1 credit' : `${shownNumber(value)} credits`;

const TIMES = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium', hourCycle: 'h23' });

/** A time as the reader's clock has it. */
export const shownTime = (iso: string): string => TIMES.format(new Date(iso));

/** What is asked for, as a person would say it: `domain acme.example`. */
export function askedWords(parameters: Readonly<Record<string, unknown>>): string {
  const said = Object.entries(parameters).filter(([, value]) => value !== '');
  return said
    .map(([name, value]) => `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ');
}

export const fileName = (path: string): string => path.split(/[\\/]/).at(-1) ?? path;

const TONES: Readonly<Record<string, string>> = {
  matched: 'good',
  applied: 'good',
  invalid: 'bad',
  refused: 'bad',
  in_doubt: 'warn',
};

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
      <span class="muted">{operation}</span>
      {sandbox && <span class="tag play">{text.playMoney}</span>}
    </p>
  );
}

export function StatusTag({ status }: { readonly status: string }) {
  return <span class={`tag ${TONES[status] ?? ''}`}>{text.rows.status[status] ?? status}</span>;
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
