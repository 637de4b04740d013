import { bridgeLimits, type PageElement, type Region } from './messages.ts'

/** Points sampled in each direction of a region. */
const samples = 7

/** The element at a point, as a region of the viewport. */
export function regionAt(x: number, y: number): Region | null {
  const element = document.elementFromPoint(x, y)
  if (element === null) return null
  const box = element.getBoundingClientRect()
  const left = Math.max(0, box.left)
  const top = Math.max(0, box.top)
  const width = Math.min(innerWidth, box.right) - left
  const height = Math.min(innerHeight, box.bottom) - top
  return width >= 1 && height >= 1 ? { x: left, y: top, width, height } : null
}

/** The elements in a region: those that fill most of their box with it come first, and of equal ones the inner. */
export function elementsUnder(region: Region): PageElement[] {
  const found = new Map<Element, number>()
  for (let row = 0; row < samples; row += 1) {
    for (let column = 0; column < samples; column += 1) {
      const x = region.x + ((column + 0.5) / samples) * region.width
      const y = region.y + ((row + 0.5) / samples) * region.height
      const element = document.elementFromPoint(x, y)
      if (element !== null) found.set(element, (found.get(element) ?? 0) + 1)
    }
  }
  return [...found]
    .sort(([, a], [, b]) => b - a)
    .slice(0, bridgeLimits.elements)
    .map(([element]) => {
      const { width, height } = element.getBoundingClientRect()
      return {
        selector: selectorOf(element).slice(-bridgeLimits.selector),
        text: textOf(element),
        width: Math.round(width),
        height: Math.round(height),
      }
    })
}

function textOf(element: Element): string {
  const label = element.getAttribute('aria-label') ?? element.getAttribute('alt')
  const text = label ?? (element instanceof HTMLElement ? element.innerText : element.textContent) ?? ''
  return text
    .slice(0, 4 * bridgeLimits.elementText)
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, bridgeLimits.elementText)
}

/** A selector for this element, starting at the nearest ancestor with an id. */
function selectorOf(element: Element): string {
  const steps: string[] = []
  for (let at: Element | null = element; at !== null && steps.length < 8; at = at.parentElement) {
    const name = at.tagName.toLowerCase()
    if (at.id !== '') {
      steps.unshift(`${name}#${CSS.escape(at.id)}`)
      break
    }
    const classes = [...at.classList].slice(0, 2).map((name) => `.${CSS.escape(name)}`)
    steps.unshift(name + classes.join('') + placeAmong(at, name))
    if (name === 'body') break
  }
  return steps.join(' > ')
}

function placeAmong(element: Element, name: string): string {
  const same = [...(element.parentElement?.children ?? [])].filter((other) => other.tagName.toLowerCase() === name)
  return same.length < 2 ? '' : `:nth-of-type(${same.indexOf(element) + 1})`
}
