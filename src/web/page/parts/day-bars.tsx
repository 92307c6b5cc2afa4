import { text } from '../text.ts';
import { dayName, grouped, monthName } from './figures.ts';
import { numbers, Table } from './table.tsx';

/** Credits of each day of a month as bars, with the same in a table for those who would rather read. */

export interface Day {
  readonly spent: number;
  readonly in_doubt: number;
}

const HEIGHT = 100;
/** Part of a column that its bar fills. */
const FILL = 0.72;
/** Days that have their number below. */
const isNamed = (day: number): boolean => day === 1 || day % 5 === 0;

interface Days {
  readonly month: string;
  readonly days: readonly Day[];
  /** What a screen reader tells these days from others by. */
  readonly of: string;
}

export function DayBars({ month, days, of }: Days) {
  const most = Math.max(...days.map(({ spent, in_doubt }) => spent + in_doubt), 0);
  const total = days.reduce((sum, { spent }) => sum + spent, 0);
  const height = (credits: number): number => (most === 0 ? 0 : (credits / most) * HEIGHT);
  const { history: words } = text;
  return (
    <figure class="days">
      <figcaption class="muted">{most === 0 ? words.noDay : words.mostADay(grouped(most))}</figcaption>
      <svg
        viewBox={`0 0 ${days.length} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={words.chart(monthName(month), grouped(total))}
      >
        {days.map(({ spent, in_doubt }, at) => (
          <g key={at}>
            <title>{`${dayName(month, at + 1)}: ${words.dayWords(grouped(spent), grouped(in_doubt))}`}</title>
            <rect class="day-column" x={at} y={0} width={1} height={HEIGHT} />
            <rect
              class="day-spent"
              x={at + (1 - FILL) / 2}
              y={HEIGHT - height(spent)}
              width={FILL}
              height={height(spent)}
            />
            <rect
              class="day-doubt"
              x={at + (1 - FILL) / 2}
              y={HEIGHT - height(spent + in_doubt)}
              width={FILL}
              height={height(in_doubt)}
            />
          </g>
        ))}
      </svg>
      <div class="days-axis" aria-hidden="true">
        {days.map((_, at) => (
          <span key={at}>{isNamed(at + 1) ? at + 1 : ''}</span>
        ))}
      </div>
      <details>
        <summary>{words.asTable}</summary>
        <DayTable month={month} days={days} of={of} />
      </details>
    </figure>
  );
}

function DayTable({ month, days, of }: Days) {
  const { history: words } = text;
  const some = days.flatMap((day, at) => (day.spent + day.in_doubt > 0 ? [{ ...day, day: at + 1 }] : []));
  return (
    <Table name={`${words.asTable}${of}`} columns={[words.day, ...numbers(words.spent, words.inDoubt)]}>
      {some.map(({ day, spent, in_doubt }) => (
        <tr key={day}>
          <td class="nowrap">{dayName(month, day)}</td>
          <td class="number">{grouped(spent)}</td>
          <td class="number">{grouped(in_doubt)}</td>
        </tr>
      ))}
    </Table>
  );
}
