import { useRef } from 'preact/hooks';
import { Button, Options } from '../../parts/controls.tsx';

export interface Item {
  readonly key: string;
  readonly says: string;
  readonly more?: string;
}

interface OrderedProps {
  readonly items: readonly Item[];
  /** What is done with each of them, such as `Ask`. */
  readonly verb: string;
  readonly onOrdered: (keys: readonly string[]) => void;
}

const MOVES = [
  { says: '↑', by: -1, when: 'earlier' },
  { says: '↓', by: 1, when: 'later' },
];

/** What is asked one after the other. Each is moved by its buttons, or by hand. */
export function Ordered({ items, verb, onOrdered }: OrderedProps) {
  const taken = useRef<string | undefined>(undefined);
  const keys = items.map(({ key }) => key);
  const without = (key: string): readonly string[] => keys.filter((each) => each !== key);
  const move = (key: string, to: number): void => onOrdered(without(key).toSpliced(to, 0, key));
  return (
    <ol class="steps">
      {items.map(({ key, says, more }, at) => (
        <li
          key={key}
          class="row"
          draggable
          onDragStart={() => {
            taken.current = key;
          }}
          onDragOver={(event) => event.preventDefault()}
          onDrop={() => taken.current !== undefined && move(taken.current, at)}
        >
          <span>
            {says}
            <small>{more}</small>
          </span>
          {MOVES.map(({ says: sign, by, when }) => (
            <Button
              key={sign}
              look="link"
              says={sign}
              aria-label={`${verb} ${says} ${when}`}
              disabled={keys[at + by] === undefined}
              onClick={() => move(key, at + by)}
            />
          ))}
          <Button
            look="link"
            says="×"
            aria-label={`Do not ${verb.toLowerCase()} ${says}`}
            onClick={() => onOrdered(without(key))}
          />
        </li>
      ))}
    </ol>
  );
}

interface AddOneProps {
  readonly says: string;
  readonly options: readonly (readonly [string, string])[];
  readonly onChosen: (value: string) => void;
}

/** A list that adds what is chosen, and then says again what it is for. */
export function AddOne({ says, options, onChosen }: AddOneProps) {
  if (options.length === 0) return null;
  return (
    <select
      class="pill"
      aria-label={says}
      value=""
      onChange={({ currentTarget }) => {
        onChosen(currentTarget.value);
        currentTarget.value = '';
      }}
    >
      <Options of={[['', says], ...options]} />
    </select>
  );
}
