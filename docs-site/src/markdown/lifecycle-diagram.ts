import type { Words } from '../words/words.ts'

type LifecycleWords = Words['lifecycle']

const width = 112
const height = 32

/** The centers of the boxes. */
const places = {
  fresh: [66, 40],
  starting: [262, 40],
  active: [458, 40],
  pausing: [654, 40],
  paused: [654, 150],
  waking: [458, 150],
  cold: [654, 260],
  error: [66, 150],
} as const

type Arrow = { label: keyof LifecycleWords['arrows']; path: string; at: readonly [x: number, y: number] }

/** Lines between the edges of boxes; a label is centered at `at`. */
const arrows: readonly Arrow[] = [
  { label: 'firstCommand', path: 'M122 40H202', at: [164, 20] },
  { label: 'ready', path: 'M318 40H398', at: [360, 32] },
  { label: 'idle', path: 'M514 40H594', at: [556, 32] },
  { label: 'saved', path: 'M654 56V130', at: [654, 98] },
  { label: 'message', path: 'M598 150H518', at: [556, 142] },
  { label: 'restored', path: 'M458 134V60', at: [458, 98] },
  { label: 'discarded', path: 'M654 166V240', at: [654, 208] },
  { label: 'nextMessage', path: 'M598 260H262V60', at: [430, 252] },
  { label: 'failed', path: 'M222 56L96 130', at: [150, 88] },
]

/** The states of a sandbox and what leads from one to the next, as SVG in the colors of the app’s state chips. */
export function lifecycleDiagram(words: LifecycleWords): string {
  const lines = arrows.map(({ path }) => `<path d="${path}" marker-end="url(#lifecycle-arrow)"/>`)
  const labels = arrows.map(
    ({ label, at: [x, y] }) => `<text class="on-line" x="${x}" y="${y}">${words.arrows[label]}</text>`,
  )
  const boxes = Object.entries(places).map(([state, [x, y]]) => {
    const box = `<rect x="${x - width / 2}" y="${y - height / 2}" width="${width}" height="${height}" rx="16"/>`
    const name = words.states[state as keyof typeof places]
    return `<g class="state ${state}">${box}<text x="${x}" y="${y + 5}">${name}</text></g>`
  })
  return [
    `<svg class="lifecycle not-content" viewBox="0 0 720 290" role="img" aria-labelledby="lifecycle-title">`,
    `<title id="lifecycle-title">${words.title}</title>`,
    '<defs><marker id="lifecycle-arrow" viewBox="0 0 8 8" refX="6" refY="4" markerWidth="8" markerHeight="8" orient="auto">',
    '<path d="M0 0L8 4L0 8Z"/></marker></defs>',
    ...lines,
    ...labels,
    ...boxes,
    '</svg>',
  ].join('')
}
