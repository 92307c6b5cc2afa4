import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { grouped } from '../../parts/figures.ts';
import {
  amountWords,
  type Day,
  dayName,
  forecastOf,
  lengthOf,
  marksTo,
  monthName,
  type Unit,
  unitWords,
} from './month.ts';

interface ChartProps {
  readonly month: string;
  readonly unit: Unit;
  readonly days: readonly Day[];
  readonly budget: number | undefined;
}

/**
 * The month so far, day by day: each bar stands on what the days before it have cost. It is one stop of the
 * keys, in which the arrows lead from day to day, and their figures are read out.
 */
export function Chart(props: ChartProps) {
  const { month, unit, days } = props;
  const { width, box } = useWidth();
  const chosen = useSignal<number | undefined>(undefined);
  const at = Math.min(chosen.value ?? days.length, days.length);
  const shown = days[at - 1];
  const says = shown === undefined ? '' : dayWords(month, unit, shown);
  const choose = (day: number): void => {
    chosen.value = Math.max(1, Math.min(days.length, day));
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 1, End: days.length }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    choose(to);
  };
  const onPointerMove = ({ clientX }: PointerEvent): void => {
    const boxLeft = box.current?.getBoundingClientRect().left ?? 0;
    choose(1 + Math.floor((clientX - boxLeft - LEFT) / stepOf(width, month)));
  };
  return (
    <>
      <div
        ref={box}
        class="chart"
        role="slider"
        tabIndex={0}
        aria-label={`Cost of ${monthName(month)}, day by day`}
        aria-valuemin={1}
        aria-valuemax={days.length}
        aria-valuenow={at}
        aria-valuetext={says}
        onKeyDown={onKeyDown}
        onPointerMove={onPointerMove}
      >
        <Picture {...props} width={width} at={at} />
      </div>
      <p class="soft">{says}</p>
    </>
  );
}

/** `26 November: A$119.46, month so far A$214.66`. */
function dayWords(month: string, unit: Unit, { day, amount, exact, soFar, exactSoFar }: Day): string {
  const dayAmount = amountWords(unit, amount, exact);
  const sum = amountWords(unit, soFar, exactSoFar);
  return `${dayName(month, day)}: ${dayAmount}${'account' in unit ? ' credits' : ''}, month so far ${sum}`;
}

/** Its words are as large as all others, so the picture is drawn as wide as its place. */
function useWidth() {
  const box = useRef<HTMLDivElement>(null);
  const width = useSignal(720);
  useLayoutEffect(() => {
    const seen = new ResizeObserver(([entry]) => {
      width.value = Math.max(240, Math.round(entry?.contentRect.width ?? 0));
    });
    if (box.current) seen.observe(box.current);
    return () => seen.disconnect();
  }, []);
  return { width: width.value, box };
}

// ------------------------------------------------------------------------------------------------ what is drawn

const HEIGHT = 300;
const LEFT = 52;
const RIGHT = 8;
const TOP = 20;
const FOOT = HEIGHT - 28;

const stepOf = (width: number, month: string): number => (width - LEFT - RIGHT) / lengthOf(month);

/** A budget that is so many times higher than all else would leave no bar to see: it stands above the axis. */
const FAR = 4;

function Picture({ month, unit, days, budget, width, at }: ChartProps & { width: number; at: number }) {
  const soFar = days.at(-1)?.soFar ?? 0;
  const forecast = forecastOf(days, month);
  const most = forecast ?? soFar;
  const isFar = budget !== undefined && budget > most * FAR;
  const marks = marksTo(Math.max(most, isFar ? 0 : (budget ?? 0)), 'account' in unit ? 1 : 0);
  const [, mark = 1] = marks;
  const step = stepOf(width, month);
  const end = width - RIGHT;
  const x = (day: number): number => LEFT + (day - 1) * step;
  const middle = (day: number): number => x(day) + step / 2;
  const y = (amount: number): number => FOOT - (amount / (marks.at(-1) ?? 1)) * (FOOT - TOP);
  const limit = isFar ? TOP : y(budget ?? 0);
  return (
    <svg viewBox={`0 0 ${width} ${HEIGHT}`} height={HEIGHT} aria-hidden="true">
      <rect class="at" x={x(at)} y={TOP} width={step} height={FOOT - TOP} />
      {marks.map((each) => (
        <g key={each}>
          <line x1={LEFT} x2={end} y1={y(each)} y2={y(each)} class={each === 0 ? 'foot' : ''} />
          <text x={LEFT - 8} y={y(each) + 4} text-anchor="end">
            {'currency' in unit && unitWords(unit)}
            {markWords(each, mark)}
          </text>
        </g>
      ))}
      {'account' in unit && (
        <text x={0} y={TOP - 8}>
          credits
        </text>
      )}
      {days.map(({ day, amount, soFar }) => {
        const [top, from] = [y(soFar), y(soFar - amount)];
        return (
          <g key={day}>
            <rect class="past" x={x(day) + 2} width={step - 4} y={from} height={FOOT - from} />
            <rect class="now" x={x(day) + 2} width={step - 4} y={top} height={from - top} />
          </g>
        );
      })}
      {forecast !== undefined && (
        <g class="forecast">
          <line x1={middle(days.length)} y1={y(soFar)} x2={middle(lengthOf(month))} y2={y(forecast)} />
          <text x={end} y={y(forecast) - 8} text-anchor="end">
            about {amountWords(unit, forecast)}
          </text>
        </g>
      )}
      {budget !== undefined && (
        <g class="budget">
          <line x1={LEFT} x2={end} y1={limit} y2={limit} />
          <text x={LEFT + 4} y={limit - 5}>
            Budget {amountWords(unit, budget)}
            {isFar && ', above this'}
          </text>
        </g>
      )}
      {[1, 5, 10, 15, 20, 25, lengthOf(month)].map((day) => (
        <text key={day} x={middle(day)} y={HEIGHT - 8} text-anchor="middle">
          {day}
        </text>
      ))}
    </svg>
  );
}

/** The marks of an axis have as many decimals as its step needs. */
const markWords = (mark: number, step: number): string =>
  step >= 1 ? grouped(mark) : mark.toFixed(Math.ceil(-Math.log10(step)));
