/** Figures in the text format of Prometheus. */

/**
 * Values of the same name and labels are added up. Only a value that never falls has a name that ends in
 * `_total`.
 */
export type Sample = readonly [name: string, labels: Readonly<Record<string, string>>, value: number];

export const METRICS_TYPE = 'text/plain; version=0.0.4';

export function metricsText(samples: readonly Sample[]): string {
  const blocks = [...Map.groupBy(samples, ([name]) => `rowonce_${name}`)].map(([name, found]) => {
    const same = Map.groupBy(found, ([, labels]) => `${name}${labelWords(labels)}`);
    const lines = [...same].map(([of, all]) => `${of} ${all.reduce((sum, [, , value]) => sum + value, 0)}\n`);
    return `# TYPE ${name} ${name.endsWith('_total') ? 'counter' : 'gauge'}\n${lines.join('')}`;
  });
  return blocks.join('');
}

function labelWords(labels: Sample[1]): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}
