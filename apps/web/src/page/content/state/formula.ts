import katex from 'katex'
import 'katex/dist/katex.min.css'

/**
 * Renders a formula into an element. False if the TeX has a mistake; the element is unchanged then. TeX of a model
 * can’t link or load anything (`trust`), and can’t grow without bounds (`maxExpand`, `maxSize` in em).
 */
export function drawFormula(element: HTMLElement, tex: string, isDisplay: boolean): boolean {
  try {
    const html = katex.renderToString(tex, {
      displayMode: isDisplay,
      throwOnError: true,
      trust: false,
      strict: 'ignore',
      maxSize: 20,
      maxExpand: 500,
    })
    element.innerHTML = html
    return true
  } catch (error) {
    if (error instanceof katex.ParseError) return false
    throw error
  }
}
