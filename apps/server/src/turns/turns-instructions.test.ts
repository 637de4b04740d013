import { expect, test } from 'vitest'
import { makeTestBench } from './turns.test-utils.ts'

test('C12: the instructions of the workspace go to the model with the prompt, in every step', async () => {
  await using bench = await makeTestBench({ instructions: '  Answer like a pirate.\n' })
  await bench.connect()
  bench.model.reply({ text: 'Aye.' })
  await bench.say('hello')
  const system = JSON.stringify(bench.model.requests[0]?.body)
  expect(system).toContain('You are the agent of threadbox')
  expect(system).toContain('<workspace-instructions>\\nAnswer like a pirate.\\n</workspace-instructions>')
})

test('without instructions the prompt says nothing of a workspace', async () => {
  await using bench = await makeTestBench()
  await bench.connect()
  bench.model.reply({ text: 'Hello.' })
  await bench.say('hello')
  expect(JSON.stringify(bench.model.requests[0]?.body)).not.toContain('workspace-instructions')
})
