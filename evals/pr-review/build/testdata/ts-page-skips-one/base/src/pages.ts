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
