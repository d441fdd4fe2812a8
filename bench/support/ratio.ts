// What a benchmark says: our figure over the baseline's, both from one run, and whether it keeps its aim.
import Table from 'cli-table3';

export interface Ratio {
  readonly name: string;
  readonly unit: string;
  readonly bare: number;
  readonly ours: number;
  readonly aim?: { readonly most: number } | { readonly least: number };
}

const text = (value: number): string => value.toFixed(value < 10 ? 2 : 0);

function verdict({ bare, ours, aim }: Ratio): string {
  if (aim === undefined) return '–';
  const ratio = ours / bare;
  const [wanted, kept] = 'most' in aim ? [`≤ ${aim.most}`, ratio <= aim.most] : [`≥ ${aim.least}`, ratio >= aim.least];
  return `${wanted} ${kept ? 'kept' : 'MISSED'}`;
}

export function ratioTable(ratios: readonly Ratio[]): string {
  const table = new Table({
    head: ['measure', 'baseline', 'Millrace', 'ratio', 'aim'],
    style: { head: [], border: [] },
  });
  for (const ratio of ratios) {
    const { name, unit, bare, ours } = ratio;
    table.push([name, `${text(bare)} ${unit}`, `${text(ours)} ${unit}`, text(ours / bare), verdict(ratio)]);
  }
  return table.toString();
}
