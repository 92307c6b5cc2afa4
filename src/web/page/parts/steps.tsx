import { text } from '../text.ts';

/** Where one stands between a list and its batch. A step back is a link, and what was chosen stays chosen. */
const STEPS = [
  { name: text.steps.list, end: '' },
  { name: text.steps.todo, end: '/do' },
  { name: text.steps.columns, end: '/columns' },
  { name: text.steps.plan, end: '/plan' },
] as const;

/** @param at the number of the step that is shown; those after it are reached by its own button. */
export function Steps({ list, at }: { readonly list: string; readonly at: 0 | 1 | 2 | 3 }) {
  return (
    <nav aria-label={text.steps.label}>
      <ol class="steps">
        {STEPS.map(({ name, end }, index) => (
          <li key={end}>
            {index < at ? (
              <a href={`/lists/${list}${end}`}>{name}</a>
            ) : (
              <span aria-current={index === at ? 'step' : undefined}>{name}</span>
            )}
          </li>
        ))}
      </ol>
    </nav>
  );
}
