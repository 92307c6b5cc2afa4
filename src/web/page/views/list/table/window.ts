import { useSignal } from '@preact/signals';
import type { RefObject } from 'preact';

const LINE = 32;
const BEYOND = 6;
/** Firefox draws no box that is taller. A longer table is scrolled at a scale, and by the keys row by row. */
const TALLEST = 16_000_000;

/** Which lines of a table of any length are drawn, and where: only those that are seen. */
export function useWindow(box: RefObject<HTMLDivElement | null>, count: number) {
  const whole = count * LINE;
  /** What stands above the rows, as long as they are scrolled: names, and what is wrong below them. */
  const headOf = (shown: HTMLElement): number => shown.querySelector('thead')?.offsetHeight ?? 0;
  const tall = Math.min(whole, TALLEST);
  /** What is seen at the top: in the scale of the box, and of all lines. */
  const place = useSignal({ scroll: 0, top: 0 });
  const { scroll, top } = place.value;
  /** How many pixels of lines go by with one of the box. */
  const scaleOf = (shown: HTMLElement): number => {
    const seen = shown.clientHeight - headOf(shown);
    return whole === tall ? 1 : (whole - seen) / (tall - seen);
  };
  const onScroll = (): void => {
    const shown = box.current;
    if (shown === null || shown.scrollTop === scroll) return;
    place.value = { scroll: shown.scrollTop, top: shown.scrollTop * scaleOf(shown) };
  };
  const showLine = (line: number): void => {
    const shown = box.current;
    if (shown === null) return;
    const y = line * LINE;
    const wanted = Math.min(y, Math.max(top, y + LINE + headOf(shown) - shown.clientHeight));
    if (wanted === top) return;
    shown.scrollTop = wanted / scaleOf(shown);
    place.value = { scroll: shown.scrollTop, top: wanted };
  };
  const from = Math.max(0, Math.floor(top / LINE) - BEYOND);
  // No box is taller than its screen.
  const to = Math.min(count, Math.ceil((top + screen.height) / LINE) + BEYOND);
  const lines = Array.from({ length: Math.max(0, to - from) }, (_, nth) => from + nth);
  const page = (): number => {
    const seen = box.current === null ? 0 : box.current.clientHeight - headOf(box.current);
    return Math.max(1, Math.floor(seen / LINE) - 1);
  };
  const above = from * LINE - top + scroll;
  return { from, to, lines, tall, above, page, onScroll, showLine };
}
