import { test } from "node:test";
import assert from "node:assert/strict";
import { readAll, type Fetch } from "../src/pages.js";

const numbers = Array.from({ length: 250 }, (_, i) => i);
const fetch: Fetch<number> = async (offset, limit) => numbers.slice(offset, offset + limit);

test("readAll reads every item once", async () => {
  assert.deepEqual(await readAll(fetch, 100), numbers);
});
