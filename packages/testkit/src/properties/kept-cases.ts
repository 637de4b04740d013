import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { deserialize, serialize } from 'node:v8'
import { stringify } from 'fast-check'

const repository = join(import.meta.dirname, '../../../..')
const folder = 'tests/fuzz-cases'

/** `shown` is for readers. `value` is the input itself, in V8’s format: JSON has neither bytes nor `undefined`. */
type KeptCase = { shown: string; value: string }

/** The inputs with which a property once failed. */
export function keptCases<Values>(property: string, root = repository): Values[] {
  const own = join(root, folder, property)
  if (!existsSync(own)) return []
  return readdirSync(own)
    .sort()
    .map((file) => {
      const { value } = JSON.parse(readFileSync(join(own, file), 'utf8')) as KeptCase
      return deserialize(Buffer.from(value, 'base64')) as Values
    })
}

/** Writes an input to the cases of its property, and returns the path of the file. */
export function keepCase(property: string, values: unknown, root = repository): string {
  const bytes = serialize(values)
  const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 12)
  const kept: KeptCase = { shown: stringify(values), value: bytes.toString('base64') }
  mkdirSync(join(root, folder, property), { recursive: true })
  const path = join(folder, property, `${hash}.json`)
  writeFileSync(join(root, path), `${JSON.stringify(kept, null, 2)}\n`)
  return path
}
