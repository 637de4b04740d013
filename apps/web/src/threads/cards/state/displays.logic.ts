import type { Display } from '@threadbox/sdk'

export type DisplayItem = Display['items'][number]
export type DisplayKind = 'image' | 'html' | 'pdf' | 'markdown' | 'json' | 'text'

const kinds: readonly { kind: DisplayKind; test: (mediaType: string) => boolean }[] = [
  { kind: 'html', test: (type) => type === 'text/html' },
  { kind: 'image', test: (type) => /^image\/(?:png|jpeg|gif|webp|svg\+xml)$/.test(type) },
  { kind: 'pdf', test: (type) => type === 'application/pdf' },
  { kind: 'markdown', test: (type) => type === 'text/markdown' },
  { kind: 'json', test: (type) => type === 'application/json' },
  { kind: 'text', test: (type) => type.startsWith('text/') },
]

/** The richest form of a result that can be shown here; null if it can only be downloaded. */
export function bestItemOf(display: Display): { kind: DisplayKind; item: DisplayItem } | null {
  for (const item of display.items) {
    const mediaType = item.mediaType.split(';')[0]?.trim() ?? ''
    const known = kinds.find((candidate) => candidate.test(mediaType))
    if (known !== undefined) return { kind: known.kind, item }
  }
  return null
}

/** A small table and its figure are shown side by side; any other results below each other. */
export function isTableWithFigure(displays: readonly Display[]): boolean {
  const [table, figure] = displays.map(bestItemOf)
  if (displays.length !== 2 || table?.kind !== 'html' || figure?.kind !== 'image') return false
  const html = table.item.text ?? ''
  const columns = /<tr[\s\S]*?<\/tr>/.exec(html)?.[0].match(/<t[hd]\b/g)?.length ?? 0
  return columns > 0 && columns <= 4 && html.match(/<table\b/g)?.length === 1
}

/** The text alternative of a figure or table: its plain text, unless that only names an object. */
export function descriptionOf(display: Display): string | null {
  const text = display.items.find((item) => item.mediaType === 'text/plain')?.text?.trim()
  return text === undefined || text === '' || /^<.*>$/s.test(text) ? null : text.slice(0, 300)
}

/** An inline image as an address for an `img`, in which scripts of an SVG don’t run. */
export function imageAddressOf(item: DisplayItem): string | null {
  if (item.text === undefined) return null
  if (item.mediaType === 'image/svg+xml') return `data:image/svg+xml;charset=utf-8,${encodeURIComponent(item.text)}`
  return `data:${item.mediaType};base64,${item.text.replace(/\s/g, '')}`
}
