// Other words for the name of a column or a table: what its abbreviations stand for, and what people also say.
import { singularOf, wordMap, wordsOf } from '../semantics/words.ts';

const longer = wordMap<string>({
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
  precip: 'precipitation',
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
});

/** By a word in the singular, or by a few words. */
const others = wordMap<readonly string[]>({
  amount: ['sum', 'value'],
  'birth date': ['birthday', 'date of birth'],
  birthday: ['date of birth'],
  city: ['town'],
  client: ['customer'],
  cost: ['expense', 'price'],
  country: ['nation'],
  customer: ['client', 'buyer'],
  'date of birth': ['birthday', 'dob'],
  discount: ['rebate'],
  ean: ['barcode'],
  email: ['mail address'],
  employee: ['staff member', 'worker'],
  'first name': ['given name'],
  gender: ['sex'],
  grade: ['mark'],
  iban: ['bank account'],
  income: ['earnings'],
  inventory: ['stock'],
  item: ['article', 'product'],
  kwh: ['kilowatt hours'],
  'last name': ['surname', 'family name'],
  nps: ['net promoter score'],
  order: ['purchase'],
  phone: ['telephone'],
  'postal code': ['zip code', 'postcode'],
  precipitation: ['rain', 'rainfall'],
  price: ['cost'],
  product: ['article', 'item'],
  quantity: ['count', 'number of units'],
  region: ['area'],
  revenue: ['sales', 'turnover'],
  salary: ['pay', 'wage'],
  sale: ['revenue', 'turnover'],
  score: ['rating'],
  sex: ['gender'],
  shipment: ['delivery'],
  sku: ['article number'],
  spend: ['cost', 'expense'],
  staff: ['employee'],
  state: ['province'],
  status: ['state'],
  stock: ['inventory'],
  supplier: ['vendor'],
  surname: ['last name', 'family name'],
  turnover: ['revenue', 'sales'],
  vat: ['value added tax'],
  vendor: ['supplier'],
  wage: ['salary', 'pay'],
  zip: ['postal code', 'postcode'],
});
/** Words of the longest of them. */
const MOST_WORDS = 3;

const MOST = 8;

/** The name in plain words, abbreviations written out: `cust_addr` gives `customer address`. */
export const plainName = (name: string): string =>
  wordsOf(name)
    .map((word) => longer.get(word) ?? word)
    .join(' ');

/** At most 8, none twice, none equal to the name; nothing where the name says all there is. */
export function synonymsOf(name: string): string[] {
  const words = wordsOf(name);
  const [spaced, plain] = [words.join(' '), plainName(name)];
  const found = [plain, spaced];
  const long = words.map((word) => longer.get(word) ?? word);
  for (const [from] of long.entries())
    for (let to = from + 1; to <= Math.min(from + MOST_WORDS, long.length); to++)
      found.push(
        ...saidOtherwise(long.slice(from, to)).map((other) => long.toSpliced(from, to - from, other).join(' ')),
      );
  const same = name.toLowerCase();
  return [...new Set(found)].filter((each) => each !== '' && each !== same).slice(0, MOST);
}

const saidOtherwise = (words: readonly string[]): readonly string[] =>
  others.get(words.length === 1 ? singularOf(words.join('')) : words.join(' ')) ?? [];
