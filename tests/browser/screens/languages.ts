import type { Page } from 'playwright-core'
import { en } from '../../../apps/web/src/i18n/en/index.ts'
import { loadTranslation, type TranslatedLanguage } from '../../../apps/web/src/i18n/translations.ts'
import { namesSomething, translatablePart } from './not-translated.ts'

/** What a screen shows: its texts and names, and what of them can't be read. */
export type Shown = {
  texts: string[]
  /** Texts that are cut off, or that end in an ellipsis. */
  cut: string[]
  /** Pairs of texts that lie over each other. */
  overlapping: string[]
}

/** As when the person changes the language of the browser. */
export async function showLanguage(page: Page, language: string): Promise<void> {
  await page.evaluate(`(() => {
    Object.defineProperty(navigator, 'languages', { value: ['${language}'], configurable: true })
    dispatchEvent(new Event('languagechange'))
  })()`)
  await page.locator(`html[lang=${language}]`).waitFor()
}

export async function readShown(page: Page): Promise<Shown> {
  return await page.evaluate<Shown>(`(${readInPage})()`)
}

/** What is wrong with a screen in a language, compared with the same screen in English. */
export async function findUntranslated(
  { english, shown }: { english: Shown; shown: Shown },
  language: TranslatedLanguage,
): Promise<string[]> {
  const leaks = await findEnglish(shown.texts, language)
  const without = (known: readonly string[]) => (text: string) => !known.includes(text)
  return [
    ...leaks.map((text) => `English: ${text}`),
    // A long name of a person's thing may end in an ellipsis.
    ...shown.cut
      .filter((text) => without(english.cut)(text) && !namesSomething(text))
      .map((text) => `cut off: ${text}`),
    // Two names that overlap in English, too, are other ones here.
    ...(shown.overlapping.length > english.overlapping.length
      ? shown.overlapping.map((pair) => `overlapping: ${pair}`)
      : []),
  ]
}

/** Words that none of the other languages has. */
const englishWord =
  /\b(?:the|of|and|with|not|you|your|this|that|from|were|has|have|been|will|when|which|its|it’s|can’t)\b/i
/** Japanese is not written in these letters. */
const latinWord = /[a-z]{3,}/i

async function findEnglish(texts: readonly string[], language: TranslatedLanguage): Promise<string[]> {
  const translated = await patternsIn(language)
  return texts.filter((text) => {
    const isSuspicious = language === 'ja' ? latinWord : englishWord
    const isEnglish = englishTexts.has(text) || isSuspicious.test(translatablePart(text))
    return isEnglish && !translated.some((pattern) => pattern.test(text))
  })
}

type Texts = { [key: string]: string | Texts }

function leavesOf(texts: Texts): string[] {
  return Object.values(texts).flatMap((value) => (typeof value === 'string' ? [value] : leavesOf(value)))
}

/** `Owner` is also the name of the person in the example data. */
const englishTexts = new Set(leavesOf(en).filter((text) => text.length > 3 && text !== 'Owner'))

const patterns = new Map<TranslatedLanguage, Promise<RegExp[]>>()

/** Compiled once for all screens. */
function patternsIn(language: TranslatedLanguage): Promise<RegExp[]> {
  const known = patterns.get(language) ?? loadTranslation(language).then(({ texts }) => patternsOf(texts))
  patterns.set(language, known)
  return known
}

/**
 * Each text as it can be on a screen: any value in a place, and tags around parts of it. A text that is little more than
 * a value would match everything.
 */
function patternsOf(texts: object): RegExp[] {
  return leavesOf(texts as Texts)
    .map((text) => text.replaceAll(/<\/?\w+\/?>/g, '').split(/\{\{[^}]*\}\}/))
    .filter((parts) => parts.length === 1 || parts.join('').length > 7)
    .map((parts) => {
      const escaped = parts.map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
      return new RegExp(`^${escaped.join('.*')}$`, 's')
    })
}

/** Runs in the browser. */
const readInPage = `() => {
  const isShown = (element) => element.checkVisibility({ visibilityProperty: true, opacityProperty: true })
  const clean = (text) => text.replace(/\\s+/g, ' ').trim()
  const texts = new Set()
  const cut = new Set()
  const boxes = []
  // What of a line is in sight. What is scrolled out of sight is not cut off.
  const clip = (element, box) => {
    const seen = { left: box.left, right: box.right, top: box.top, bottom: box.bottom, isCut: false }
    let isScrolled = false
    for (let outer = element; outer !== null && outer !== document.body; outer = outer.parentElement) {
      const style = getComputedStyle(outer)
      if (style.overflowX === 'visible' && style.overflowY === 'visible') continue
      const frame = outer.getBoundingClientRect()
      const scrolls = [style.overflowX, style.overflowY].some((overflow) => overflow === 'auto' || overflow === 'scroll')
      isScrolled ||= scrolls
      if (!isScrolled && box.right > frame.right + 1) seen.isCut = true
      seen.left = Math.max(seen.left, frame.left)
      seen.right = Math.min(seen.right, frame.right)
      seen.top = Math.max(seen.top, frame.top)
      seen.bottom = Math.min(seen.bottom, frame.bottom)
      if (style.position === 'fixed') break
    }
    return seen.right - seen.left < 2 || seen.bottom - seen.top < 2 ? undefined : seen
  }
  // What lies under a dialog or a menu is read on the screen without it.
  const top = [...document.querySelectorAll('[role=dialog], [role=menu], [role=alertdialog]')].filter(isShown).at(-1)
  const walker = document.createTreeWalker(top ?? document.body, NodeFilter.SHOW_TEXT)
  while (walker.nextNode()) {
    const { currentNode: node } = walker
    const element = node.parentElement
    const text = clean(node.nodeValue)
    if (text === '' || element === null || !isShown(element) || element.closest('script, style, code, pre, .mono, .xterm, [inert]')) continue
    texts.add(text)
    const range = document.createRange()
    range.selectNodeContents(node)
    for (const box of range.getClientRects()) {
      const seen = clip(element, box)
      if (seen === undefined) continue
      if (seen.isCut) cut.add(text)
      boxes.push({ element, text, box: seen })
    }
  }
  for (const element of (top ?? document.body).querySelectorAll('[aria-label], [title], [placeholder], [alt]')) {
    if (!isShown(element) || element.closest('[inert]')) continue
    for (const name of ['aria-label', 'title', 'placeholder', 'alt']) {
      const text = clean(element.getAttribute(name) ?? '')
      if (text !== '') texts.add(text)
    }
  }
  const overlapping = []
  for (const [index, one] of boxes.entries()) {
    for (const other of boxes.slice(index + 1)) {
      const width = Math.min(one.box.right, other.box.right) - Math.max(one.box.left, other.box.left)
      const height = Math.min(one.box.bottom, other.box.bottom) - Math.max(one.box.top, other.box.top)
      const isInside = one.element.contains(other.element) || other.element.contains(one.element)
      if (width > 3 && height > 4 && !isInside && one.element.offsetParent === other.element.offsetParent) {
        overlapping.push(one.text + ' / ' + other.text)
      }
    }
  }
  return { texts: [...texts], cut: [...cut], overlapping }
}`
