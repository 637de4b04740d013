import { parseArgs } from 'node:util'
import { findTranslations, stamp } from './translations.ts'

/** Lists translations with their state. `--stamp PAGE…` records that these are up to date with their English pages now. */
const { values, positionals } = parseArgs({
  options: { stamp: { type: 'boolean', default: false } },
  allowPositionals: true,
})
if (values.stamp) for (const path of positionals) stamp(path)
for (const { path, state } of findTranslations()) console.log(`${state.padEnd(9)} ${path}`)
