// A cell of CSV as it stands in a file: what types are told by, and what readers split wrongly.
import * as fc from 'fast-check';

export const awkwardCell = fc.constantFrom(
  '1',
  '2.50',
  '007',
  '',
  'x',
  '2024-01-02',
  '01/02/2024',
  '1e5',
  'true',
  '"a\n""b"',
  '""',
  'é',
);
