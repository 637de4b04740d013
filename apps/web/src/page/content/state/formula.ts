import katex from 'katex'
import 'katex/dist/katex.min.css'

/**
 * Draws a formula into an element; false when the TeX has a mistake, and then the element is left as it was. TeX of a
 * model may neither link nor load anything (`trust`), nor grow without end (`maxExpand`, `maxSize` in em).
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
