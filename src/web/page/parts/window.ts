import { useSignal } from '@preact/signals';
import type { RefObject } from 'preact';

/** Which lines of a table of any length are drawn, and where: only those that are seen. */

const LINE = 33;
const HEAD = 52;
const BEYOND = 6;
/** Firefox draws no box that is taller. A longer table is scrolled at a scale, and by the keys row by row. */
const TALLEST = 16_000_000;

export function useWindow(box: RefObject<HTMLDivElement | null>, count: number) {
  const whole = count * LINE;
  const tall = Math.min(whole, TALLEST);
  /** What is seen at the top: in the scale of the box, and of all lines. */
  const place = useSignal({ scroll: 0, top: 0 });
  const { scroll, top } = place.value;
  /** How many pixels of lines go by with one of the box. */
  const scaleOf = ({ clientHeight }: HTMLElement): number =>
    whole === tall ? 1 : (whole + HEAD - clientHeight) / (tall + HEAD - clientHeight);
  const onScroll = (): void => {
    const shown = box.current;
    if (shown === null || shown.scrollTop === scroll) return;
    place.value = { scroll: shown.scrollTop, top: shown.scrollTop * scaleOf(shown) };
  };
  const showLine = (line: number): void => {
    const shown = box.current;
    if (shown === null) return;
    const y = line * LINE;
    const wanted = Math.min(y, Math.max(top, y + LINE + HEAD - shown.clientHeight));
    if (wanted === top) return;
    shown.scrollTop = wanted / scaleOf(shown);
    place.value = { scroll: shown.scrollTop, top: wanted };
  };
  const from = Math.max(0, Math.floor(top / LINE) - BEYOND);
  // No box is taller than its screen.
  const to = Math.min(count, Math.ceil((top + screen.height) / LINE) + BEYOND);
  const lines = Array.from({ length: Math.max(0, to - from) }, (_, nth) => from + nth);
  const page = (): number => Math.max(1, Math.floor(((box.current?.clientHeight ?? 0) - HEAD) / LINE) - 1);
  return {
    from,
    to,
    lines,
    tall,
    page,
    onScroll,
    showLine,
    yOf: (line: number) => line * LINE - top + scroll,
  };
}

export interface Place {
  readonly line: number;
  readonly column: number;
}

/** More lines and columns than there are. */
const ALL = 1e9;

/** How far a key leads; undefined of one that does not move. @param page how many lines are seen. */
export function stepOf({ key, ctrlKey, metaKey }: KeyboardEvent, page: number): Place | undefined {
  const isFar = ctrlKey || metaKey;
  const far = isFar ? ALL : 1;
  const steps: Readonly<Record<string, Place>> = {
    ArrowUp: { line: -far, column: 0 },
    ArrowDown: { line: far, column: 0 },
    ArrowLeft: { line: 0, column: -far },
    ArrowRight: { line: 0, column: far },
    PageUp: { line: -page, column: 0 },
    PageDown: { line: page, column: 0 },
    Home: { line: isFar ? -ALL : 0, column: -ALL },
    End: { line: isFar ? ALL : 0, column: ALL },
  };
  return steps[key];
}
