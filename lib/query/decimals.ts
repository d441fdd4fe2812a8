// Numbers as they are written.

/** Whether two texts of finite numbers say the same but for their sign, however they are written. */
export function isSameDecimal(one: string, other: string): boolean {
  const [first, second] = [normal(one), normal(other)];
  return first.digits === second.digits && (first.digits === '' || first.exponent === second.exponent);
}

/** Significant digits, and the power of ten that the first of them stands for. */
function normal(source: string): { digits: string; exponent: number } {
  const [mantissa = '', power = '0'] = source.toLowerCase().replace(/^[+-]/, '').split('e');
  const [whole = '', part = ''] = mantissa.split('.');
  const all = `${whole}${part}`;
  const leading = /^0*/.exec(all)?.[0].length ?? 0;
  return { digits: all.slice(leading).replace(/0+$/, ''), exponent: whole.length - leading + Number(power) };
}
