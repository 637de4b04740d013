import { expect, test } from 'vitest'
import { systemPromptWith } from './system-prompt.ts'

const plain = { instructions: '', agentInstructions: '', skills: [], secrets: [], hasConnections: false, leftOut: 0 }

test('C11: the prompt names the variables and hosts of secrets, in one order whatever the order of their grants', () => {
  const [first, second] = [
    { name: 'A_TOKEN', way: 'brokered' as const, hosts: ['api.example.org', 'b.example.org:8443'] },
    { name: 'B_KEY', way: 'direct' as const, hosts: ['c.example.org'] },
  ]
  const prompt = systemPromptWith({ ...plain, secrets: [second, first] })
  expect(prompt).toBe(systemPromptWith({ ...plain, secrets: [first, second] }))
  const lines = prompt.split('\n')
  expect(lines.slice(-2)).toEqual([
    '- A_TOKEN: for api.example.org, b.example.org:8443',
    '- B_KEY: the key itself; never print it',
  ])
  expect(systemPromptWith(plain)).not.toContain('secret')
})
