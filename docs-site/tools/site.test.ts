import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { checkSite } from './check-site.ts'
import { finishPages, policyFile } from './finish-pages.ts'
import { readPage } from './pages.ts'

let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'threadbox-site-'))
})
afterEach(() => rmSync(directory, { recursive: true }))

/** Writes pages by path; each gets a head and a main part. */
function write(bodies: Record<string, string>, files: Record<string, string> = {}): void {
  const pages = Object.entries(bodies).map(([path, body]) => [
    path,
    `<!DOCTYPE html><html><head><title>x</title></head><body><main>${body}</main></body></html>`,
  ])
  for (const [path = '', text = ''] of [...pages, ...Object.entries({ '_astro/a.css': 'a{}', ...files })]) {
    mkdirSync(dirname(join(directory, path)), { recursive: true })
    writeFileSync(join(directory, path), text)
  }
}
const read = (path: string) => readFileSync(join(directory, path), 'utf8')

describe('finishing the pages', () => {
  it('turns styles of attributes into classes of one file, in a template too', () => {
    write({
      'index.html':
        '<p style="--depth: 0;">a</p><p class="b" style="--depth: 0;">b</p><template><i style="color:red"></i></template>',
    })
    finishPages(directory)
    const html = read('index.html')
    expect(readPage(html).styleAttributes).toEqual([])
    expect(html).toContain('<p class="s0">a</p><p class="s0 b">b</p><template><i class="s1"></i></template>')
    const sheet = /href="\/docs\/(_astro\/inline\.\w+\.css)"/.exec(html)?.[1] ?? ''
    expect(read(sheet)).toBe('.s0{--depth: 0;}\n.s1{color:red}')
  })

  it('writes a policy with the hash of each script, and without unsafe-inline', () => {
    const script = "document.title = 'a < b'"
    write({
      'index.html': `<script>${script}</script>`,
      'a/index.html': `<script>${script}</script><style>a{}</style>`,
    })
    finishPages(directory)
    const policy = read(policyFile)
    const hash = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`
    expect(policy).toContain(`script-src 'self' 'wasm-unsafe-eval' ${hash(script)};`)
    expect(policy).toContain(`style-src 'self' ${hash('a{}')};`)
    expect(policy).not.toContain('unsafe-inline')
  })

  it('keeps a reader of a fallback in the language of the address, where the page exists', () => {
    const link =
      '<a href="/docs/start/#run">start</a><a href="/docs/packages/">packages</a><a href="https://a.example/">x</a>'
    write({
      'start/index.html': '<h2 id="run">',
      'packages/index.html': '',
      'it/start/index.html': link,
      'de/a/index.html': link,
    })
    finishPages(directory)
    expect(read('it/start/index.html')).toContain('href="/docs/it/start/#run"')
    expect(read('it/start/index.html')).toContain('href="/docs/packages/"')
    expect(read('de/a/index.html')).toContain('href="/docs/start/#run"')
  })

  it('refuses a highlighter whose style sheet it does not know', () => {
    write({ 'index.html': '' }, { '_astro/ec.1.css': '.ec-line span{color:var(--0)}' })
    expect(() => finishPages(directory)).toThrow('no longer selects')
  })
})

describe('the check of a site', () => {
  it('finds links and anchors that lead nowhere', () => {
    write({
      'index.html':
        '<a href="/docs/start/">1</a><a href="/docs/none/">2</a><a href="/docs/start/#there">3</a><a href="/docs/start/#gone">4</a><a href="#here" id="here">5</a><a href="/settings">6</a><a href="https://a.example/">7</a>',
      'start/index.html': '<h2 id="there">x</h2><a href="../#nowhere">8</a>',
    })
    expect(checkSite(directory, [])).toEqual([
      'index.html: /docs/none/ leads nowhere',
      'index.html: /docs/start/#gone names an anchor that doesn’t exist',
      'index.html: /settings leads nowhere',
      'start/index.html: ../#nowhere names an anchor that doesn’t exist',
    ])
  })

  it('finds whatever would be loaded from another host, and files that are missing', () => {
    write(
      {
        'index.html':
          '<img src="https://a.example/a.png"><script src="//a.example/a.js"></script><img src="/docs/b.png">',
      },
      {
        '_astro/a.css':
          '@import "https://a.example/a.css"; a{background:url(data:image/png;base64,x)} b{background:url(c.woff2)}',
      },
    )
    expect(checkSite(directory, [])).toEqual([
      'index.html: https://a.example/a.png would be loaded from another host',
      'index.html: //a.example/a.js would be loaded from another host',
      'index.html: /docs/b.png doesn’t exist',
      '_astro/a.css: https://a.example/a.css would be loaded from another host',
      '_astro/a.css: c.woff2 doesn’t exist',
    ])
  })

  it('finds anchors of the app that are missing', () => {
    write({ 'operate/errors/index.html': '<h3 id="thread.not-found">x</h3>' })
    const on = (anchor: string) => ({ page: 'operate/errors', anchor })
    expect(checkSite(directory, [on('thread.not-found'), on('thread.gone')])).toEqual([
      'operate/errors: the anchor #thread.gone is missing',
    ])
  })

  it('finds a style that the policy would block', () => {
    write({ 'index.html': '<p style="color:red">x</p>' })
    expect(checkSite(directory, [])).toEqual(['index.html: the attribute style="color:red" is blocked by the policy'])
  })
})
