// The rules for numbers, in the order in which they are asked: the name says what is counted or measured, the range has to allow it.
import type { SemanticType } from './types.ts';

export interface NumberRule {
  readonly type: SemanticType;
  readonly named: RegExp;
  /** Both ends are allowed; without it any number is. */
  readonly range?: readonly [number, number];
  /** Whether it says something of fractions, of whole numbers, or of both (left out). */
  readonly numbers?: 'whole' | 'fractions';
}

const says = (words: string): RegExp => new RegExp(` (?:${words}) `);
const ends = (words: string): RegExp => new RegExp(` (?:${words}) $`);

export const numberRules: readonly NumberRule[] = [
  { type: 'geo_coordinate', named: says('lat|latitude'), range: [-90, 90] },
  { type: 'geo_coordinate', named: says('lon|lng|long|longitude'), range: [-180, 180] },
  {
    type: 'count',
    named: says(
      'count|counts|cnt|qty|quantity|num|number of|no of|units|items|population|visits|visitors|clicks|views|impressions|downloads|orders|headcount|employees|copies|votes|stock',
    ),
    numbers: 'whole',
  },
  { type: 'quarter', named: says('quarter|qtr'), range: [1, 4], numbers: 'whole' },
  { type: 'month', named: ends('month|mon|mth|month no|month number'), range: [1, 12], numbers: 'whole' },
  { type: 'week', named: ends('week|wk|kw|iso week|week no|week number'), range: [1, 53], numbers: 'whole' },
  { type: 'year', named: says('year|yr|fy|jahr|año|annee'), range: [1000, 2500], numbers: 'whole' },
  { type: 'postal_code', named: says('zip|zipcode|postal|postcode|plz'), range: [100, 9_999_999], numbers: 'whole' },
  { type: 'phone', named: says('phone|telephone|mobile|fax'), range: [1_000_000, 1e15], numbers: 'whole' },
  {
    type: 'identifier',
    named: ends('id|ids|uuid|guid|key|identifier|pk|fk|number|no|nr|ref|index'),
    numbers: 'whole',
  },
  { type: 'code', named: says('code|sku|ean|upc|gtin|isbn|naics|barcode|fips|icd'), numbers: 'whole' },
  { type: 'percentage', named: says('pct|percent|percentage|perc'), range: [-1000, 1000] },
  { type: 'ratio', named: says('ratio|share|fraction|proportion|probability|prob|likelihood'), range: [0, 1] },
  {
    type: 'rate',
    named: says('rate|rates|growth|yield|churn|ctr|conversion|apr|interest'),
  },
  {
    type: 'score',
    named: says('score|scores|rating|ratings|rank|ranking|stars|points|grade|gpa|nps'),
  },
  {
    type: 'duration',
    named: says(
      'duration|seconds|secs|minutes|mins|hours|hrs|days|ms|millis|milliseconds|elapsed|latency|runtime|running time|delay|lead time|uptime',
    ),
  },
  {
    type: 'amount',
    named: says(
      'price|prices|cost|costs|amount|amt|revenue|sales|salary|wage|wages|fee|fees|budget|income|spend|spending|payment|balance|gross|net|profit|tax|discount|fare|total|subtotal|turnover|expense|expenses|invoice|value|usd|eur|gbp|gdp|charge|charges|debit|credit|donation|funding|margin',
    ),
  },
];
