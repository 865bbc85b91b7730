export interface Page<T> {
  items: T[];
  next: number | null;
}

export type Fetch<T> = (offset: number, limit: number) => Promise<T[]>;

/** Reads everything, page by page. */
export async function readAll<T>(fetch: Fetch<T>, limit = 100): Promise<T[]> {
  const all: T[] = [];
  for (let offset = 0; ; offset += limit) {
    const items = await fetch(offset, limit);
    all.push(...items);
    if (items.length < limit) {
      return all;
    }
  }
}

/** Reads one page, and says where the next one begins; null after the last. */
export async function readPage<T>(fetch: Fetch<T>, offset: number, limit = 100): Promise<Page<T>> {
  // One more than asked for tells whether there is a next page.
  const items = await fetch(offset, limit + 1);
  const more = items.length > limit;
  return {
    items: more ? items.slice(0, limit) : items,
    next: more ? offset + limit + 1 : null,
  };
}
