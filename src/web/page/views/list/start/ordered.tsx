import { Button } from '../../../parts/controls.tsx';

interface OrderedProps {
  readonly items: readonly { readonly key: string; readonly says: string; readonly more: string }[];
  /** What is done with each of them, such as `Ask`. */
  readonly verb: string;
  readonly onOrdered: (keys: readonly string[]) => void;
}

const MOVES = [
  { sign: '↑', by: -1, when: 'earlier' },
  { sign: '↓', by: 1, when: 'later' },
];

/** What is asked one after the other, in an order that she changes. */
export function Ordered({ items, verb, onOrdered }: OrderedProps) {
  const keys = items.map(({ key }) => key);
  return (
    <ol>
      {items.map(({ key, says, more }, at) => (
        <li key={key} class="bar">
          <span class="grow">
            {says} <small>{more}</small>
          </span>
          {MOVES.map(({ sign, by, when }) => (
            <Button
              key={sign}
              look="quiet"
              says={sign}
              aria-label={`${verb} ${says} ${when}`}
              disabled={keys[at + by] === undefined}
              onClick={() => onOrdered(keys.toSpliced(at, 1).toSpliced(at + by, 0, key))}
            />
          ))}
          <Button
            look="quiet"
            says="×"
            aria-label={`Do not ${verb.toLowerCase()} ${says}`}
            onClick={() => onOrdered(keys.toSpliced(at, 1))}
          />
        </li>
      ))}
    </ol>
  );
}
