import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { loadTranslation, translatedLanguages } from '../../apps/web/src/i18n/translations.ts'
import { findErrors } from './docs-sources.ts'

/** Errors of the server that no person meets in the app: said to the model, to programs, or only in the log. */
const elsewhere =
  /^(blob\.|call\.(input-invalid|interrupted|stopped)|command\.|edit\.|file\.(is-binary|too-large|unavailable)|git-credential\.(push-refused|repository-missing|repository-not-covered|request-refused|server-failed|taken-back|token-refused|too-many-requests)|host\.answer-unknown|image\.|page\.|python\.|request\.(cursor-invalid|not-json)|route\.|sandbox\.ended|search\.|secret\.master-key-invalid)/

describe.each(translatedLanguages)('in %s', (language) => {
  it('every error that a person can meet in the app has its sentences, and none is left over', async () => {
    const { errors: translated } = await loadTranslation(language)
    const all = await findErrors(join(import.meta.dirname, '../..'))
    const codes = all.map((error) => error.code)
    const ofServer = all.filter((error) => error.path.startsWith('apps/server/')).map((error) => error.code)
    const missing = ofServer.filter((code) => !elsewhere.test(code) && translated[code] === undefined)
    expect(missing).toEqual([])
    const madeByTheClient = ['server.unreachable', 'server.answer-unknown', 'internal.unexpected']
    expect(Object.keys(translated).filter((code) => !codes.includes(code) && !madeByTheClient.includes(code))).toEqual(
      [],
    )
  })

  it('a sentence names only details that the error has', async () => {
    const { errors: translated } = await loadTranslation(language)
    for (const error of await findErrors(join(import.meta.dirname, '../..'))) {
      const words = translated[error.code]
      if (words === undefined) continue
      const known = `${error.message} ${error.remedy}`
      for (const place of `${words.message} ${words.remedy}`.match(/\{\w+\}/g) ?? []) {
        expect(known, `${error.code} has no ${place}`).toContain(place)
      }
    }
  })
})
