import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineError } from '@threadbox/errors'
import { describe, expect, it } from 'vitest'
import { apiReportPath } from './api-report/api-report.ts'
import { differencesOf } from './api-report/differences.ts'
import { errorsPage, lifecycleDiagram, settingsPage, withSection } from './docs-pages.ts'
import { findErrors, findSettings } from './docs-sources.ts'
import { generateDocs } from './generate-docs.ts'

const root = join(import.meta.dirname, '../..')

describe('generated documentation', () => {
  it('is what the code says today; `npm run docs:generate` brings it up to date', async () => {
    const { [apiReportPath]: report = '', ...pages } = await generateDocs(root)
    for (const [path, text] of Object.entries(pages)) expect(readFileSync(join(root, path), 'utf8'), path).toBe(text)
    const written = JSON.parse(readFileSync(join(root, apiReportPath), 'utf8'))
    expect(differencesOf(written, JSON.parse(report)), 'contracts that changed').toEqual([])
  })

  it('finds settings and errors wherever they are declared', async () => {
    const settings = await findSettings(root)
    const errors = await findErrors(root)
    expect(settings.map(({ setting }) => setting.environment)).toContain('THREADBOX_DATA')
    expect(errors.find((error) => error.code === 'config.setting-invalid')?.message).toBe(
      'The setting {name} is not valid: {problem}',
    )
    expect(new Set(settings.map(({ setting }) => setting.environment)).size).toBe(settings.length)
  })

  it('gives every error a sentence on what to do, with nothing undefined in it', async () => {
    for (const error of await findErrors(root)) {
      expect(error.remedy, error.code).toMatch(/\S/)
      expect(`${error.message} ${error.remedy}`, error.code).not.toMatch(/undefined|NaN|\[object/)
    }
  })
})

describe('pages', () => {
  it('names range and default of a setting', async () => {
    const settings = await findSettings(root)
    const undo = settings.filter(({ name }) => name === 'undoSeconds')
    expect(settingsPage(undo)).toContain(
      '| `THREADBOX_UNDO_SECONDS` | Seconds during which a deleted thread can be restored. | number from 1 to 3600 | `30` |',
    )
  })

  it('keeps a message with a bar inside its table cell', () => {
    const define = defineError({ code: 'x.y', kind: 'invalid', message: () => 'a | b', remedy: () => 'c\n d' })
    const { code, kind, message, remedy } = define({})
    expect(errorsPage([{ path: 'x.errors.ts', code, kind, message, remedy }])).toContain(
      '| `x.y` | `invalid` | a \\| b | c d |',
    )
  })

  it('draws every transition of the table but the one to deletion', () => {
    expect(lifecycleDiagram()).toContain('  fresh --> starting: start-requested')
    expect(lifecycleDiagram()).not.toContain('--> deleting')
  })

  it('refuses a page without the markers of a section', () => {
    expect(() => withSection('text', 'lifecycle', 'x')).toThrow('lifecycle')
  })
})
