import { grouped } from '../../core/plain-text.ts';
import { type ChartData, chartShapes } from '../../files/output/activity-chart.ts';
import type { ChartView } from '../api.ts';

/** The picture of a batch's work as its report draws it, in the time of the reader, and as wide as the screen has room. */
export function drawnChart(chart: ChartData, width: number, zone: string): ChartView {
  if (chart.activity.buckets.length === 0) return { shapes: [] };
  const words = {
    perSecond: 'requests/s',
    credits: 'credits',
    limit: (perSecond: string) => `limit ${perSecond}/s`,
    number: grouped,
    time: (atMs: number, isLong: boolean) => timeFormat(zone, isLong).format(atMs),
  };
  return {
    shapes: chartShapes(chart, words, width).map(([tag, attributes, said]) => ({
      ...{ tag, attributes: { ...attributes } },
      ...(said === undefined ? {} : { words: said }),
    })),
  };
}

function timeFormat(timeZone: string, isLong: boolean): Intl.DateTimeFormat {
  const day = { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' } as const;
  const shown = isLong ? day : ({ timeStyle: 'medium' } as const);
  return new Intl.DateTimeFormat('en', { ...shown, hourCycle: 'h23', timeZone });
}
