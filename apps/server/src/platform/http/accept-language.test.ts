import { expect, it } from 'vitest'
import { preferredLanguage } from './accept-language.ts'

it('is the most wanted language that there is, else English', () => {
  const chosen = (header: string | undefined) => preferredLanguage(header)
  expect(chosen('it-IT,it;q=0.9,en;q=0.8')).toBe('it')
  expect(chosen('fr, en;q=0.4, DE-at;q=0.6')).toBe('de')
  expect(chosen('en-GB,de;q=0.9')).toBe('en')
  expect(chosen('it;q=0,fr')).toBe('en')
  expect(chosen('ja-JP,ja;q=0.9,en-US;q=0.8')).toBe('ja')
  expect([undefined, '', '*', ';;,q=', 'iti'].map(chosen)).toEqual(['en', 'en', 'en', 'en', 'en'])
})
