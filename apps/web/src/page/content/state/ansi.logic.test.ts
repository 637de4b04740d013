import { describe, expect, test } from 'vitest'
import { ansiSpans, lastLineOf, lastLines, plainOutput } from './ansi.logic.ts'

const esc = '\u001b'

describe('terminal output', () => {
  test('colors and weight become pieces, the rest of the text stays plain', () => {
    expect(ansiSpans(`a ${esc}[1;31mred${esc}[0m b`)).toEqual([
      { text: 'a ', color: null, isBold: false, isDim: false },
      { text: 'red', color: 1, isBold: true, isDim: false },
      { text: ' b', color: null, isBold: false, isDim: false },
    ])
  })

  test('bright colors differ from normal ones; of 256 colors only the first sixteen are kept', () => {
    expect(ansiSpans(`${esc}[92mok`)[0]?.color).toBe(10)
    expect(ansiSpans(`${esc}[38;5;9mred`)[0]?.color).toBe(9)
    expect(ansiSpans(`${esc}[38;5;200mpink`)[0]?.color).toBeNull()
    expect(ansiSpans(`${esc}[38;2;1;2;31mtrue`)[0]).toEqual({ text: 'true', color: null, isBold: false, isDim: false })
  })

  test('cursor movements, titles, links and other sequences leave no trace', () => {
    const output = `${esc}[2K${esc}[1Gone${esc}]0;title\u0007 ${esc}]8;;https://example.org${esc}\\two${esc}(B\u0008`
    expect(plainOutput(output)).toBe('one two')
  })

  test('only the last state of a progress bar stays', () => {
    expect(plainOutput('10%\r50%\r100%\ndone\r\n')).toBe('100%\ndone\n')
  })

  test('a sequence that is not complete yet does not hide the text after it', () => {
    expect(plainOutput(`text ${esc}[3`)).toContain('text')
  })

  test('the last line is the last one with visible text', () => {
    expect(lastLineOf(`first\n${esc}[32m second ${esc}[0m\n\n  \n`)).toBe('second')
    expect(lastLineOf('')).toBe('')
  })

  test('the end of an output has the requested number of lines and counts the hidden ones', () => {
    expect(lastLines('1\n2\n3\n4\n', 2)).toEqual({ text: '3\n4', hidden: 2 })
    expect(lastLines('1', 12)).toEqual({ text: '1', hidden: 0 })
  })

  test('half a million lines are read in well under a second', () => {
    const flood = `${esc}[32mline${esc}[0m of output\n`.repeat(500_000)
    const startedAt = performance.now()
    lastLines(flood, 12)
    expect(performance.now() - startedAt).toBeLessThan(1000)
  })
})
