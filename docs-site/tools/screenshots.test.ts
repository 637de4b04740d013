import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { screenshot } from '../src/markdown/screenshot.ts'
import { screenshotsUsed } from './screenshots.ts'

const repositoryRoot = join(import.meta.dirname, '../..')

it('a page’s screenshots are those of the browser tests, in both themes, each once', () => {
  const directory = mkdtempSync(join(tmpdir(), 'threadbox-pages-'))
  try {
    writeFileSync(
      join(directory, 'a.md'),
      '::screenshot{name="thread" alt="A"}\n\n::screenshot{name="agents" alt="B"}\n',
    )
    writeFileSync(
      join(directory, 'b.md'),
      'No ::screenshot{name="none" alt="in a line"}\n\n::screenshot{name="thread" alt="C"}\n',
    )
    expect(screenshotsUsed(directory)).toEqual([
      { from: 'tests/browser/reference/agents-1440-light.webp', to: 'screenshots/agents-light.webp' },
      { from: 'tests/browser/reference/agents-1440-dark.webp', to: 'screenshots/agents-dark.webp' },
      { from: 'tests/browser/reference/thread-1440-light.webp', to: 'screenshots/thread-light.webp' },
      { from: 'tests/browser/reference/thread-1440-dark.webp', to: 'screenshots/thread-dark.webp' },
    ])
  } finally {
    rmSync(directory, { recursive: true })
  }
})

it('every screenshot that a page shows exists', () => {
  expect(screenshotsUsed().filter(({ from }) => !existsSync(join(repositoryRoot, from)))).toEqual([])
})

it('a page shows one of the two, with its text', () => {
  const html = screenshot({ name: 'thread', alt: 'A "thread" & more' })
  expect(html).toContain('class="screenshot dark:sl-hidden" src="/docs/screenshots/thread-light.webp"')
  expect(html).toContain('class="screenshot light:sl-hidden" src="/docs/screenshots/thread-dark.webp"')
  expect(html).toContain('alt="A &quot;thread&quot; &amp; more"')
})
