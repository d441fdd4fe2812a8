// All of a list, page by page.
import type { Page, PageRequest } from '../../job/ports.ts';

const PAGE = 100;

export async function* rowsOf<T>(list: (page: PageRequest) => Promise<Page<T>>): AsyncGenerator<T> {
  let cursor: string | undefined;
  do {
    const page = await list({ limit: PAGE, cursor });
    yield* page.items;
    cursor = page.cursor;
  } while (cursor !== undefined);
}

export async function allOf<T>(list: (page: PageRequest) => Promise<Page<T>>): Promise<T[]> {
  const found: T[] = [];
  for await (const row of rowsOf(list)) found.push(row);
  return found;
}
