import { hide, hideCode, type Text } from '../text.ts'

/** A page without its code, addresses and markup. */
export function textsOfMarkdown(path: string, source: string): Text[] {
  const prose = notProse.reduce(hide, source)
  return [{ kind: 'docs', path, words: hideCode(prose), line: 1 }]
}

const notProse = [
  /^( *)(```|~~~)[\s\S]*?^\1\2/gm,
  /`[^`]+`/g,
  /<!--[\s\S]*?-->|<\/?\w[^>\n]*>/g,
  // The address of a link, not its words.
  /\]\([^)\s]*\)|^\[[^\]]+\]: .*$/gm,
]
