import { beforeAll, expect, it } from 'vitest'
import { type Dictionaries, loadDictionaries, spellingHits } from './spelling.ts'
import type { Kind } from './text.ts'

let dictionaries: Dictionaries

beforeAll(async () => {
  dictionaries = await loadDictionaries({ english: ['btrfs'], german: ['Sandboxes'] })
})

function misspelled(words: string, kind: Kind = 'docs') {
  return spellingHits([{ kind, path: 'docs/page.md', words, line: 1 }], dictionaries).map(
    ({ line, text }) => `${line}: ${text}`,
  )
}

it('a word that no dictionary has is a hit in its line', () => {
  expect(misspelled('The sandbox\nwas recieved.')).toEqual(['2: recieved'])
})

it('spelling is that of the United States', () => {
  expect(misspelled('behavior summarized behaviour summarised')).toEqual(['1: behaviour', '1: summarised'])
})

it('words of the project, possessives and contractions are known', () => {
  expect(misspelled('btrfs, btrfs’s and the host’s pool: it isn’t, it can’t.')).toEqual([])
})

it('names of the program and abbreviations are not words', () => {
  expect(misspelled('allocationId BTRFS_XYZ uid1000 TTLX gVisorr')).toEqual([])
})

it('German texts are compared with the German dictionary, compounds included', () => {
  expect(misspelled('Die Umgebungsvariablen der Sandboxes werden verwoffen.', 'german')).toEqual(['1: verwoffen'])
})

it('declared names are not compared', () => {
  expect(misspelled('recieved', 'names')).toEqual([])
})
