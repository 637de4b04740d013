import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { type CardContextValue, CardProvider } from '../state/card-context.ts'
import { Markdown } from './markdown.tsx'

/** Renders on the server: nothing is loaded, nothing is clicked. */
function shown(text: string): string {
  return renderToStaticMarkup(
    <CardProvider value={actions}>
      <Markdown>{text}</Markdown>
    </CardProvider>,
  )
}

const actions: CardContextValue = {
  threadId: 't1',
  knownPaths: new Set(),
  showFile: () => {},
  stop: () => {},
  runAgain: () => {},
  decide: async () => true,
  ask: () => {},
}

test('formulas show their TeX until they are rendered, inline and on lines of their own', () => {
  expect(shown('so $x^2$ and \\(y_1\\)').match(/<span class="formula"><code>/g)).toHaveLength(2)
  const lines = shown('$$E = mc^2$$\n\n- item \\[\na\n+ b\n\\]\n\n```math\nc\n```\n\n$$\nd\n\ne\n$$')
  expect(lines.match(/formula formula--display/g)).toHaveLength(4)
  expect(lines).toContain('<code>a + b</code>')
})

test('a price in dollars stays a price, and code stays code', () => {
  const text = shown('It costs $5 and $10, `echo $A$B`.')
  expect(text).toContain('It costs $5 and $10, <code>echo $A$B</code>')
  expect(text).not.toContain('formula')
})

test('underscores and asterisks in a formula are not emphasis', () => {
  expect(shown('\\(a_1 * b_2 * c_3\\)')).toContain('<code>a_1 * b_2 * c_3</code>')
})
