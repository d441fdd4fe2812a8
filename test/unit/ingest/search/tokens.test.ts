import { describe, expect, it } from 'vitest';
import { nameTokensOf, tokensOf } from '../../../../lib/ingest/search/tokens.ts';

const terms = (text: string) => tokensOf(text).map(({ term }) => term);
const nameTerms = (text: string) => nameTokensOf(text).map(({ term }) => term);

describe('the words of a name', () => {
  it.each([
    ['customer_id', ['customer', 'id', 'customerid']],
    ['customerID', ['customer', 'id', 'customerid']],
    ['HTTPServerPort', ['http', 'server', 'port', 'httpserverport']],
    ['address2', ['address', '2', 'address2']],
    ['Q1 2024', ['q', '1', '2024', 'q12024']],
    ['total', ['total']],
  ])('of %s are split at case, separators and digits, and stand together too', (name, words) => {
    expect(nameTerms(name)).toEqual(words);
  });
});

describe('the words of a text', () => {
  it.each([
    ['Größe der Straße', ['grosse', 'der', 'strasse']],
    ['Ærø, naïve Łódź', ['aero', 'naive', 'lodz']],
    ['e\u0301te\u0301', ['ete']],
    ['ﬁle №5', ['file', '5']],
    ['Дата создания', ['дата', 'создания']],
    ['ημερομηνία', ['ημερομηνια']],
    ['한국어 이름', ['한국어', '이름']],
    ['تاريخ الإنشاء', ['تاريخ', 'الإنشاء']],
  ])('of %s are folded, whatever the script', (text, words) => {
    expect(terms(text)).toEqual(words.map((word) => word.normalize('NFC')));
  });

  it('are pairs of characters where the script has no spaces, with the last character by itself', () => {
    expect(terms('顧客名')).toEqual(['顧客', '客名', '名']);
    expect(terms('顧客ID')).toEqual(['顧客', '客', 'id']);
  });

  it('say where they stand', () => {
    const text = 'naïve_Straße 𠮷野';
    expect(tokensOf(text).map(({ start, end }) => text.slice(start, end))).toEqual(['naïve', 'Straße', '𠮷野', '野']);
  });

  it('leave out what is longer than any word', () => {
    expect(terms(`a ${'x'.repeat(41)} b`)).toEqual(['a', 'b']);
  });
});
