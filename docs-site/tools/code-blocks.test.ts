import { execFileSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { slashCommandIn } from '../../apps/server/src/turns/engine/slash-command.logic.ts'
import { blocksInHtml, blocksInMarkdown } from './code-blocks.ts'
import { contentDirectory } from './translations.ts'

const blocks = globSync('**/*.md', { cwd: contentDirectory })
  .sort()
  .flatMap((page) =>
    blocksInMarkdown(readFileSync(join(contentDirectory, page), 'utf8')).map((block) => ({ page, ...block })),
  )
const inLanguage = (language: string) => blocks.filter((block) => block.language === language)

/** What a block says about itself: shell runs as written unless it is marked; the others are read, not run. */
const marks: Readonly<Record<string, readonly string[]>> = {
  sh: ['', 'no-run'],
  text: [''],
  json: ['output'],
  markdown: [''],
  nginx: [''],
  txt: [''],
}

describe('code on the pages', () => {
  it('is of a kind that says whether it is run', () => {
    expect(blocks.filter(({ language, mark }) => !marks[language]?.includes(mark))).toEqual([])
  })

  it('is valid shell where it is shell', () => {
    for (const { page, text } of inLanguage('sh')) {
      expect(() => execFileSync('bash', ['-n'], { input: text, stdio: 'pipe' }), `${page}: ${text}`).not.toThrow()
    }
  })

  it('is run by the visit of a bare system, or by the test of the API’s requests, where it is not marked', () => {
    const visit = readFileSync(join(import.meta.dirname, '../../deploy/bare-system/visit.sh'), 'utf8')
    const lines = inLanguage('sh').filter(({ page, mark }) => mark === '' && !page.startsWith('build/'))
    for (const { page, text } of lines) expect(visit, page).toContain(`\n${text} `)
  })

  it('is a command of direct mode where it begins with a slash', () => {
    const commands = inLanguage('text').filter(({ text }) => text.startsWith('/'))
    expect(commands.length).toBeGreaterThan(10)
    for (const { page, text } of commands) {
      expect(slashCommandIn(text)?.kind, `${page}: ${text}`).toBe(/^\/(\w+)/.exec(text)?.[1])
    }
  })

  it('is the same in every translation', () => {
    const codeOf = (page: string) =>
      blocks.filter((block) => block.page === page && block.language === 'sh').map(({ text }) => text)
    for (const page of new Set(blocks.map((block) => block.page))) {
      const original = page.replace(/^(de|it|ja)\//, '')
      expect(codeOf(page), page).toEqual(codeOf(original))
    }
  })
})

it('code is read from a built page as a reader sees it', () => {
  const markdown = '```sh no-run\napi "$url" \\\n  --json \'{"a":"<b> & c"}\'\n\nls\n```\n\n```text\n/pause\n```\n'
  const lines = [
    '<div class="ec-line"><div class="code"><span class="s2">api </span><span>&quot;$url&quot; \\</span></div></div>',
    '<div class="s3 ec-line"><div class="code"><span class="indent"><span>  </span></span>--json',
    ' &#x27;{&quot;a&quot;:&quot;&lt;b&gt; &amp; c&quot;}&#39;</div></div>',
    '<div class="ec-line"><div class="code">\n</div></div><div class="ec-line"><div class="code">ls</div></div>',
  ]
  const html = `<figure><pre data-language="sh" class="s1 wrap"><code>${lines.join('')}</code></pre>
    <button data-code="api"></button></figure><p><code>/pause</code></p>
    <pre data-language="text"><code><div class="ec-line"><div class="code">/pause</div></div></code></pre>`
  expect(blocksInHtml(html)).toEqual(blocksInMarkdown(markdown).map(({ language, text }) => ({ language, text })))
})
