import { makeLogger } from '@threadbox/telemetry'
import { expect, test } from 'vitest'
import { makeTestApplication } from './application.test-utils.ts'

const startSteps = [
  'close the lists of registrations',
  'check the end of the audit log',
  'plan removals of deleted threads',
  'follow the host',
  'remove unfinished environments',
  'settle unwatched programs',
  'start operations',
  'check awake sandboxes',
  'finish reports and removals',
  'finish rewinds',
  'resume turns',
  'start runs',
  'check sign-ins at providers',
  'start the policy',
  'measure the machine',
  'start daily backups',
]

const stopSteps = [
  'end what streams',
  'stop measuring the machine',
  'stop backups',
  'close previews',
  'close sockets',
  'close shared pages',
  'stop runs',
  'let go of turns',
  'finish snapshots',
  'end connections',
  'stop the policy',
  'stop reports',
  'finish records of threads',
  'stop watches',
  'stop operations',
  'stop following the host',
  'stop checks of sign-ins',
  'finish the audit log',
]

/** A logger that collects the steps of start and stop. */
function makeStepLog() {
  const steps: string[] = []
  const write = (line: string) => {
    const { step } = JSON.parse(line) as { step?: string }
    if (step !== undefined) steps.push(step)
  }
  return { steps, logger: makeLogger({ process: 'test', level: 'debug', destination: { write } }) }
}

test('the start reclaims, then reconciles, then serves; the stop ends access first and dependencies last', async () => {
  const { steps, logger } = makeStepLog()
  {
    await using server = await makeTestApplication({ logger })
    await server.start()
    expect(steps.splice(0)).toEqual(startSteps)
  }
  expect(steps).toEqual(stopSteps)
})

test('every list of registrations has its entries after the start, and rejects more', async () => {
  await using server = await makeTestApplication()
  await server.start()
  const { platform, threads } = server.areas
  expect(platform.registrations.counts()).toEqual({
    'people.addLeaving': 10,
    'people.addMeter': 5,
    'people.setWorkspaceCheck': 1,
    'people.setWorkspaceInvites': 1,
    'secrets.addHolder': 5,
    'threads.addPersonalUse': 3,
    'threads.setSandboxViews': 1,
    'threads.addEraser': 5,
    'workspaces.addEraser': 3,
    'workspaces.addContentCounter': 3,
    'sandboxes.addPreparer': 3,
    'sandboxes.addOwner': 2,
    'reports.addRestartSource': 1,
    'turns.addGate': 1,
    'turns.addNote': 1,
  })
  expect(() => threads.addEraser(async () => undefined)).toThrow('threads.addEraser was called after the start')
})
