import { defineConfig } from 'vitest/config'
import { LongestFirst } from './deploy/testing/longest-first.ts'

/**
 * unit: everything that needs no root, no network and no sandbox; runs beside the code it tests.
 * system: real gVisor, btrfs and network namespaces (root). browser: the whole product driven in Chromium.
 * Every system and browser test has an installation of its own (id, address range, disk slot), so that files run at the
 * same time: much of their time is waiting, and two processors are busy with four of them. There are five disk slots,
 * and some files take two.
 */
const maxParallelFiles = 4
/** Tests of limits, and of what other machines' timers do: a machine that is too busy makes their figures meaningless. */
const measured = [
  'flood',
  'host-room',
  'limits',
  'lost-connections',
  'pause-connections',
  'previews-large',
  'sign-in-time',
]
const measuredFiles = measured.map((name) => `tests/system/${name}.test.ts`)
const maxParallelMeasured = 2
/** What is waited for ends a wait immediately; the limit is for what never comes, on a busy machine. */
const pollOptions = { poll: { timeout: 20_000 } }
/** Every bash warns of a locale that the machine does not have, in the output that tests compare. */
const env = { LC_ALL: 'C.UTF-8' }
const wholeProduct = {
  env,
  // As for the unit tests; here the set-up of each file takes two hundredths of the workers' time.
  isolate: false,
  setupFiles: ['tests/stack/print-what-failed.ts'],
  expect: pollOptions,
  // The full set kills at up to 30 random moments in one test.
  testTimeout: process.env.THREADBOX_TEST_FULL === '1' ? 1_200_000 : 300_000,
  hookTimeout: 600_000,
}

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          name: 'unit',
          env,
          include: [
            'apps/*/src/**/*.test.{ts,tsx}',
            'packages/*/src/**/*.test.ts',
            'images/**/*.test.ts',
            'deploy/**/*.test.ts',
            'docs-site/**/*.test.ts',
            'tests/performance/**/*.test.ts',
            'tests/benchmark/**/*.test.ts',
            'tests/chaos/findings.test.ts',
          ],
          exclude: ['**/*.system.test.ts', '**/node_modules/**'],
          globalSetup: ['apps/server/src/shared-postgres.test-utils.ts'],
          // Many wait for a child or a limit of time.
          maxWorkers: 5,
          // Modules of our own keep no state, and loading them for each of 300 files takes a third of the whole.
          isolate: false,
          // A machine that also runs other things is ten times slower at moments: these end what never comes.
          expect: pollOptions,
          testTimeout: 180_000,
          hookTimeout: 180_000,
        },
      },
      {
        test: {
          ...wholeProduct,
          name: 'system',
          include: [
            'apps/*/src/**/*.system.test.ts',
            'packages/*/src/**/*.system.test.ts',
            'tests/system/**/*.test.ts',
            'tests/compatibility/**/*.test.ts',
            'tests/chaos/chaos.test.ts',
          ],
          exclude: [...measuredFiles, '**/node_modules/**'],
          globalSetup: ['tests/stack/built-programs.ts', 'tests/stack/filled-slots.ts'],
          maxWorkers: maxParallelFiles,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          ...wholeProduct,
          name: 'system-measured',
          include: measuredFiles,
          globalSetup: ['tests/stack/built-programs.ts', 'tests/stack/filled-slots.ts'],
          maxWorkers: maxParallelMeasured,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          ...wholeProduct,
          name: 'browser',
          include: ['tests/browser/**/*.test.ts'],
          globalSetup: ['tests/stack/built-programs.ts', 'tests/stack/filled-slots.ts', 'tests/browser/built-app.ts'],
          maxWorkers: maxParallelFiles,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
})
