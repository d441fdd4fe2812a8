// Times as text by which they are compared, whatever their types.

/** SQL of a day, a timestamp or a point in time as text, the same for the same time. Days and points in time reach further than the calendar of timestamps. */
export function stampText(value: string, type: string): string {
  const stamp = type.includes('ZONE') ? `make_timestamp(epoch_us(${value}))` : `TRY_CAST(${value} AS TIMESTAMP)`;
  return `coalesce(CAST(${stamp} AS VARCHAR), CAST(${value} AS VARCHAR))`;
}
