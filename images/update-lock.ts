import { spawnSync } from 'node:child_process'
import { pythonRequirements } from './recipe/packages.ts'

/** Rewrites `recipe/python.lock` from the list of packages. Needs `uv` on the PATH. Then build and run the probes. */
const compiled = spawnSync(
  'uv',
  // biome-ignore format: one option and its value belong together
  ['pip', 'compile', '-', '--quiet', '--universal', '--python-version', '3.13', '--no-header', '--no-annotate',
    '--no-emit-index-url', '--no-emit-find-links', '--upgrade', '--output-file', `${import.meta.dirname}/recipe/python.lock`],
  { input: pythonRequirements().join('\n'), stdio: ['pipe', 'inherit', 'inherit'] },
)
process.exitCode = compiled.status ?? 1
