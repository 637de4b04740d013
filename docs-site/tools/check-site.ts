import { readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { blocksInHtml, blocksInMarkdown, type CodeBlock } from './code-blocks.ts'
import { base, filesIn } from './finish-pages.ts'
import { type PageFacts, readPage } from './pages.ts'
import { findTranslations, type Translation } from './translations.ts'

/** An address that the app, an error or another program relies on: a page, and an anchor in it. */
export type RequiredAnchor = { page: string; anchor: string }

/**
 * Everything that is wrong with a built site, as sentences: links and anchors that lead nowhere, anything loaded from
 * elsewhere, anchors that the app links to and that are missing.
 */
export function checkSite(directory: string, required: readonly RequiredAnchor[]): string[] {
  const files = new Set(filesIn(directory))
  const pages = new Map<string, PageFacts>()
  for (const path of files) {
    if (path.endsWith('.html')) pages.set(path, readPage(readFileSync(join(directory, path), 'utf8')))
  }
  const problems = [...pages].flatMap(([path, facts]) => [
    ...facts.links.flatMap(({ value }) => checkLink({ path, address: value, files, pages })),
    ...facts.resources.flatMap((address) => checkResource({ path, address, files })),
    ...facts.styleAttributes.map(({ value }) => `${path}: the attribute style="${value}" is blocked by the policy`),
  ])
  const styles = [...files]
    .filter((path) => path.endsWith('.css'))
    .flatMap((path) => checkStyle(directory, path, files))
  const missing = required.flatMap(({ page, anchor }) => {
    const facts = pages.get(`${page}/index.html`)
    const exists = anchor === '' ? facts !== undefined : facts?.ids.has(anchor) === true
    return exists ? [] : [`${page}: the anchor #${anchor} is missing`]
  })
  return [...new Set([...problems, ...styles, ...missing])]
}

/** Pages whose commands and messages aren’t those of their Markdown, for a reader who copies them. */
export function checkCode(directory: string, content: string): string[] {
  const paths = filesIn(content).filter((path) => path.endsWith('.md'))
  return paths.flatMap((path) => {
    const page = join(path.replace(/(^|\/)index\.md$/, '').replace(/\.md$/, ''), 'index.html')
    const built = usedIn(blocksInHtml(readFileSync(join(directory, page), 'utf8')))
    const written = usedIn(blocksInMarkdown(readFileSync(join(content, path), 'utf8')))
    return built === written ? [] : [`${page}: has other code than ${path}`]
  })
}

function usedIn(blocks: readonly Pick<CodeBlock, 'language' | 'text'>[]): string {
  const used = blocks.filter(({ language }) => language === 'sh' || language === 'text')
  return used.map(({ language, text }) => `${language}: ${text}`).join('\n')
}

/** Translations that a build refuses. */
export function checkTranslations(translations: readonly Translation[] = findTranslations()): string[] {
  return translations.flatMap(({ path, state, originalPath }) => {
    if (state === 'unmarked')
      return [`${path}: has no \`original\`: run \`npm run translations -w docs-site -- --stamp ${path}\``]
    if (state === 'orphaned') return [`${path}: translates ${originalPath}, which doesn’t exist`]
    return []
  })
}

type Checked = { path: string; address: string; files: ReadonlySet<string> }

function checkLink({ path, address, files, pages }: Checked & { pages: ReadonlyMap<string, PageFacts> }): string[] {
  if (/^(https?:|mailto:)/.test(address)) return []
  const [target = '', anchor] = address.split('#')
  const file = target === '' ? path : fileOf(path, target)
  if (file === undefined || !files.has(file)) return [`${path}: ${address} leads nowhere`]
  if (anchor === undefined || anchor === '') return []
  const exists = pages.get(file)?.ids.has(decodeURIComponent(anchor)) ?? false
  return exists ? [] : [`${path}: ${address} names an anchor that doesn’t exist`]
}

function checkResource({ path, address, files }: Checked): string[] {
  if (address.startsWith('data:')) return []
  if (/^(\w+:)?\/\//.test(address)) return [`${path}: ${address} would be loaded from another host`]
  const file = fileOf(path, address)
  return file !== undefined && files.has(file) ? [] : [`${path}: ${address} doesn’t exist`]
}

function checkStyle(directory: string, path: string, files: ReadonlySet<string>): string[] {
  const css = readFileSync(join(directory, path), 'utf8')
  return [...css.matchAll(/url\((['"]?)(.*?)\1\)|@import\s+(['"])(.*?)\3/g)].flatMap(([, , url, , imported]) =>
    checkResource({ path, address: url ?? imported ?? '', files }),
  )
}

/** The file below the site's directory that an address means; undefined when it is outside of the site. */
function fileOf(path: string, address: string): string | undefined {
  const absolute = address.startsWith('/') ? address : posix.join(base, posix.dirname(path), address)
  if (!absolute.startsWith(base)) return undefined
  const file = decodeURIComponent(absolute.slice(base.length))
  return file === '' || file.endsWith('/') ? `${file}index.html` : file
}
