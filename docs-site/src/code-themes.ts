import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const tokens = readFileSync(join(import.meta.dirname, '../../apps/web/src/styles/tokens.css'), 'utf8')

/** Colors of code as in the app: a theme for the highlighter out of the tokens of one of the two themes. */
export function codeTheme(type: 'light' | 'dark') {
  const block = tokens.slice(tokens.indexOf(`[data-theme="${type}"]{`))
  const color = (name: string) => {
    const found = new RegExp(`--${name}:(#[0-9a-f]+)`).exec(block)?.[1]
    if (found === undefined) throw new Error(`The token --${name} is not in tokens.css.`)
    return found
  }
  return {
    name: `threadbox-${type}`,
    type,
    colors: { 'editor.background': color('sunken'), 'editor.foreground': color('text') },
    tokenColors: [
      { scope: ['comment', 'punctuation.definition.comment'], settings: { foreground: color('c-com') } },
      { scope: ['string', 'string.quoted', 'punctuation.definition.string'], settings: { foreground: color('c-str') } },
      { scope: ['constant.numeric', 'constant.language'], settings: { foreground: color('c-num') } },
      { scope: ['keyword', 'storage', 'support.type.property-name'], settings: { foreground: color('c-key') } },
    ],
  }
}
