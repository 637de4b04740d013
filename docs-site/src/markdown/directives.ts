import { readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import type { MdastPluginEntry } from 'satteri'
import { translationLanguages } from '../../tools/translation-state.ts'
import { type Language, words } from '../words/words.ts'
import { lifecycleDiagram } from './lifecycle-diagram.ts'
import { screenshot } from './screenshot.ts'

const examples = join(import.meta.dirname, '../../examples')

/**
 * What pages can hold besides Markdown: `::lifecycle-diagram`; `::screenshot{name="thread" alt="…"}` for a screen of the
 * app; and `::example{file="stream.ts"}` for a program from `examples/`, which is checked and run where it stands.
 */
export const directives: MdastPluginEntry = ({ fileURL }) => ({
  name: 'threadbox-directives',
  leafDirective(node) {
    if (node.name === 'lifecycle-diagram') {
      return { type: 'html', value: lifecycleDiagram(words[languageOf(fileURL)].lifecycle) }
    }
    if (node.name === 'screenshot') {
      const { name, alt } = node.attributes ?? {}
      if (!name || !alt) throw new Error('A screenshot needs a name and an alt text')
      return { type: 'html', value: screenshot({ name, alt }) }
    }
    const file = node.name === 'example' ? node.attributes?.file : undefined
    if (typeof file !== 'string') return undefined
    return { type: 'code', lang: extname(file).slice(1), value: readFileSync(join(examples, file), 'utf8').trimEnd() }
  },
})

function languageOf(address: URL | undefined): Language {
  const folder = /\/content\/docs\/(\w+)\//.exec(address?.pathname ?? '')?.[1]
  return translationLanguages.find((language) => language === folder) ?? 'en'
}
