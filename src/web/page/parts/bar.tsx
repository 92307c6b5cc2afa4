import { Bar } from '../../../files/output/report/table.ts';

interface MeterProps {
  readonly name: string;
  readonly part: number;
  readonly whole: number;
  readonly says: string;
}

/** A name, a bar and its words, as one line of a `div.meter`. */
export function Meter({ name, part, whole, says }: MeterProps) {
  return (
    <>
      <span>{name}</span>
      <Bar part={part} all={whole} />
      <span class="soft">{says}</span>
    </>
  );
}
