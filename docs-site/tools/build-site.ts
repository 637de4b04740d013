import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, join, relative } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { checkCode, checkSite, checkTranslations, type RequiredAnchor } from './check-site.ts'
import { filesIn, finishPages } from './finish-pages.ts'
import { screenshotsUsed } from './screenshots.ts'
import { contentDirectory, findTranslations } from './translations.ts'

const run = promisify(execFile)
const require = createRequire(import.meta.url)
const siteRoot = join(import.meta.dirname, '..')
const repositoryRoot = join(siteRoot, '..')

const favicon = 'apps/web/public/favicon.svg'
/** What is read from outside of the site's folder. */
const otherInputs = ['package-lock.json', 'apps/web/src/styles/tokens.css', 'apps/web/public/fonts', favicon]
const notInputs = /^(node_modules|\.astro|dist)\/|\.test\.ts$/
const cacheDirectory = join(repositoryRoot, 'node_modules/.cache/docs-site')
const keptInCache = 2

/** Interfaces of Pagefind that Starlight’s search doesn’t use. */
const unusedFiles = /^pagefind\/pagefind-(ui|modular-ui|component-ui|highlight)\./

const maximumBytes = 15e6
const aimedSeconds = 60

export type BuiltSite = { pages: number; bytes: number; seconds: number; isFromCache: boolean; outdated: number }

/**
 * Builds the documentation into a directory that doesn’t exist yet. What was built from the same content before comes
 * out of the cache. Throws when a link leads nowhere, a translation is unmarked, or the site is larger than it may be.
 */
export async function buildSite(outputDirectory: string): Promise<BuiltSite> {
  const start = performance.now()
  const cached = join(cacheDirectory, await hashInputs())
  const isFromCache = await stat(cached).then(
    () => true,
    () => false,
  )
  if (!isFromCache) await buildInto(cached)
  // The cache keeps what was used last.
  await utimes(cached, new Date(), new Date())
  await cp(cached, outputDirectory, { recursive: true })
  await pruneCache()
  const files = filesIn(outputDirectory)
  const sizes = await Promise.all(files.map(async (file) => (await stat(join(outputDirectory, file))).size))
  return {
    pages: files.filter((file) => file.endsWith('.html')).length,
    bytes: sizes.reduce((sum, size) => sum + size, 0),
    seconds: (performance.now() - start) / 1000,
    isFromCache,
    outdated: findTranslations().filter(({ state }) => state === 'outdated').length,
  }
}

/** One line for the log of a build. */
export function describeBuild({ pages, bytes, seconds, isFromCache, outdated }: BuiltSite): string {
  const size = `${(bytes / 1e6).toFixed(1)} MB (up to ${maximumBytes / 1e6})`
  const time = `${seconds.toFixed(1)} s (up to ${aimedSeconds})${isFromCache ? ', from the cache' : ''}`
  const old = outdated === 0 ? '' : `, ${outdated} outdated ${outdated === 1 ? 'translation' : 'translations'}`
  return `documentation: ${pages} pages, ${size}, ${time}${old}`
}

async function buildInto(target: string): Promise<void> {
  await mkdir(cacheDirectory, { recursive: true })
  const staging = await mkdtemp(join(cacheDirectory, '.building-'))
  try {
    const directory = join(staging, 'site')
    await runAstro({ root: siteRoot, outputDirectory: directory })
    await cp(join(repositoryRoot, favicon), join(directory, basename(favicon)))
    for (const { from, to } of screenshotsUsed()) {
      await cp(join(repositoryRoot, from), join(directory, to))
    }
    for (const file of filesIn(directory)) if (unusedFiles.test(file)) await rm(join(directory, file))
    finishPages(directory)
    const problems = [
      ...checkTranslations(),
      ...checkSite(directory, await requiredAnchors()),
      ...checkCode(directory, contentDirectory),
      ...(await checkSize(directory)),
    ]
    if (problems.length > 0)
      throw new Error(`The documentation has ${problems.length} problems:\n${problems.join('\n')}`)
    await rename(directory, target).catch(async (error: NodeJS.ErrnoException) => {
      // Another build was faster.
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error
    })
  } finally {
    await rm(staging, { recursive: true, force: true })
  }
}

/**
 * In a process of its own, whose environment is the same wherever it is started from: Astro takes `BASE_URL`, `MODE` and
 * others out of it, which a test runner sets.
 */
export async function runAstro({ root, outputDirectory }: { root: string; outputDirectory: string }): Promise<void> {
  const astro = join(require.resolve('astro/package.json'), '../bin/astro.mjs')
  const args = [astro, 'build', '--root', root, '--outDir', outputDirectory, '--silent', '--force']
  const { HOME, PATH, TMPDIR } = process.env
  const environment = { HOME, PATH, TMPDIR, NODE_ENV: 'production', ASTRO_TELEMETRY_DISABLED: '1' }
  try {
    await run(process.execPath, args, { cwd: root, env: environment, maxBuffer: 1e8 })
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: string; stderr?: string }
    throw new Error(`Astro could not build the documentation:\n${stdout ?? ''}${stderr ?? ''}`, { cause: error })
  }
}

async function requiredAnchors(): Promise<RequiredAnchor[]> {
  return JSON.parse(await readFile(join(siteRoot, 'src/generated/anchors.json'), 'utf8')) as RequiredAnchor[]
}

async function checkSize(directory: string): Promise<string[]> {
  const sizes = await Promise.all(filesIn(directory).map(async (file) => (await stat(join(directory, file))).size))
  const bytes = sizes.reduce((sum, size) => sum + size, 0)
  return bytes <= maximumBytes ? [] : [`It has ${bytes} bytes; up to ${maximumBytes} are allowed.`]
}

async function hashInputs(): Promise<string> {
  const hash = createHash('sha256').update(process.version)
  const own = filesIn(siteRoot).filter((file) => !notInputs.test(file))
  const folder = relative(repositoryRoot, siteRoot)
  const others = [...otherInputs, ...screenshotsUsed().map(({ from }) => from)]
  const paths = [...own.map((file) => join(folder, file)), ...(await Promise.all(others.map(expand))).flat()]
  for (const path of paths)
    hash
      .update(`${path}\0`)
      .update(await readFile(join(repositoryRoot, path)))
      .update('\0')
  return hash.digest('hex').slice(0, 16)
}

async function expand(path: string): Promise<string[]> {
  const isDirectory = (await stat(join(repositoryRoot, path))).isDirectory()
  return isDirectory ? filesIn(join(repositoryRoot, path)).map((file) => join(path, file)) : [path]
}

async function pruneCache(): Promise<void> {
  const names = (await readdir(cacheDirectory)).filter((name) => !name.startsWith('.'))
  const entries = await Promise.all(
    names.map(async (name) => ({ name, usedAt: (await stat(join(cacheDirectory, name))).mtimeMs })),
  )
  const old = entries.sort((one, other) => other.usedAt - one.usedAt).slice(keptInCache)
  await Promise.all(old.map(({ name }) => rm(join(cacheDirectory, name), { recursive: true, force: true })))
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { out: { type: 'string', default: join(siteRoot, 'dist') } } })
  await rm(values.out, { recursive: true, force: true })
  process.stdout.write(`${describeBuild(await buildSite(values.out))}\n`)
}
