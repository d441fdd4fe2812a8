// The driver assigns the fields of a struct to an object, by name, where one called `__proto__` is lost: here each is one of the object's own.
import { DuckDBStructValue, DuckDBStructVector, type DuckDBValue } from '@duckdb/node-api';

DuckDBStructVector.prototype.getItem = function (this: DuckDBStructVector, item: number): DuckDBStructValue | null {
  if (!this.isItemValid(item)) return null;
  const fields = this.type.entryNames.map((name, at): [string, DuckDBValue] => [name, this.getItemValue(item, at)]);
  return new DuckDBStructValue(Object.fromEntries(fields));
};
