import bash from 'highlight.js/lib/languages/bash'
import c from 'highlight.js/lib/languages/c'
import cpp from 'highlight.js/lib/languages/cpp'
import css from 'highlight.js/lib/languages/css'
import diff from 'highlight.js/lib/languages/diff'
import dockerfile from 'highlight.js/lib/languages/dockerfile'
import go from 'highlight.js/lib/languages/go'
import ini from 'highlight.js/lib/languages/ini'
import java from 'highlight.js/lib/languages/java'
import javascript from 'highlight.js/lib/languages/javascript'
import json from 'highlight.js/lib/languages/json'
import markdown from 'highlight.js/lib/languages/markdown'
import python from 'highlight.js/lib/languages/python'
import r from 'highlight.js/lib/languages/r'
import rust from 'highlight.js/lib/languages/rust'
import sql from 'highlight.js/lib/languages/sql'
import typescript from 'highlight.js/lib/languages/typescript'
import xml from 'highlight.js/lib/languages/xml'
import yaml from 'highlight.js/lib/languages/yaml'
import { createLowlight } from 'lowlight'
import type { CodeToken } from './code-tokens.logic.ts'
import { tokensOfTree } from './code-tokens.logic.ts'

const lowlight = createLowlight({
  bash,
  c,
  cpp,
  css,
  diff,
  dockerfile,
  go,
  ini,
  java,
  javascript,
  json,
  markdown,
  python,
  r,
  rust,
  sql,
  typescript,
  xml,
  yaml,
})
lowlight.registerAlias({ bash: ['sh', 'shell', 'zsh', 'console'], ini: ['toml'], xml: ['html', 'svg', 'vue'] })

/** Splits code into tokens for coloring; null for an unknown language. */
export function highlight(code: string, language: string): CodeToken[] | null {
  const name = language.toLowerCase()
  return lowlight.registered(name) ? tokensOfTree(lowlight.highlight(name, code)) : null
}
