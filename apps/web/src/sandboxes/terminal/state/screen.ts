import { FitAddon } from '@xterm/addon-fit'
import { WebLinksAddon } from '@xterm/addon-web-links'
import { type ITheme, Terminal } from '@xterm/xterm'
import { copyText } from '../../../page/client/copy-text.ts'
import { terminalKey } from './keys.logic.ts'
import type { LinkState } from './link.logic.ts'
import { isReport } from './reports.logic.ts'
import { linkTerminal } from './terminal-link.ts'

/** Drawn bytes are acknowledged at least this often while more output comes. */
const ackEveryBytes = 64 * 1024
const scrollbackLines = 5000

export type ScreenOptions = {
  element: HTMLElement
  addressAfter: (offset: number) => string
  label: string
  isScreenReader: boolean
  onState: (state: LinkState) => void
  onLink: (address: string) => void
}

/** A terminal on the page. */
export type Screen = {
  focus(): void
  copySelection(): void
  type(text: string): void
  wake(): void
  setScreenReader(isOn: boolean): void
  setLabel(label: string): void
  dispose(): void
}

export function openScreen(options: ScreenOptions): Screen {
  const { element } = options
  const terminal = new Terminal({
    theme: themeOf(element),
    scrollback: scrollbackLines,
    screenReaderMode: options.isScreenReader,
    ...fontOf(element),
    cursorBlink: false,
    rightClickSelectsWord: false,
    linkHandler: { activate: (_event, address) => options.onLink(address) },
  })
  const fit = new FitAddon()
  terminal.loadAddon(fit)
  terminal.loadAddon(new WebLinksAddon((_event, address) => options.onLink(address)))
  terminal.open(element)
  const drawing = makeDrawing(terminal, (offset) => link.drawn(offset))
  /** All views of a terminal share one size: that of the view that was used last. */
  const claim = () => {
    const size = fit.proposeDimensions()
    const isSeen = element.clientWidth > 0 && document.visibilityState === 'visible'
    if (size === undefined || !isSeen || !(size.cols >= 2) || !(size.rows >= 1)) return
    if (size.cols === terminal.cols && size.rows === terminal.rows) return
    terminal.resize(size.cols, size.rows)
    link.resize(size)
  }
  const link = linkTerminal(options.addressAfter, {
    onState: options.onState,
    onOutput: drawing.draw,
    onFrame: (frame) => {
      if (frame.type === 'start') drawing.begin(frame)
      if (frame.type === 'start' && frame.isReset) {
        // Written in the order of the output, so that output that waits to be drawn is cleared too.
        terminal.write(`\x1bc${frame.modes}`)
      }
      if (frame.type !== 'start' && frame.type !== 'resized') return
      if (frame.cols >= 2 && frame.rows >= 1) terminal.resize(frame.cols, frame.rows)
      if (frame.type === 'start') claim()
    },
  })
  const copySelection = () => {
    if (terminal.hasSelection()) void copyText(terminal.getSelection())
  }
  terminal.attachCustomKeyEventHandler((event) => {
    const key = terminalKey(event)
    if (key === 'copy') {
      event.preventDefault()
      if (event.type === 'keydown') copySelection()
    }
    // The browser handles paste, and turns every other key that isn’t handled here into one for the page.
    return key === 'terminal'
  })
  replyOnlyIf(terminal, () => !drawing.isRepetition() && document.visibilityState === 'visible')
  terminal.onData((text) => (isReport(text) ? link.report(text) : link.type(text)))
  const setLabel = (label: string) => terminal.textarea?.setAttribute('aria-label', label)
  setLabel(options.label)
  terminal.textarea?.addEventListener('focus', claim)
  const resized = new ResizeObserver(claim)
  resized.observe(element)
  return {
    copySelection,
    setLabel,
    focus: () => terminal.focus(),
    type: (text) => {
      link.type(text)
      terminal.focus()
    },
    wake: () => link.wake(),
    setScreenReader: (isOn) => {
      terminal.options.screenReaderMode = isOn
    },
    dispose: () => {
      resized.disconnect()
      link.close()
      terminal.dispose()
    },
  }
}

/**
 * Acknowledges what has been drawn, so that the server never sends more than can be drawn, and recognizes repeated
 * output.
 */
function makeDrawing(terminal: Terminal, drawn: (offset: number) => void) {
  let waiting = 0
  let reached = 0
  let liveFrom = 0
  let acknowledged = 0
  return {
    begin: (frame: { offset: number; liveFrom: number }) => {
      reached = frame.offset
      liveFrom = frame.liveFrom
    },
    isRepetition: () => reached < liveFrom,
    draw: (data: Uint8Array, end: number) => {
      waiting += 1
      terminal.write(data, () => {
        waiting -= 1
        reached = end
        if (waiting > 0 && Math.abs(end - acknowledged) < ackEveryBytes) return
        acknowledged = end
        drawn(end)
      })
    },
  }
}

/**
 * Programs ask a terminal what it is, and read the reply as input. Questions from before this view were answered then,
 * or their programs no longer wait. Of several views only a visible one replies.
 */
function replyOnlyIf(terminal: Terminal, canReply: () => boolean): void {
  const { parser } = terminal
  const questions = [
    { final: 'c' },
    { prefix: '>', final: 'c' },
    { prefix: '=', final: 'c' },
    { final: 'n' },
    { prefix: '?', final: 'n' },
    { intermediates: '$', final: 'p' },
    { prefix: '?', intermediates: '$', final: 'p' },
    { prefix: '>', final: 'q' },
  ]
  for (const question of questions) parser.registerCsiHandler(question, () => !canReply())
  parser.registerDcsHandler({ intermediates: '$', final: 'q' }, () => !canReply())
  for (const color of [4, 10, 11, 12]) {
    parser.registerOscHandler(color, (data) => data.includes('?') && !canReply())
  }
}

const colors = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'] as const

/** The colors of the design tokens. */
function themeOf(element: HTMLElement): ITheme {
  const style = getComputedStyle(element)
  const token = (name: string) => style.getPropertyValue(`--term-${name}`).trim()
  const pairs = colors.flatMap((name) => [
    [name, token(name)],
    [`bright${name[0]?.toUpperCase()}${name.slice(1)}`, token(`bright-${name}`)],
  ])
  return {
    ...Object.fromEntries(pairs.filter(([, value]) => value !== '')),
    background: token('bg'),
    foreground: token('text'),
    cursor: token('text'),
    cursorAccent: token('bg'),
    selectionBackground: token('selection'),
  }
}

function fontOf(element: HTMLElement) {
  const style = getComputedStyle(element)
  const fontSize = Number.parseFloat(style.fontSize) || 12.5
  return { fontFamily: style.fontFamily, fontSize, lineHeight: 1.2, letterSpacing: 0 }
}
