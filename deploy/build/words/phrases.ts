import { englishRules } from './rules/english.ts'
import { germanRules } from './rules/german.ts'
import { nameRules } from './rules/names.ts'
import { renamedNames } from './rules/renamed.ts'
import type { WordRule } from './rules/rule.ts'
import { type Hit, lineOf, type Text } from './text.ts'

/** Every phrase and name that a rule advises against. */
export function phraseHits(texts: readonly Text[]): Hit[] {
  return texts.flatMap((text) => (text.kind === 'names' ? nameHits(text) : wordHits(text)))
}

function wordHits(text: Text): Hit[] {
  return (text.kind === 'german' ? german : english)
    .filter(({ kinds }) => kinds === undefined || kinds.includes(text.kind))
    .flatMap((rule) =>
      [...text.words.matchAll(rule.pattern)].map((match) =>
        hit({ text, rule, matched: match[0], offset: match.index }),
      ),
    )
}

function nameHits(text: Text): Hit[] {
  const of = text.names ?? 'value'
  const rules = nameRules.filter((rule) => {
    return rule.of.includes(of) && rule.pattern.test(rule.inWords ? dashed(text.words) : text.words)
  })
  const newName = Object.hasOwn(renamedNames, text.words) ? renamedNames[text.words] : undefined
  const renamed = newName === undefined ? [] : [{ id: 'name-renamed', advice: `The glossary says ${newName}.` }]
  return [...renamed, ...rules].map((rule) => hit({ text, rule, matched: text.words, offset: 0 }))
}

type Match = { text: Text; rule: { id: string; advice: string }; matched: string; offset: number }

function hit({ text, rule, matched, offset }: Match): Hit {
  const { kind, path, line, words } = text
  const shown = matched.replaceAll(/\s+/g, ' ').trim()
  return { rule: rule.id, kind, path, line: line + lineOf(words, offset) - 1, text: shown, advice: rule.advice }
}

const [english, german] = [englishRules, germanRules].map((rules) => rules.map(acrossLines)) as [WordRule[], WordRule[]]

function acrossLines(rule: WordRule): WordRule {
  return { ...rule, pattern: new RegExp(rule.pattern.source.replaceAll(' ', '\\s+'), `${rule.pattern.flags}g`) }
}

/** `StillPicture` and `STILL_PICTURE` are `still-picture`. */
function dashed(name: string): string {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replaceAll('_', '-')
    .toLowerCase()
}
