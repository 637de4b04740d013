import { describe, expect, it } from 'vitest'
import { mathSegments, withMathMarks } from './math.ts'

/** The formulas of a text, display formulas in brackets. */
function formulasOf(markdown: string): string[] {
  return mathSegments(markdown).flatMap(({ kind, text }) =>
    kind === 'text' || kind === 'code' ? [] : [kind === 'inline' ? text : `[${text}]`],
  )
}

describe('formulas in Markdown', () => {
  it('are found between each of the four pairs of delimiters', () => {
    expect(formulasOf('so $x^2$ and \\(y_1\\)')).toEqual(['x^2', 'y_1'])
    expect(formulasOf('$$E = mc^2$$ and \\[a + b\\]')).toEqual(['[E = mc^2]', '[a + b]'])
    expect(formulasOf('$$\n\\frac{a}{b}\n$$\n\n\\[\na\n+ b\n\\]')).toEqual(['[\\frac{a}{b}]', '[a + b]'])
  })

  it('leave the surrounding text unchanged', () => {
    const text = 'a *b* $x$ c\n\n- d \\(y\\) `e`\n'
    expect(mathSegments(text)).toEqual([
      { kind: 'text', text: 'a *b* ' },
      { kind: 'inline', text: 'x' },
      { kind: 'text', text: ' c\n\n- d ' },
      { kind: 'inline', text: 'y' },
      { kind: 'text', text: ' ' },
      { kind: 'code', text: '`e`' },
      { kind: 'text', text: '\n' },
    ])
  })

  it.each([
    'It costs $5 and $10.',
    'between $5 and $6',
    'US$20 or US$30',
    '$20/month instead of $30/month',
    '$1,299.00 (was $1,499.00)',
    '$5 for the first, 10$ for the rest',
    '$5-$10',
    'From $100k to $2M',
    'a $ alone, and a $ again',
    'export A=$HOME and B=$PATH2',
    'escaped \\$x\\$',
    'price: \\$5, then $6',
  ])('are not prices: %s', (text) => {
    expect(mathSegments(text)).toEqual([{ kind: 'text', text }])
  })

  it.each([
    ['$5$', '5'],
    ['$2x + 1$', '2x + 1'],
    ['$10^3$ steps', '10^3'],
    ['$n$-th', 'n'],
    ['($\\alpha$)', '\\alpha'],
    ['$a$, $b$', 'a', 'b'],
    ['costs $5, and $x$ is', 'x'],
  ])('may begin with a number or stand beside punctuation: %s', (text, ...formulas) => {
    expect(formulasOf(text)).toEqual(formulas)
  })

  it('are not found in code', () => {
    for (const text of [
      'run `echo $A$B` now',
      '``a ` $x$``',
      '```bash\necho $x$\n```\n',
      '> ```\n> $x$\n> ```\n',
      '- ~~~~\n  $x$\n  ~~~\n  $y$\n',
      '```\n$x$ and no end',
    ])
      expect(formulasOf(text), text).toEqual([])
    expect(formulasOf('a ` alone and $x$')).toEqual(['x'])
    expect(formulasOf('```\ncode\n```\n$x$')).toEqual(['x'])
  })

  it('do not reach over an empty line, and are not empty or endless', () => {
    expect(formulasOf('\\[ a\n\nb \\]')).toEqual([])
    for (const text of ['$$\n\n$$', '\\(\\)', '$$$$', '$$ $$']) expect(formulasOf(text), text).toEqual([])
    expect(formulasOf(`$$${'x'.repeat(10_001)}$$`)).toEqual([])
  })

  it('keep escaped delimiters, and lose comments when lines are joined', () => {
    expect(formulasOf('$a\\$b$')).toEqual(['a\\$b'])
    expect(formulasOf('\\[ 5\\% % rate\n+ x \\]')).toEqual(['[5\\%  + x]'])
  })

  it('of a hostile text are found in linear time', () => {
    for (const piece of ['$', '\\(', '\\[', '`', '$$ ', '$a ', '```\n', '\\', '`` ` ', 'a$\n']) {
      const text = `${piece.repeat(20_000)}\\) \\] $$ $`
      expect(mathSegments(text).map((segment) => segment.text.length).length, piece).toBeGreaterThan(0)
    }
  })

  it('are written between two dollars in a line and four on a line of their own', () => {
    expect(withMathMarks('for $5: $x$ and \\[y\n+ z\\] `$a$`')).toBe('for $5: $$x$$ and $$$$y + z$$$$ `$a$`')
    expect(withMathMarks('nothing here')).toBe('nothing here')
  })
})
