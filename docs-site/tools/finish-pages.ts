import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type PageFacts, readPage } from './pages.ts'
import { translationLanguages } from './translation-state.ts'

/** Where the server serves the site. */
export const base = '/docs/'
export const policyFile = 'content-security-policy.txt'

/**
 * Makes pages of Astro fit for a strict content policy and for readers of a fallback: styles of attributes become
 * classes of one file, and links of an English text below a notice stay in the language of the address. Writes the
 * policy beside the pages.
 */
export function finishPages(directory: string): void {
  const paths = filesIn(directory).filter((path) => path.endsWith('.html'))
  const known = new Set(paths)
  const pages = paths.map((path) => {
    const html = readFileSync(join(directory, path), 'utf8')
    return { path, html, facts: readPage(html) }
  })
  const styles = new Map<string, string>()
  for (const { facts } of pages) for (const { value } of facts.styleAttributes) name(styles, value)
  const css = [...styles].map(([style, className]) => `.${className}{${style}}`).join('\n')
  const sheet = `_astro/inline.${createHash('sha256').update(css).digest('hex').slice(0, 8)}.css`
  writeFileSync(join(directory, sheet), css)
  for (const { path, html, facts } of pages) {
    const edits = [...styleEdits(html, facts, styles), ...linkEdits(path, facts, known)]
    const link = `<link rel="stylesheet" href="${base}${sheet}">`
    writeFileSync(
      join(directory, path),
      applyEdits(html, [...edits, { start: facts.headEnd, end: facts.headEnd, text: link }]),
    )
  }
  nameHighlightedSpans(directory)
  writeFileSync(join(directory, policyFile), `${contentPolicy(pages.map(({ facts }) => facts))}\n`)
}

/** The highlighter finds its spans by the attribute that became a class. */
function nameHighlightedSpans(directory: string): void {
  const attribute = `span[style^='--']:not([class])`
  for (const path of filesIn(directory)) {
    if (!/^_astro\/ec\..*\.css$/.test(path)) continue
    const css = readFileSync(join(directory, path), 'utf8')
    if (!css.includes(attribute)) throw new Error(`${path} no longer selects ${attribute}.`)
    writeFileSync(join(directory, path), css.replaceAll(attribute, 'span[class]'))
  }
}

/** All files below a directory, as paths below it, sorted. */
export function filesIn(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(directory.length + 1))
    .sort()
}

/** Nothing from elsewhere, and of what stands in pages only the scripts that were built. Search runs WebAssembly in a worker. */
export function contentPolicy(pages: readonly PageFacts[]): string {
  const hashes = (kind: 'inlineScripts' | 'inlineStyles') =>
    [...new Set(pages.flatMap((facts) => facts[kind]))]
      .map((text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`)
      .sort()
  return [
    "default-src 'none'",
    ["script-src 'self' 'wasm-unsafe-eval'", ...hashes('inlineScripts')].join(' '),
    ["style-src 'self'", ...hashes('inlineStyles')].join(' '),
    // The masks of icons are data URLs in style sheets.
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ')
}

type Edit = { start: number; end: number; text: string }

function name(styles: Map<string, string>, style: string): void {
  if (!styles.has(style)) styles.set(style, `s${styles.size.toString(36)}`)
}

/**
 * A class joins those of the element, or becomes its only one. The key beside Search stays hidden: its script can’t undo a
 * class, and its text would not be part of the button’s name.
 */
function styleEdits(html: string, facts: PageFacts, styles: ReadonlyMap<string, string>): Edit[] {
  return facts.styleAttributes.flatMap(({ value, start, end }): Edit[] => {
    const className = styles.get(value) ?? ''
    const tagStart = html.lastIndexOf('<', start)
    const tag = html.slice(tagStart, html.indexOf('>', end))
    const classes = /\sclass="/.exec(tag)
    if (classes === null) return [{ start, end, text: ` class="${className}"` }]
    const at = tagStart + classes.index + classes[0].length
    return [
      { start, end, text: '' },
      { start: at, end: at, text: `${className} ` },
    ]
  })
}

/** Pages link to `/docs/<page>/`, whatever their language; a reader of another language stays in it where the page exists. */
function linkEdits(path: string, facts: PageFacts, known: ReadonlySet<string>): Edit[] {
  const language = translationLanguages.find((one) => path.startsWith(`${one}/`))
  if (language === undefined) return []
  return facts.links.flatMap(({ value, start, end, isInMain }): Edit[] => {
    if (!isInMain || !value.startsWith(base)) return []
    const [target = '', anchor] = value.slice(base.length).split('#')
    if (!known.has(`${language}/${target}index.html`)) return []
    const address = `${base}${language}/${target}${anchor === undefined ? '' : `#${anchor}`}`
    return [{ start, end, text: ` href="${address}"` }]
  })
}

function applyEdits(text: string, edits: readonly Edit[]): string {
  let result = text
  for (const { start, end, text: inserted } of [...edits].sort(
    (one, other) => other.start - one.start || other.end - one.end,
  )) {
    result = result.slice(0, start) + inserted + result.slice(end)
  }
  return result
}
