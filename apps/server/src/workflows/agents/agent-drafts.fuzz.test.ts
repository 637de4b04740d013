import { nothingCleaned } from '@threadbox/testkit/host-stand-in'
import { checkProperty, foreignText } from '@threadbox/testkit/properties'
import { dictionary, property } from 'fast-check'
import { expect, test } from 'vitest'
import { itemsOf, plainLine } from './agent-drafts.logic.ts'
import { agentFileFormat, readAgentFile } from './agent-file.logic.ts'

test('whatever a file would run or tell a model is in its review unchanged', () =>
  checkProperty(
    'agent-draft-items',
    property(
      foreignText(40),
      foreignText(40),
      dictionary(foreignText(8), foreignText(8)),
      (text, name, environment) => {
        const command = `x${text}`
        const service = {
          name: 'site',
          command,
          port: 1,
          cwd: text,
          ready_timeout_ms: 1000,
          key: 'k',
          state: 'running',
        }
        const read = readAgentFile(
          JSON.stringify({
            format: agentFileFormat,
            exportedAt: 1,
            name: 'a',
            description: '',
            instructions: text,
            model: null,
            skills: null,
            connections: [{ name, preset: null, url: text }],
            computer: {
              imageId: 'i',
              services: [{ ...service, environment_json: JSON.stringify(environment) }],
              rescue: null,
              content: { memoryProblem: '', cleaned: nothingCleaned(), diskBytes: 1 },
            },
          }),
        )
        if (read.kind !== 'agent') return expect.unreachable(JSON.stringify(read))
        const items = itemsOf(read.file, [], { twin: undefined, modelId: null, skills: [], connections: [] })
        expect(items.instructions.text).toBe(text)
        expect(items.services).toMatchObject([{ command, cwd: text, startsAtOnce: true }])
        expect(Object.entries(items.services[0]?.environment ?? {})).toHaveLength(Object.keys(environment).length)
        expect(items.connections.items).toMatchObject([{ name, here: null }])
      },
    ),
  ))

test('a line that becomes a name is one line of characters with a shape', () =>
  checkProperty(
    'agent-draft-names',
    property(foreignText(40), (text) => {
      const line = plainLine(text, 'Imported')
      expect(line).not.toMatch(/\p{Cf}|\p{Cc}|[\u2028\u2029]/u)
      expect(line.trim()).toBe(line)
      expect(line).not.toBe('')
    }),
  ))
