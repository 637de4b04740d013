import { describe, expect, it } from 'vitest'
import { isNetworkSetting, wordsOf } from './setting-groups.ts'
import { bytesOfText, fieldTextOf, textOfBytes, unitOf, valueOfField } from './setting-value.ts'

const GiB = 1024 ** 3

describe('settings with a unit in their name', () => {
  it('takes the unit from the end of the name', () => {
    expect(unitOf('memoryBytes')).toBe('bytes')
    expect(unitOf('turnTimeMinutes')).toBe('minutes')
    expect(unitOf('THREADBOX_MAX_TURN_USD')).toBe('usd')
    expect(unitOf('titleModel')).toBe('none')
  })

  it.each([
    [4 * GiB, '4 GiB'],
    [1.5 * GiB, '1.5 GiB'],
    [1_000_000_000, '976562.5 KiB'],
    [512, '512 B'],
    [0, '0 B'],
  ])('shows %d bytes exactly as %s', (bytes, text) => {
    expect(textOfBytes(bytes)).toBe(text)
    expect(bytesOfText(text)).toBe(bytes)
  })

  it('parses sizes as people write them', () => {
    expect(bytesOfText('4G')).toBe(4 * GiB)
    expect(bytesOfText('4096 mb')).toBe(4 * GiB)
    expect(bytesOfText('0,5 GiB')).toBe(GiB / 2)
    expect(bytesOfText('much')).toBeNaN()
    expect(bytesOfText('4 parsecs')).toBeNaN()
    expect(bytesOfText('-4 GiB')).toBeNaN()
  })
})

describe('the field of a setting', () => {
  const minutes = { name: 'turnMinutes', value: 30, default: 30 }

  it('returns the value that it was given', () => {
    expect(valueOfField(minutes, fieldTextOf(minutes))).toBe(30)
    const memory = { name: 'memoryBytes', value: 4 * GiB, default: 4 * GiB }
    expect(valueOfField(memory, fieldTextOf(memory))).toBe(4 * GiB)
  })

  it('parses an empty field as “back to the default”', () => {
    expect(valueOfField(minutes, '  ')).toBeNull()
  })

  it('rejects invalid numbers', () => {
    expect(valueOfField(minutes, 'soon')).toBeUndefined()
    expect(valueOfField(minutes, 'Infinity')).toBeUndefined()
  })

  it('leaves text unchanged', () => {
    expect(valueOfField({ name: 'baseDomain', value: null, default: '' }, ' box.example ')).toBe('box.example')
  })
})

describe('names of settings', () => {
  it('are split into words, whichever way they are written', () => {
    expect(wordsOf('sandboxMemoryBytes')).toEqual(['sandbox', 'memory', 'bytes'])
    expect(wordsOf('THREADBOX_LISTEN_HOST')).toEqual(['listen', 'host'])
  })

  it('determine which belong on the page Network', () => {
    const network = ['THREADBOX_LISTEN_HOST', 'THREADBOX_PORT', 'THREADBOX_BASE_DOMAIN', 'THREADBOX_ALLOWED_HOSTS']
    expect(network.every(isNetworkSetting)).toBe(true)
    expect(['THREADBOX_HOST_SOCKET', 'sandboxCpus', 'supportText'].some(isNetworkSetting)).toBe(false)
  })
})
