import { join } from 'node:path'
import { expect, it } from 'vitest'
import { errors as german } from '../../apps/web/src/i18n/de/errors.ts'
import { errors as italian } from '../../apps/web/src/i18n/it/errors.ts'
import { findErrors } from './docs-sources.ts'

/** Errors of the server that no person meets in the app: said to the model, to programs, or only in the log. */
const elsewhere =
  /^(blob\.|call\.(input-invalid|interrupted|stopped)|command\.|edit\.|file\.(is-binary|too-large|unavailable)|git-credential\.(push-refused|repository-missing|repository-not-covered|request-refused|server-failed|taken-back|token-refused|too-many-requests)|host\.answer-unknown|image\.|page\.|python\.|request\.(cursor-invalid|not-json)|route\.|sandbox\.ended|search\.|secret\.master-key-invalid)/

const languages = { German: german, Italian: italian }

it.each(Object.entries(languages))(
  'every error that a person can meet in the app has its sentences in %s, and none is left over',
  async (_language, words) => {
    const all = await findErrors(join(import.meta.dirname, '../..'))
    const codes = all.map((error) => error.code)
    const ofServer = all.filter((error) => error.path.startsWith('apps/server/')).map((error) => error.code)
    const missing = ofServer.filter((code) => !elsewhere.test(code) && words[code] === undefined)
    expect(missing).toEqual([])
    const madeByTheClient = ['server.unreachable', 'server.answer-unknown', 'internal.unexpected']
    expect(Object.keys(words).filter((code) => !codes.includes(code) && !madeByTheClient.includes(code))).toEqual([])
  },
)

it.each(Object.entries(languages))('a sentence in %s names only details that the error has', async (_language, all) => {
  for (const error of await findErrors(join(import.meta.dirname, '../..'))) {
    const words = all[error.code]
    if (words === undefined) continue
    const known = `${error.message} ${error.remedy}`
    for (const place of `${words.message} ${words.remedy}`.match(/\{\w+\}/g) ?? []) {
      expect(known, `${error.code} has no ${place}`).toContain(place)
    }
  }
})
