import { mathMarks } from '@threadbox/protocol/public'
import katex from 'katex'
import type { gfmHtml } from 'micromark-extension-gfm'
import { escapeHtml } from '../../platform/http/escape-html.ts'

/**
 * Writes formulas as MathML, which browsers render natively: a page without scripts needs no font and no style for it.
 * Invalid TeX is shown as source. Formulas cannot link, load or grow without limit.
 */
export function formulaHtml(tex: string, isDisplay: boolean): string {
  if (tex.length > longestFormula) return `<code>${escapeHtml(tex)}</code>`
  return katex.renderToString(tex, {
    displayMode: isDisplay,
    output: 'mathml',
    throwOnError: false,
    trust: false,
    strict: 'ignore',
    maxSize: 20,
    maxExpand: 500,
  })
}

/** In characters; the layout of longer TeX would block the server. */
const longestFormula = 10_000

/** An extension for `micromark-extension-math` without single dollars, for text prepared by `withMathMarks`. */
export function mathHtml(): ReturnType<typeof gfmHtml> {
  let isDisplay = false
  let isFenceOpen = false
  return {
    enter: {
      mathFlow() {
        this.lineEndingIfNeeded()
      },
      mathFlowFenceMeta() {
        this.buffer()
      },
      mathText() {
        isDisplay = false
        this.buffer()
      },
      mathTextSequence(token) {
        isDisplay = this.sliceSerialize(token) === mathMarks.display
      },
    },
    exit: {
      mathFlow() {
        isFenceOpen = false
        this.tag(`<div>${formulaHtml(this.resume().trim(), true)}</div>`)
        this.setData('slurpOneLineEnding')
      },
      mathFlowFence() {
        if (isFenceOpen) return
        isFenceOpen = true
        this.setData('slurpOneLineEnding', true)
        this.buffer()
      },
      mathFlowFenceMeta() {
        this.resume()
      },
      mathFlowValue(token) {
        this.raw(this.sliceSerialize(token))
      },
      mathText() {
        this.tag(formulaHtml(this.resume(), isDisplay))
      },
      mathTextData(token) {
        this.raw(this.sliceSerialize(token))
      },
    },
  }
}
