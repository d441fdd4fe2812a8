// Other words for the name of a column or a table: what its abbreviations stand for, and what people also say.
import { singularOf, wordsOf } from '../semantics/words.ts';

const longer: Readonly<Record<string, string>> = {
  acct: 'account',
  addr: 'address',
  amt: 'amount',
  avg: 'average',
  bal: 'balance',
  cat: 'category',
  cd: 'code',
  cnt: 'count',
  cntry: 'country',
  cust: 'customer',
  dept: 'department',
  desc: 'description',
  dest: 'destination',
  dob: 'date of birth',
  dt: 'date',
  emp: 'employee',
  fk: 'foreign key',
  fname: 'first name',
  freq: 'frequency',
  fy: 'fiscal year',
  id: 'identifier',
  img: 'image',
  inv: 'invoice',
  lang: 'language',
  lat: 'latitude',
  lname: 'last name',
  lng: 'longitude',
  loc: 'location',
  lon: 'longitude',
  max: 'maximum',
  mfr: 'manufacturer',
  mgr: 'manager',
  min: 'minimum',
  mon: 'month',
  msg: 'message',
  nbr: 'number',
  no: 'number',
  num: 'number',
  org: 'organisation',
  pct: 'percent',
  perc: 'percent',
  pop: 'population',
  prod: 'product',
  qtr: 'quarter',
  qty: 'quantity',
  ref: 'reference',
  rev: 'revenue',
  tel: 'telephone',
  temp: 'temperature',
  ts: 'timestamp',
  tz: 'time zone',
  usr: 'user',
  wt: 'weight',
  yr: 'year',
};

const others: Readonly<Record<string, readonly string[]>> = {
  amount: ['sum', 'value'],
  birthday: ['date of birth'],
  city: ['town'],
  client: ['customer'],
  cost: ['expense', 'price'],
  country: ['nation'],
  customer: ['client', 'buyer'],
  'date of birth': ['birthday'],
  email: ['mail address'],
  employee: ['staff member', 'worker'],
  income: ['earnings'],
  item: ['article', 'product'],
  order: ['purchase'],
  phone: ['telephone'],
  price: ['cost'],
  product: ['article', 'item'],
  quantity: ['count', 'number of units'],
  region: ['area'],
  revenue: ['sales', 'turnover'],
  salary: ['pay', 'wage'],
  score: ['rating'],
  state: ['province'],
  status: ['state'],
  vendor: ['supplier'],
  zip: ['postal code', 'postcode'],
};

const MOST = 8;

/** The name in plain words, abbreviations written out: `cust_addr` gives `customer address`. */
export const plainName = (name: string): string =>
  wordsOf(name)
    .map((word) => longer[word] ?? word)
    .join(' ');

/** At most 8, none twice, none equal to the name; nothing where the name says all there is. */
export function synonymsOf(name: string): string[] {
  const words = wordsOf(name);
  const [spaced, plain] = [words.join(' '), plainName(name)];
  const found = [plain, spaced];
  const long = words.map((word) => longer[word] ?? word);
  for (const [index, word] of long.entries())
    for (const other of others[singularOf(word)] ?? [])
      found.push([...long.slice(0, index), other, ...long.slice(index + 1)].join(' '));
  const same = name.toLowerCase();
  return [...new Set(found)].filter((each) => each !== '' && each !== same).slice(0, MOST);
}
