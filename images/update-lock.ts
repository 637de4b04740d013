import { spawnSync } from 'node:child_process'
import { nodeWheel, pythonRequirements, unpackagedBuilds } from './recipe/packages.ts'

/**
 * Rewrites the lists of versions and checksums in `recipe/`: of the Python packages, of what builds those without a
 * wheel, and of Node. Needs `uv` on the PATH. Then build and run the probes.
 */
const locks = {
  'python.lock': pythonRequirements(),
  'build.lock': unpackagedBuilds,
  'node.lock': [nodeWheel],
}
for (const [file, requirements] of Object.entries(locks)) {
  const { status } = spawnSync(
    'uv',
    // biome-ignore format: one option and its value belong together
    ['pip', 'compile', '-', '--quiet', '--universal', '--python-version', '3.13', '--no-header', '--no-annotate',
      '--no-emit-index-url', '--no-emit-find-links', '--generate-hashes', '--upgrade',
      '--output-file', `${import.meta.dirname}/recipe/${file}`],
    { input: requirements.join('\n'), stdio: ['pipe', 'inherit', 'inherit'] },
  )
  if (status !== 0) process.exitCode = status ?? 1
}
