import { expect, test } from 'vitest'
import { isThreadboxFile, isThreadboxProcess, isThreadboxVariable } from './ownership.ts'

test.each([
  '/var/lib/threadbox',
  '/var/lib/threadbox/services/web/0',
  'var/lib/threadbox/sessions/main',
  '/dev/.threadbox/kernels/a/control',
  '/.guest/node',
  '/home/user/.threadbox/outputs/call.txt',
  '/home/user/.ipython',
  '/home/user/.ipython/profile_default/history.sqlite',
  '/home/user/.ipython/profile_default/history.sqlite-journal',
  '/home/user/.ipython/profile_default/startup/README',
  '/home/user/.ipython/profile_default/security',
])('%s belongs to threadbox', (path) => expect(isThreadboxFile(path)).toBe(true))

test.each([
  '/var/lib/threadboxes/a',
  '/home/user/threadbox/a',
  '/home/user/project/.threadbox/a',
  '/home/user/var/lib/threadbox/a',
  '/home/user/history.sqlite',
  '/home/user/.ipython/profile_default/ipython_config.py',
  '/home/user/.ipython/profile_default/startup/10-mine.py',
  '/home/user/.ipython/extensions/mine.py',
  '/home/user/.ipython/profile_mine/history.sqlite',
  '/var/lib/dpkg/status',
])('%s belongs to the person', (path) => expect(isThreadboxFile(path)).toBe(false))

test('variables that the guest sets belong to threadbox, and so do the processes of kernels and of command shells', () => {
  const variables = ['GIT_CONFIG_COUNT', 'THREADBOX_RUN', 'GIT_CONFIG_KEY_1', 'PATH', 'CITY']
  expect(variables.filter(isThreadboxVariable)).toEqual(['GIT_CONFIG_COUNT', 'THREADBOX_RUN'])
  const roles = ['user', 'kernel', 'shell', 'terminal', 'service'].map((role) => ({ role }))
  expect(roles.filter(isThreadboxProcess).map(({ role }) => role)).toEqual(['kernel', 'shell'])
})
