import { hide, hideCode, type Text } from '../text.ts'

/** A page without its code, addresses and markup. */
export function textsOfMarkdown(path: string, source: string): Text[] {
  const prose = notProse.reduce(hide, source)
  return [
    {
      kind: path.startsWith('docs-site/src/content/docs/de/') ? 'german' : 'docs',
      path,
      words: hideCode(prose),
      line: 1,
    },
  ]
}

const notProse = [
  /^( *)(```|~~~)[\s\S]*?^\1\2/gm,
  /`[^`]+`/g,
  /<!--[\s\S]*?-->|<\/?\w[^>\n]*>/g,
  // The name of an anchor, what a directive puts in, and the fingerprint of a translation.
  /\{#[^}\s]+\}|^::[\w-]+.*$|^original: .*$/gm,
  // The address of a link, not its words.
  /\]\([^)\s]*\)|^\[[^\]]+\]: .*$/gm,
]
