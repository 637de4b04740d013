import { describe, expect, test } from 'vitest'
import { isCommandText, matchingCommands, textOfCommand } from './slash-commands.logic.ts'

describe('commands in the composer', () => {
  test('text that is not a command offers none: a path is a message', () => {
    for (const text of ['', 'run', '/home', '/run ls', ' /', '/runx']) expect(matchingCommands(text)).toBeNull()
  })

  test('a slash offers all, more letters fewer', () => {
    expect(matchingCommands('/')).toEqual(['run', 'python', 'share', 'serve', 'look', 'pause', 'status', 'help'])
    expect(matchingCommands('/py')).toEqual(['python'])
  })

  test('a command that needs an argument waits for it', () => {
    expect(textOfCommand('run')).toBe('/run ')
    expect(textOfCommand('help')).toBe('/help')
  })

  test('only commands are shown in monospace', () => {
    expect(isCommandText('/run ls')).toBe(true)
    expect(isCommandText('/runner')).toBe(false)
    expect(isCommandText('please /run ls')).toBe(false)
  })
})
