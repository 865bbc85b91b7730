import path from "node:path";
import { readFile } from "node:fs/promises";

const root = path.resolve("public");

/** Sends a file of the public folder. */
export async function serve(req, res) {
  const file = path.resolve(root, "." + path.posix.normalize(req.path));
  if (file !== root && !file.startsWith(root + path.sep)) {
    res.status(403).end();
    return;
  }
  res.type(path.extname(file)).send(await readFile(file));
}
