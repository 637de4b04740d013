import type { Entry, TextEntry } from '@threadbox/protocol/public'
import { expect, test } from 'vitest'
import { makeDirectoryBlobStore } from '../../platform/blobs/directory-blob-store.ts'
import { makeDiagramDrawer } from './diagrams.ts'
import { htmlOf } from './html.ts'
import { markdownOf } from './markdown.ts'
import { notebookOf } from './notebook.ts'

type Write = typeof htmlOf | typeof notebookOf | typeof markdownOf

async function exported(write: Write, text: string): Promise<string> {
  const entry = { id: 'e1', turnId: 'n1', at: 1, kind: 'text', text } as TextEntry as Entry
  const source = { threadId: 't1', blobs: makeDirectoryBlobStore('/nonexistent') }
  const pieces: string[] = []
  for await (const piece of write(source, { title: 'T', entries: [entry] })) pieces.push(piece)
  return pieces.join('')
}

/** The images of an exported page, as their SVG. */
function svgImages(page: string): string[] {
  return [...page.matchAll(/src="data:image\/svg\+xml;base64,([^"]+)"/g)].map((found) => atob(found[1] ?? ''))
}

test('an exported page shows formulas as MathML, inline and in blocks', async () => {
  const page = await exported(htmlOf, 'so $x^2$ and \\(y\\)\n\n$$\\frac{a}{b}$$\n\n- in a list \\[\nc\n+ d\n\\]')
  expect(page.match(/<math /g)).toHaveLength(4)
  expect(page.match(/<math [^>]*display="block"/g)).toHaveLength(2)
  expect(page).toContain('<mfrac>')
  expect(page).not.toMatch(/\$|\\\(/)
})

test('prices in dollars are not formulas in an exported page and notebook', async () => {
  const text = 'It costs $5 and $10, `echo $A$B`, but $x$ is unknown.'
  const page = await exported(htmlOf, text)
  expect(page).toContain('It costs $5 and $10, <code>echo $A$B</code>')
  expect(page.match(/<math /g)).toHaveLength(1)
  const notebook = JSON.parse(await exported(notebookOf, text)) as { cells: { source: string }[] }
  expect(notebook.cells.at(-1)?.source).toBe('It costs \\$5 and \\$10, `echo $A$B`, but $x$ is unknown.')
  expect(await exported(markdownOf, text)).toContain(text)
})

test('invalid or hostile TeX is shown as text and does nothing', async () => {
  const page = await exported(
    htmlOf,
    '$\\frac{$ then \\(\\href{javascript:alert(1)}{x}\\) and \\(\\includegraphics{http://x.example/y}\\) \\(\\def\\a{\\a\\a}\\a\\)',
  )
  expect(page).not.toMatch(/href="javascript|<img|src="http/)
  expect(page).toContain('katex-error')
})

test('an exported page shows a Mermaid diagram as an image that loads nothing', async () => {
  const page = await exported(htmlOf, '```mermaid\ngraph TD\n  A["a < b & c"] --> B\n```')
  const [svg = '', ...others] = svgImages(page)
  expect(others).toEqual([])
  expect(svg).toContain('<svg')
  expect(svg).toMatch(/a &lt; b &amp; c/)
  expect(svg).not.toMatch(/https?:\/\/(?!www\.w3\.org)|@import|<script/)
})

test('a diagram that cannot be drawn is shown as source with a note', async () => {
  for (const source of ['gantt\n  title Plan', 'flowchart', 'no diagram', '']) {
    const page = await exported(htmlOf, `\`\`\`mermaid\n${source}\n\`\`\``)
    expect(svgImages(page), source).toEqual([])
    expect(page, source).toContain('language-mermaid')
    expect(page, source).toContain('Exports show this kind of diagram as source.')
  }
})

test('text that looks like an exported diagram stays text', async () => {
  const page = await exported(htmlOf, '<pre><code class="language-mermaid">graph TD; A-->B</code></pre>')
  expect(svgImages(page)).toEqual([])
  expect(page).toContain('&lt;pre&gt;&lt;code class=&quot;language-mermaid&quot;&gt;')
})

test('a diagram that is too large is not drawn, and the next one is', async () => {
  await using diagrams = makeDiagramDrawer()
  expect(await diagrams.draw(`graph TD\n${'A-->B\n'.repeat(10_000)}`)).toBeNull()
  expect(await diagrams.draw('graph LR\n  A-->C')).toContain('<svg')
})
