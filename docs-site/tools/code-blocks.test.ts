import { execFileSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { slashCommandIn } from '../../apps/server/src/turns/engine/slash-command.logic.ts'
import { contentDirectory } from './translations.ts'

type CodeBlock = { page: string; language: string; mark: string; text: string }

const blocks = globSync('**/*.md', { cwd: contentDirectory })
  .sort()
  .flatMap((page): CodeBlock[] =>
    [...readFileSync(join(contentDirectory, page), 'utf8').matchAll(/^```(\S+)(?: (.*))?\n([\s\S]*?)\n```$/gm)].map(
      ([, language = '', mark = '', text = '']) => ({ page, language, mark, text }),
    ),
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
