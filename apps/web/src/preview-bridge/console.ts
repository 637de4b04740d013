import { bridgeLimits, type ConsoleLevel, type ConsoleLine } from './messages.ts'

const levels: readonly ConsoleLevel[] = ['debug', 'log', 'info', 'warn', 'error']
/** Lines are sent in batches, so that a page that prints endlessly sends a few messages a second. */
const collectMs = 100

/** Reports console output and uncaught errors of the page. The console works as before. */
export function followConsole(tell: (lines: ConsoleLine[], dropped: number) => void): void {
  let lines: ConsoleLine[] = []
  let dropped = 0
  const later = setTimeout
  const now = Date.now
  const flush = () => {
    tell(lines, dropped)
    lines = []
    dropped = 0
  }
  const add = (level: ConsoleLevel, text: string) => {
    if (lines.length === 0 && dropped === 0) later(flush, collectMs)
    if (lines.length >= bridgeLimits.linesPerMessage) dropped += 1
    else lines.push({ level, text: text.slice(0, bridgeLimits.lineText), at: now() })
  }
  const { console: printer } = window
  for (const level of levels) {
    const print = printer[level]
    printer[level] = (...values: unknown[]) => {
      print.apply(printer, values)
      add(level, textOf(values))
    }
  }
  addEventListener(
    'error',
    (event) => {
      const { target } = event
      if (target instanceof Element) add('error', `Could not load ${addressOf(target)}`)
      else add('error', `Uncaught ${described(event.error ?? event.message)}`)
    },
    true,
  )
  addEventListener('unhandledrejection', (event) => add('error', `Uncaught (in promise) ${described(event.reason)}`))
}

function addressOf(element: Element): string {
  return element.getAttribute('src') ?? element.getAttribute('href') ?? element.tagName.toLowerCase()
}

function textOf(values: readonly unknown[]): string {
  try {
    const [format, ...rest] = values
    if (typeof format !== 'string' || !format.includes('%')) return values.map((value) => described(value)).join(' ')
    const text = format.replace(/%[sdifoOcj%]/g, (place) => {
      if (place === '%%') return '%'
      if (place === '%c') {
        rest.shift()
        return ''
      }
      return rest.length === 0 ? place : described(rest.shift())
    })
    return [text, ...rest.map((value) => described(value))].join(' ')
  } catch {
    return '(not readable)'
  }
}

/** A value as text: enough to recognize it, whatever its size. */
function described(value: unknown, depth = 0): string {
  if (typeof value === 'string')
    return depth === 0 ? value.slice(0, bridgeLimits.lineText) : JSON.stringify(value.slice(0, 200))
  if (typeof value === 'function') return `function ${value.name}`
  if (typeof value !== 'object' || value === null) return String(value)
  if (value instanceof Error) return value.stack?.includes(value.message) === true ? value.stack : String(value)
  if (value instanceof Element) return `<${value.tagName.toLowerCase()}>`
  const isArray = Array.isArray(value)
  if (depth >= 2) return isArray ? '[…]' : '{…}'
  const keys = Object.keys(value)
  const shown = keys.slice(0, 20).map((key) => {
    const text = described((value as Record<string, unknown>)[key], depth + 1)
    return isArray ? text : `${key}: ${text}`
  })
  if (keys.length > shown.length) shown.push('…')
  const name = value.constructor?.name ?? 'Object'
  if (isArray) return `[${shown.join(', ')}]`
  return `${name === 'Object' ? '' : `${name} `}{${shown.join(', ')}}`
}
