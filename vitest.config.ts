import { defineConfig } from 'vitest/config'

/**
 * unit: everything that needs no root, no network and no sandbox; runs beside the code it tests.
 * system: real gVisor, btrfs and network namespaces (root). browser: the whole product driven in Chromium.
 * System and browser tests share one machine's kernel objects, so their files run one after another.
 */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: [
            'apps/*/src/**/*.test.{ts,tsx}',
            'packages/*/src/**/*.test.ts',
            'images/**/*.test.ts',
            'deploy/**/*.test.ts',
            'tests/performance/*.test.ts',
          ],
          exclude: ['**/*.system.test.ts', '**/node_modules/**'],
        },
      },
      {
        test: {
          name: 'system',
          include: [
            'apps/*/src/**/*.system.test.ts',
            'packages/*/src/**/*.system.test.ts',
            'tests/system/**/*.test.ts',
            'tests/compatibility/**/*.test.ts',
            'tests/chaos/**/*.test.ts',
          ],
          fileParallelism: false,
          testTimeout: 120_000,
          hookTimeout: 300_000,
        },
      },
      {
        test: {
          name: 'browser',
          include: ['tests/browser/**/*.test.ts'],
          fileParallelism: false,
          testTimeout: 180_000,
          hookTimeout: 300_000,
        },
      },
    ],
  },
})
