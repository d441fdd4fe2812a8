// Dates, times and intervals as ISO 8601 text, over DuckDB's whole range, which is wider than that of Date.

const microsPerDay = 86_400_000_000n;

/** `YYYY-MM-DD` from days since 1970-01-01; years outside 0000 to 9999 with a sign and six digits (`-000043-03-15` is 44 BC). */
export function isoDate(days: number): string {
  const { year, month, day } = civil(days);
  const plain = year >= 0 && year <= 9999;
  const shown = plain
    ? String(year).padStart(4, '0')
    : `${year < 0 ? '-' : '+'}${String(Math.abs(year)).padStart(6, '0')}`;
  return `${shown}-${two(month)}-${two(day)}`;
}

/** Proleptic Gregorian date of a day number, after H. Hinnant, "chrono-Compatible Low-Level Date Algorithms", 2021. */
function civil(days: number): { year: number; month: number; day: number } {
  const shifted = days + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const shiftedMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9;
  return {
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    day: dayOfYear - Math.floor((153 * shiftedMonth + 2) / 5) + 1,
  };
}

/** `HH:MM:SS` and the fraction in 3, 6 or 9 digits, as many as are needed; none when it is zero. */
export function isoTime(nanos: bigint): string {
  const total = nanos / 1_000_000_000n;
  const clock = [total / 3600n, (total / 60n) % 60n, total % 60n].map((part) => two(Number(part))).join(':');
  return `${clock}${fraction(nanos % 1_000_000_000n)}`;
}

export const isoTimestamp = (nanos: bigint): string => {
  const perDay = microsPerDay * 1000n;
  const rest = ((nanos % perDay) + perDay) % perDay;
  return `${isoDate(Number((nanos - rest) / perDay))}T${isoTime(rest)}`;
};

/** `+HH:MM`, with seconds where there are some, `Z` for none; `seconds` east of UTC. */
export function isoOffset(seconds: number): string {
  if (seconds === 0) return 'Z';
  const size = Math.abs(seconds);
  const parts = [Math.floor(size / 3600), Math.floor(size / 60) % 60, ...(size % 60 === 0 ? [] : [size % 60])];
  return `${seconds < 0 ? '-' : '+'}${parts.map(two).join(':')}`;
}

/** An ISO 8601 duration. Months, days and time are kept apart, each with its own sign: `P1Y2M-3DT0.5S`. */
export function isoDuration(months: number, days: number, micros: bigint): string {
  const date = `${unit(Math.trunc(months / 12), 'Y')}${unit(months % 12, 'M')}${unit(days, 'D')}`;
  const sign = micros < 0n ? '-' : '';
  const size = micros < 0n ? -micros : micros;
  const [hours, minutes, seconds] = [size / 3_600_000_000n, (size / 60_000_000n) % 60n, (size / 1_000_000n) % 60n];
  const rest = size % 1_000_000n;
  const last = seconds === 0n && rest === 0n ? '' : `${sign}${seconds}${fraction(rest * 1000n)}S`;
  const time = `${hours === 0n ? '' : `${sign}${hours}H`}${minutes === 0n ? '' : `${sign}${minutes}M`}${last}`;
  if (date === '' && time === '') return 'PT0S';
  return `P${date}${time === '' ? '' : `T${time}`}`;
}

const two = (value: number): string => String(value).padStart(2, '0');
const unit = (value: number, letter: string): string => (value === 0 ? '' : `${value}${letter}`);

function fraction(nanos: bigint): string {
  if (nanos === 0n) return '';
  const digits = String(nanos)
    .padStart(9, '0')
    .replace(/(000){1,2}$/, '');
  return `.${digits}`;
}
