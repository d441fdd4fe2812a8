// The rules for texts, in the order in which they are asked. A name counts at the borders of words only, and only where the values bear it out.
import type { SemanticType } from './types.ts';
import { looksLike, type ValueTest } from './values.ts';

export interface TextRule {
  readonly type: SemanticType;
  /** Words of the name, between spaces. */
  readonly named?: RegExp;
  /** What values of the type look like; a rule without it goes by the name alone. */
  readonly test?: ValueTest;
  /** The share of values that has to fit where the name says the type; 0.6 where left out. */
  readonly withName?: number;
  /** The share of values that is enough without a name; never where left out. */
  readonly alone?: number;
  /** How many values, different ones, have to be seen before they speak for themselves; 1 where left out. */
  readonly evidence?: number;
}

const says = (words: string): RegExp => new RegExp(` (?:${words}) `);

export const textRules: readonly TextRule[] = [
  { type: 'email', named: says('e mail|e mails|email|emails|mail'), test: looksLike.email, alone: 0.8 },
  {
    type: 'image_url',
    named: says('image|images|img|photo|picture|thumbnail|logo|avatar|icon|poster'),
    test: looksLike.imageUrl,
    alone: 0.8,
  },
  { type: 'url', named: says('url|uri|link|href|website|homepage'), test: looksLike.url, alone: 0.8 },
  { type: 'identifier', test: looksLike.uuid, alone: 0.9 },
  { type: 'iban', named: says('iban'), test: looksLike.iban, alone: 0.8 },
  { type: 'ip_address', named: says('ip|ipv 4|ipv 6|host|addr'), test: looksLike.ip, alone: 0.9 },
  { type: 'json', named: says('json|payload|metadata|attributes'), test: looksLike.json, alone: 0.9 },
  {
    type: 'geo_coordinate',
    named: says('coordinates?|coords?|location|position|geo|geom|geometry|latlng|lat lng|lat lon|point'),
    test: looksLike.place,
    alone: 0.9,
  },
  {
    type: 'file_path',
    named: says('path|file|filename|file name|directory|folder'),
    test: looksLike.filePath,
  },
  { type: 'file_path', test: looksLike.rootedPath, alone: 0.9 },
  { type: 'datetime', test: looksLike.datetime, alone: 0.9 },
  { type: 'time', test: looksLike.time, alone: 0.95 },
  { type: 'duration', named: says('duration|runtime|elapsed|length|time|age|period'), test: looksLike.duration },
  { type: 'duration', test: looksLike.isoDuration, alone: 0.9, evidence: 2 },
  { type: 'percentage', test: looksLike.percentage, alone: 0.9 },
  { type: 'amount', test: looksLike.money, alone: 0.9 },
  { type: 'version', test: looksLike.version, alone: 0.95, evidence: 2 },
  { type: 'version', named: says('version|release|build|ver'), test: looksLike.shortVersion },
  { type: 'date', test: looksLike.date, alone: 0.9 },
  { type: 'quarter', test: looksLike.quarter, alone: 0.9 },
  { type: 'week', named: says('week|wk|kw'), test: looksLike.week, alone: 0.95 },
  { type: 'timezone', named: says('time zone|timezone|tz'), test: looksLike.timezone, alone: 0.9 },
  { type: 'currency_code', named: says('currency|currency code|ccy|curr'), test: looksLike.currencyCode, alone: 0.95 },
  {
    type: 'language_code',
    named: says('language|lang|locale|languages'),
    test: looksLike.language,
  },
  { type: 'language_code', test: looksLike.localeTag, alone: 0.95 },
  { type: 'state', named: says('state|states|us state|province|prov|bundesland'), test: looksLike.state },
  {
    type: 'country_code',
    named: says('country|countries|country code|iso|iso 2|iso 3|nation|nationality|cc|origin|destination|market'),
    test: looksLike.countryCode,
    withName: 0.8,
  },
  { type: 'country_code', test: looksLike.upperCountryCode, alone: 0.98, evidence: 5 },
  { type: 'country', named: says('country|countries|nation|origin|destination'), test: looksLike.country, alone: 0.9 },
  { type: 'month', named: says('month|months|mon|mth'), test: looksLike.month, withName: 0.9 },
  { type: 'month', test: looksLike.monthName, alone: 0.95, evidence: 3 },
  { type: 'year', named: says('year|yr|fy|fiscal year|season'), test: looksLike.year, withName: 0.9 },
  {
    type: 'tax_id',
    named: says('vat|tax|tin|ein|nif|cif|ust id|ustid|abn|gstin|rfc|steuernummer'),
    test: looksLike.taxId,
  },
  { type: 'phone', named: says('phone|phones|telephone|tel|mobile|cell|fax|whatsapp'), test: looksLike.phone },
  { type: 'phone', test: looksLike.fullPhone, alone: 0.9 },
  {
    type: 'postal_code',
    named: says('zip|zip code|zipcode|postal|postal code|postcode|post code|plz|cap'),
    test: looksLike.postalCode,
    withName: 0.8,
  },
  { type: 'flag', named: says('is|has|flag|active|enabled|deleted|valid'), test: looksLike.boolean, withName: 0.95 },
  { type: 'boolean', test: looksLike.wordBoolean, alone: 0.98, evidence: 2 },
  {
    type: 'identifier',
    named: / (?:id|ids|uuid|guid|key|identifier|ref|reference) $/,
    test: looksLike.code,
    withName: 0.8,
  },
  {
    type: 'code',
    named: says('code|codes|sku|isin|cusip|ean|upc|gtin|isbn|issn|barcode|ticker|symbol|iata|icao|naics|hs|nace'),
    test: looksLike.code,
    withName: 0.8,
  },
  { type: 'code', named: says('colou?r|hex'), test: looksLike.color },
  // By the name alone: what the values look like says neither yes nor no.
  { type: 'address', named: says('address|addresses|street|addr|strasse|straße|addr line|billing address') },
  { type: 'city', named: says('city|town|municipality|stadt|ciudad|ville|comune') },
  { type: 'state', named: says('state|province|county|prefecture|bundesland') },
  { type: 'region', named: says('region|regions|area|territory|continent|zone|district') },
  { type: 'industry_sector', named: says('industry|sector|vertical|industries|line of business') },
  { type: 'country', named: says('country|nation') },
  { type: 'identifier', named: / (?:id|uuid|guid|identifier) $/ },
  { type: 'tag', named: says('tag|tags|label|labels|keyword|keywords|hashtag|hashtags') },
  {
    type: 'description',
    named: says('description|desc|summary|abstract|overview|synopsis|about|bio|details|detail|beschreibung'),
  },
  {
    type: 'name',
    named: says(
      'name|names|firstname|lastname|surname|fullname|nickname|username|title|titles|author|authors|customer|employee|manager|contact|director',
    ),
  },
  { type: 'text', named: says('text|comment|comments|note|notes|message|body|content|review|feedback|remarks|reason') },
];
