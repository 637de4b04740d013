import { describe, expect, it } from 'vitest'
import { excerptOfText, formatBytes } from '../../platform/texts/excerpt.logic.ts'
import { emptyOutputWindow, nextShown, tailOf, withOutput } from '../record/output-window.logic.ts'
import { messageForCall, slashCommandIn } from './slash-command.logic.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

describe('the live window of an output', () => {
  it('contains every byte once, whatever the chunk sizes, and never half a character', () => {
    const whole = 'grüße 🎉 naïve ✓\n'.repeat(200)
    const data = bytes(whole)
    for (const size of [1, 2, 3, 5, 7, 4096]) {
      let window = emptyOutputWindow
      let shown = ''
      let at = 0
      for (let from = 0; from < data.length; from += size) {
        window = withOutput(window, data.slice(from, from + size))
        const next = nextShown(window)
        if (next === undefined) continue
        expect(next.offset).toBe(at)
        at = next.sizeBytes
        shown += next.text
        window = next.window
      }
      expect(shown).toBe(whole)
      expect(nextShown(window)).toBeUndefined()
    }
  })

  it('contains only the end when more arrived than it holds, and says where that starts', () => {
    const window = withOutput(emptyOutputWindow, bytes('é'.repeat(20_000)))
    const next = nextShown(window)
    expect(next).toMatchObject({ sizeBytes: 40_000 })
    expect((next?.offset ?? 0) + bytes(next?.text ?? '').length).toBe(40_000)
    expect(next?.text.includes('\ufffd')).toBe(false)
    const { tail, tailOffset } = tailOf(window)
    expect(tailOffset + bytes(tail).length).toBe(40_000)
  })

  it('bytes that are not text do not stop it', () => {
    const window = withOutput(emptyOutputWindow, new Uint8Array([0xff, 0x80, 0x41, 0xc3]))
    expect(nextShown(window)).toMatchObject({ offset: 0, sizeBytes: 3 })
  })
})

describe('an output for the model', () => {
  it('is complete if it fits, otherwise its beginning and end with a line that says what is missing', () => {
    expect(excerptOfText('short', 100)).toEqual({ text: 'short', isWhole: true })
    const lines = Array.from({ length: 1000 }, (_, index) => `line ${index}`).join('\n')
    const { text, isWhole } = excerptOfText(lines, 300)
    expect(isWhole).toBe(false)
    expect(text.startsWith('line 0\nline 1\n')).toBe(true)
    expect(text.endsWith('line 999')).toBe(true)
    expect(text).toMatch(/\[… 8\.\d KiB of 8\.7 KiB omitted …\]/)
    expect(text.length).toBeLessThan(400)
  })

  it('states sizes in fitting units', () => {
    expect([0, 1, 1023, 1024, 1536, 1048576, 5 * 2 ** 30].map(formatBytes)).toEqual([
      '0 B',
      '1 B',
      '1023 B',
      '1.0 KiB',
      '1.5 KiB',
      '1.0 MiB',
      '5.0 GiB',
    ])
  })
})

describe('slash commands', () => {
  it('are only the known words, so a message that begins with a path stays a message', () => {
    expect(slashCommandIn('/home/user/a.csv: what is this?')).toBeUndefined()
    expect(slashCommandIn('/runner up')).toBeUndefined()
    expect(slashCommandIn('please /run ls')).toBeUndefined()
    expect(slashCommandIn('/run')).toEqual({ kind: 'help' })
    expect(slashCommandIn('/run ls -la\necho b')).toEqual({ kind: 'run', command: 'ls -la\necho b' })
    expect(slashCommandIn('/python\n```python\nprint(1)\n```')).toEqual({ kind: 'python', code: 'print(1)' })
    expect(slashCommandIn('/share ~/a file.csv ')).toEqual({ kind: 'share', path: '~/a file.csv' })
    expect(slashCommandIn('/serve 8000 python3 -m http.server 8000')).toEqual({
      kind: 'serve',
      port: 8000,
      command: 'python3 -m http.server 8000',
    })
    for (const wrong of ['/serve', '/serve 8000', '/serve python3', '/serve 70000 ls', '/serve 0 ls']) {
      expect(slashCommandIn(wrong)).toEqual({ kind: 'help' })
    }
    expect(slashCommandIn(' /help ')).toEqual({ kind: 'help' })
  })

  it('can repeat a call', () => {
    const again = messageForCall('run_command', { command: 'echo "a  b"\nls' })
    expect(slashCommandIn(again ?? '')).toEqual({ kind: 'run', command: 'echo "a  b"\nls' })
    const served = messageForCall('start_service', { name: 'port-80', port: 80, command: 'a  b' })
    expect(slashCommandIn(served ?? '')).toEqual({ kind: 'serve', port: 80, command: 'a  b' })
    expect(messageForCall('write_file', { path: 'a', content: 'b' })).toBeUndefined()
  })
})
